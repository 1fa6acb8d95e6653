"""Let a thread that ends in the middle of its kernel (`__musa_exit`) return from it.

Optimised kernels have what they call inlined, so that the call is mostly in the kernel. In a function that stays one it
stays a call: libmusart then ends the thread, which has a fiber.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..contract.functions import EXIT
from ..ir.instructions import Instruction

if TYPE_CHECKING:
    from ..ir.blocks import Block
    from ..ir.function import Function
    from ..ir.module import Module
    from ..kernel import Kernel


def returning(module: Module, kernels: Sequence[Kernel]) -> tuple[Module, Sequence[Kernel]]:
    """Return the module with `ret` for the kernels' own calls, and the kernels that have no such call."""
    calling = (module.functions[kernel.name] for kernel in kernels if kernel.name in module.functions)
    changed = {
        function.name: function.with_blocks([_returning(block) for block in function.blocks])
        for function in calling
        if EXIT in function.calls and _returns(function)
    }
    module = module.change_functions(changed)
    return module, [kernel for kernel in kernels if not _has_exit(module.functions.get(kernel.name))]


def _has_exit(function: Function | None) -> bool:
    return function is not None and EXIT in function.calls


def _returns(function: Function) -> bool:
    """Whether it returns anywhere: LLVM notes of one that does not that nothing comes after its call."""
    return any(block.instructions[-1].opcode == "ret" for block in function.blocks if block.instructions)


def _returning(block: Block) -> Block:
    names = [item.callee if item.opcode == "call" else "" for item in block.instructions]
    if EXIT not in names or block.successors:
        return block
    return block.with_instructions([*block.instructions[: names.index(EXIT)], Instruction("  ret void")])
