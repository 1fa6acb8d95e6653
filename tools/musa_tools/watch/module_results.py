"""NaN and Inf at the level of modules: the results of the innermost modules, and the gradients of these results."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.nn.modules import module as torch_module

from musa_tools.observe.modules import TRACKER, OpContext
from musa_tools.observe.op_facts import OpFacts
from musa_tools.observe.process import unobserved
from musa_tools.tensors.operands import holds_values, references, tensors
from musa_tools.watch.flags import Flags, Record


class ModuleResults:
    """Flags the results of modules. There is no dispatch mode, so this costs little, and sees no single operator.

    Args:
        flags: Collects the results.
        flush: Reads the flags.
        most_flags: The number of flags at which they are read.
    """

    def __init__(self, flags: Flags, flush: Callable[[], None], most_flags: int) -> None:
        self.calls = 0
        self._flags = flags
        self._flush = flush
        self._most_flags = most_flags
        self._hooks: list[Any] = []

    def start(self) -> None:
        """Start watching every module of the process."""
        self._hooks = [
            torch_module.register_module_forward_pre_hook(self._before),
            torch_module.register_module_forward_hook(self._after),
        ]

    def stop(self) -> None:
        """Stop watching."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _before(self, module: torch.nn.Module, args: Any) -> None:
        if getattr(module, "inplace", False) and not torch.compiler.is_compiling():
            with unobserved():
                self._flags.reduce()  # it is about to write to results that are held

    def _after(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if module._modules or torch.compiler.is_compiling():
            return
        owner = TRACKER.owner(module)
        with torch._C.DisableTorchFunctionSubclass():
            self._add(Record(_RESULT, OpContext(owner, False), references(args)), output)
            for tensor in tensors(output):
                if tensor.requires_grad and holds_values(tensor):
                    record = Record(_GRADIENT, OpContext(owner, True), ())
                    watch: Any = tensor.register_hook  # it has no types
                    watch(lambda gradient, record=record: self._add(record, gradient))

    def _add(self, record: Record, value: Any) -> None:
        if not self._hooks:
            return  # a gradient of a step that is over
        self.calls += 1
        with unobserved():
            for tensor in tensors(value):
                if (tensor.is_floating_point() or tensor.is_complex()) and holds_values(tensor):
                    self._flags.add(record, tensor.detach())
        if self._flags.known_bad or len(self._flags) >= self._most_flags:
            self._flush()


def _pseudo_operator(name: str) -> OpFacts:
    return OpFacts(
        name=name,
        family=name,
        base=name,
        view=False,
        written=(),
        random=False,
        uninitialised=False,
        collective=False,
        pointwise=False,
        returns_written=False,
        takes_device=False,
        trusted=True,
    )


_RESULT = _pseudo_operator("result")
_GRADIENT = _pseudo_operator("gradient")
