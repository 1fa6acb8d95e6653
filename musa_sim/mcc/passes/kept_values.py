"""Keep LLVM from computing again, after a suspension, what a thread has computed before it.

Where a coroutine is split, LLVM prefers to compute a value again from its operands to keeping it in the frame. That is
good for an index. But a sum that grows by what each shuffle brings would be added up from the start after each, and all
that was ever added would lie in the frame. So such values pass through a function that LLVM does not know. It is taken
out after the split.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..ir.blocks import label
from ..ir.casts import calls_to_casts
from ..ir.functions import callee, declarations, remove_declarations
from ..ir.instructions import Instruction, binary, instruction
from ..ir.text import bare, local_name
from ..ir.types import is_number

_KEEP = "__musa_sim_keep_"
#: what LLVM computes again
_REPEATED = {"select", "icmp", "fcmp", "zext", "sext", "trunc", "bitcast", "sitofp", "uitofp", "fptosi", "fptoui"} | {
    *("fpext", "fptrunc", "fneg", "freeze"),
}
_SOURCES = {"load", "phi", "call", "extractvalue"}
_FLOATS = ("float ", "double ", "half ", "bfloat ")


def keep_values(code: str, cut_at: Collection[str]) -> tuple[str, frozenset[str]]:
    """Return a function's code with what must not be computed again marked, and the types of these values.

    `cut_at`: the functions whose calls become suspensions.
    """
    lines = code.split("\n")
    made: dict[str, Instruction] = {}
    where: dict[str, int] = {}
    used: dict[str, set[int]] = {}
    segment = 0
    for line in lines:
        segment += bool(label(line)) or (" call " in line and callee(line) in cut_at)
        item = instruction(line)
        if item is None:
            continue
        for name in item.uses:
            # a phi's integers are used where control comes from; they are mostly indices
            if item.opcode != "phi" or item.operands.startswith(_FLOATS):
                used.setdefault(name, set()).add(segment)
        if item.result:
            made[item.result] = item
            where[item.result] = segment
    chosen: dict[str, str] = {}
    depends: dict[str, bool] = {}
    for name, item in made.items():
        computed = binary(item)
        if computed is None or not is_number(computed.type):
            continue
        if used.get(name, set()) <= {where[name]}:
            continue
        if item.opcode.startswith("f") or _depends(name, made, depends):
            chosen[name] = computed.type
    text = "\n".join(_marked(line, chosen) for line in lines) if chosen else code
    return text, frozenset(chosen.values())


def _depends(name: str, made: Mapping[str, Instruction], known: dict[str, bool]) -> bool:
    """Whether a value is computed from something that was read or received."""
    if name not in known:
        known[name] = False
        item = made.get(name)
        if item is not None:
            repeated = binary(item) is not None or item.opcode in _REPEATED
            known[name] = any(_depends(use, made, known) for use in item.uses) if repeated else _is_source(item)
    return known[name]


def _is_source(item: Instruction) -> bool:
    return item.opcode in _SOURCES and not callee(item.text).startswith("__musa_sim_thread_idx")


def _marked(line: str, chosen: Mapping[str, str]) -> str:
    result = line[2:].partition(" = ")[0]
    if result not in chosen:
        return line
    kind = chosen[result]
    once = local_name(f"coro.once.{bare(result)}")
    computed = line.replace(f"  {result} = ", f"  {once} = ", 1)
    return f"{computed}\n  {result} = call {kind} @{_KEEP}{kind}({kind} {once})"


def declare_keep(kinds: frozenset[str]) -> str:
    """Declare the functions for values of these types."""
    return "".join(
        f"declare {kind} @{_KEEP}{kind}({kind}) nounwind willreturn nosync nofree memory(none)\n"
        for kind in sorted(kinds)
    )


def forget_keep(ir: str) -> str:
    """Return a module without these functions."""
    ir = calls_to_casts(ir, _KEEP)
    return remove_declarations(ir, {name for name in declarations(ir) if name.startswith(_KEEP)})
