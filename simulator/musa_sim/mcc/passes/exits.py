"""Make a thread that ends in the middle of its kernel (`__musa_exit`) return from it.

Most functions that an optimised kernel calls are inlined, so most of these calls are in the kernel itself. `ret`
replaces them. The call remains in a function that is not inlined. Such a kernel runs as fibers, and libmusart ends the
thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.instructions import Instruction
from ..runtime_abi.functions import EXIT

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
    functions = module.functions
    return module, [each for each in kernels if each.name not in functions or EXIT not in functions[each.name].calls]


def _returns(function: Function) -> bool:
    """Whether the function returns anywhere.

    LLVM marks a function that never returns as `noreturn`, and drops the code after its calls: it must not return then.
    """
    return any(block.instructions[-1].opcode == "ret" for block in function.blocks if block.instructions)


def _returning(block: Block) -> Block:
    names = [item.callee if item.opcode == "call" else "" for item in block.instructions]
    if EXIT not in names or block.successors:
        return block
    return block.with_instructions([*block.instructions[: names.index(EXIT)], Instruction("  ret void")])
