"""How the backend's tests compare: the same function on the CPU, which is PyTorch's own, and on musa."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree


def on_musa(value: Any) -> Any:
    """Return `value` with every tensor in it copied to musa, as a leaf that requires grad if the original does."""

    def move(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        return leaf.detach().to("musa").requires_grad_(leaf.requires_grad)

    return _pytree.tree_map(move, value)


def on_cpu(value: Any) -> Any:
    """Return `value` with every musa tensor in it copied to the CPU; tensors that are not on musa are a mistake."""

    def move(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        assert leaf.is_musa, f"a result is on {leaf.device}"
        return leaf.detach().cpu()

    return _pytree.tree_map(move, value)


def assert_same_on_musa(function: Callable[..., Any], *inputs: Any, **tolerance: float) -> None:
    """Assert that `function` gives on musa what it gives on the CPU, in values, dtypes, shapes and gradients."""
    moved = on_musa(inputs)
    wanted = function(*inputs)
    found = function(*moved)
    detached = _pytree.tree_map(lambda leaf: leaf.detach() if isinstance(leaf, torch.Tensor) else leaf, wanted)
    torch.testing.assert_close(on_cpu(found), detached, equal_nan=True, **tolerance)

    leaves = [leaf for leaf in _pytree.tree_leaves(inputs) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if not leaves:
        return
    moved_leaves = [
        leaf for leaf in _pytree.tree_leaves(moved) if isinstance(leaf, torch.Tensor) and leaf.requires_grad
    ]
    weight = torch.randn_like(wanted)
    wanted_gradients = torch.autograd.grad(wanted, leaves, weight)
    found_gradients = torch.autograd.grad(found, moved_leaves, weight.to("musa"))
    torch.testing.assert_close(on_cpu(found_gradients), wanted_gradients, equal_nan=True, **tolerance)
