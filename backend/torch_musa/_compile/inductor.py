"""Refuse musa tensors in Inductor, which has no code generator for musa, and say what to use instead."""

from __future__ import annotations

from typing import NoReturn

import torch
from torch._inductor.codegen.common import custom_backend_passes
from torch._inductor.custom_graph_pass import CustomGraphModulePass

SENTENCE = (
    'torch.compile\'s backend "inductor" generates no code for musa: '
    'use torch.compile(..., backend="aot_eager") instead'
)


class _Refusal(CustomGraphModulePass):
    """The pass that Inductor runs over a graph with a musa tensor before it generates code."""

    def __call__(self, gm: torch.fx.GraphModule) -> NoReturn:
        raise RuntimeError(SENTENCE)

    def uuid(self) -> str:
        """Return the name of this pass for the keys of Inductor's cache."""
        return SENTENCE


def register() -> None:
    """Register the pass with Inductor."""
    custom_backend_passes["musa"] = _Refusal()
