"""torch.utils.checkpoint: the recomputation draws the random numbers of the first pass."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.functional import dropout
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from .conftest import PROGRAMS, RunPython

REENTRANT = pytest.mark.parametrize("reentrant", [True, False], ids=["reentrant", "non-reentrant"])


def gradient(run: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
    """Return the output and the input's gradient of `run`, which always starts with the same seed."""
    torch.manual_seed(11)
    x = torch.linspace(-2, 2, 400, device="musa").requires_grad_()
    y = run(x)
    y.sum().backward()
    assert x.grad is not None
    return y.detach().cpu(), x.grad.cpu()


def drop(x: Tensor) -> Tensor:
    return dropout(x.sin(), 0.5) * x


def assert_same(plain: Callable[[Tensor], Tensor], checkpointed: Callable[[Tensor], Tensor]) -> None:
    wanted, found = gradient(plain), gradient(checkpointed)
    assert torch.equal(found[0], wanted[0])
    torch.testing.assert_close(found[1], wanted[1])


@REENTRANT
def test_dropout(reentrant: bool) -> None:
    assert_same(drop, lambda x: checkpoint(drop, x, use_reentrant=reentrant))


@REENTRANT
def test_sequence_whose_parts_all_drop(reentrant: bool) -> None:
    layers = [drop, torch.tanh, drop, drop]

    def plain(x: Tensor) -> Tensor:
        for layer in layers:
            x = layer(x)
        return x

    assert_same(plain, lambda x: checkpoint_sequential(layers, 2, x, use_reentrant=reentrant))


@REENTRANT
def test_nested(reentrant: bool) -> None:
    def inner(x: Tensor) -> Tensor:
        return drop(drop(x))

    def outer(x: Tensor) -> Tensor:
        return dropout(checkpoint(inner, x, use_reentrant=reentrant), 0.25)

    assert_same(lambda x: dropout(inner(x), 0.25), lambda x: checkpoint(outer, x, use_reentrant=reentrant))


@REENTRANT
def test_autocast_is_that_of_the_first_pass(reentrant: bool) -> None:
    weight = torch.randn(400, 400, device="musa")
    dtypes = []

    def multiply(x: Tensor) -> Tensor:
        product = x @ weight
        dtypes.append(product.dtype)
        return dropout(product, 0.5)

    def under_autocast(run: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        def inside(x: Tensor) -> Tensor:
            with torch.autocast("musa", dtype=torch.bfloat16):
                return run(x)

        return inside

    assert_same(under_autocast(multiply), under_autocast(lambda x: checkpoint(multiply, x, use_reentrant=reentrant)))
    assert dtypes == [torch.bfloat16] * 3, "the recomputation runs outside of the with statement"


@REENTRANT
def test_state_is_not_preserved_if_it_need_not_be(reentrant: bool) -> None:
    torch.manual_seed(3)
    x = torch.ones(10_000, device="musa", requires_grad=True)
    y = checkpoint(dropout, x, 0.5, use_reentrant=reentrant, preserve_rng_state=False)
    y.sum().backward()
    assert x.grad is not None
    assert not torch.equal(x.grad != 0, y != 0), "another mask was drawn"


@REENTRANT
def test_numbers_after_backward_are_not_repeated(reentrant: bool) -> None:
    def numbers(run: Callable[[Tensor], Tensor]) -> Tensor:
        gradient(run)
        return torch.randn(8, device="musa").cpu()

    assert torch.equal(numbers(drop), numbers(lambda x: checkpoint(drop, x, use_reentrant=reentrant)))


@pytest.mark.slow
@pytest.mark.parametrize("reentrant", [False, True])
def test_several_devices(reentrant: bool, run_python: RunPython) -> None:
    """The state of every device that an argument is on is preserved.

    The second device's part needs the first's: where parts are independent, autograd's threads unpack at the same time,
    which PyTorch's non-reentrant form does not provide for on any device.
    """
    done = run_python(PROGRAMS / "checkpoint_of_two_devices.py", str(reentrant), MUSA_SIM_DEVICES="2")
    assert done.stdout == "True True\n", done.stderr
