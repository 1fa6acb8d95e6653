"""Loops in which a thread waits for what another thread writes: they let the other threads of the block run.

On a GPU all threads of a block make progress. Here one that spins would keep the others from running, so the back edge
of such a loop calls the function behind __nanosleep, and the kernel becomes one whose threads may be suspended.

A loop waits if it reads the same place again and again, in a way that the optimiser must not merge (volatile, atomic,
or beside a fence), and what it read decides whether it goes on. An atomic operation that changes what it reads by
itself, such as atomicAdd(&next, 1), is progress; so is a compare-and-swap that expects what the last turn read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from . import call_graph
from .control_flow import Block, Loop, blocks, loops
from .device_ir import SUSPENDING_PREFIX
from .host_stubs import split_top_level

YIELD = f"{SUSPENDING_PREFIX}_yield"

_NAME = r'%(?:[\w.$-]+|"[^"]+")'
_OPERANDS = re.compile(_NAME)
_DEFINED = re.compile(rf"^  ({_NAME}) = (.*)$")
_ALLOCA = re.compile(rf"^  ({_NAME}) = alloca ", re.M)
_SPECIAL = re.compile(r"^  (?:[^\n]*= (?:load (?:atomic|volatile)\b|atomicrmw |cmpxchg )|fence )", re.M)
_FENCE = re.compile(r"^  (?:fence |[^\n]*\bcall [^\n]* asm sideeffect [^\n]*~\{memory\})")
_LOAD = re.compile(r"load (atomic |volatile )*")
_UPDATE = re.compile(r"atomicrmw (?:volatile )?(\w+) ")
_EXCHANGE = re.compile(r"cmpxchg (?:weak )?(?:volatile )?")
#: what the same operand leaves as it is the second time
_IDEMPOTENT = {"xchg", "and", "or", "max", "min", "umax", "umin"}
_ADDRESS = re.compile(r"(?:getelementptr|addrspacecast|sext|zext|add|mul|shl|[^@]*@llvm\.threadlocal\.address\.p0\()\b")
_CHOSEN_CONSTANT = re.compile(r"\[ (?:true|false|-?\d+), %([\w.$-]+) \]")


def may_wait(ir: str) -> bool:
    """Whether anything in the module is volatile, atomic or a fence."""
    return bool(_SPECIAL.search(ir))


def yields(ir: str, *, optimised: bool) -> str:
    """The module with a call of the scheduler on the back edge of every loop that waits.

    Before optimisation addresses are read from variables in every turn; every loop that reads volatile or atomic memory
    then counts as one that waits.
    """
    if not may_wait(ir):
        return ir
    changed = False
    for definition in call_graph.functions(ir).values():
        if not may_wait(definition):
            continue
        function = blocks(definition)
        own = frozenset(_ALLOCA.findall(definition))
        waiting = [loop for loop in loops(function) if _Turn.of(function, loop, own).waits(function, loop, optimised)]
        edges = {
            (latch, loop.header)
            for loop in waiting
            for latch in loop.latches
            if function[latch].successors.count(loop.header) == 1  # phis name an edge by its block
        }
        if edges:
            ir = ir.replace(definition, _on_edges(definition, edges), 1)
            changed = True
    declared = re.search(rf"^declare [^\n]*@{YIELD}\(", ir, re.M)
    return ir if declared or not changed else f"{ir}declare void @{YIELD}() nounwind\n"


@dataclass(frozen=True)
class _Turn:
    """What one turn of a loop computes."""

    lines: tuple[str, ...]
    defined: Mapping[str, str]
    own: Collection[str]  # addresses of the function's own variables

    @classmethod
    def of(cls, function: Mapping[str, Block], loop: Loop, own: Collection[str]) -> _Turn:
        lines = tuple(line for name in loop.blocks for line in function[name].lines)
        return cls(lines, {found[1]: found[2] for line in lines if (found := _DEFINED.match(line))}, own)

    def waits(self, function: Mapping[str, Block], loop: Loop, optimised: bool) -> bool:
        if any(f"@{SUSPENDING_PREFIX}" in line for line in self.lines):
            return False  # the other threads run anyway
        fenced = any(_FENCE.match(line) for line in self.lines)
        read = {name for name, text in self.defined.items() if self._reads_again(text, fenced, optimised)}
        return bool(read) and (not optimised or self._leaves_by(function, loop, read))

    def _reads_again(self, text: str, fenced: bool, optimised: bool) -> bool:
        """Whether an instruction reads, in every turn, a place that other threads write."""
        load, update, exchange = _LOAD.match(text), _UPDATE.match(text), _EXCHANGE.match(text)
        if load and (load.group(1) or fenced):
            operands = [split_top_level(text[load.end() :])[1]]
        elif update:
            pointer, value = split_top_level(text[update.end() :])[:2]
            operands = [pointer, value]
            same = update.group(1) in _IDEMPOTENT or re.match(r"\w+ 0\b", value)
            if optimised and not same:
                return False
        elif exchange:
            operands = split_top_level(text[exchange.end() :])[:2]
        else:
            return False
        if any(name in self.own for name in _OPERANDS.findall(operands[0])):
            return False
        return not optimised or all(self._is_same(name) for part in operands for name in _OPERANDS.findall(part))

    def _is_same(self, name: str) -> bool:
        """Whether a value is the same in every turn."""
        text = self.defined.get(name)
        if text is None:
            return True
        load = _LOAD.match(text)
        plain_load = load is not None and not load.group(1)
        if not plain_load and not _ADDRESS.match(text):
            return False
        return all(self._is_same(operand) for operand in _OPERANDS.findall(text))

    def _leaves_by(self, function: Mapping[str, Block], loop: Loop, read: set[str]) -> bool:
        """Whether what was read decides a branch out of the loop."""
        derived = self._derived(read)
        inner = [block for name in loop.blocks if (block := function[name]).decides & derived]
        if any(set(block.successors) - loop.blocks for block in inner):
            return True
        if not inner:
            return False
        # `done = true` on one of two ways, and the loop ends by `done`
        chosen = {
            name
            for name, text in self.defined.items()
            if text.startswith("phi ") and not loop.blocks.isdisjoint(_CHOSEN_CONSTANT.findall(text))
        }
        flags = self._derived(chosen)
        return any(
            function[name].decides & flags and set(function[name].successors) - loop.blocks for name in loop.blocks
        )

    def _derived(self, names: Collection[str]) -> set[str]:
        found = set(names)
        while True:
            more = {name for name, text in self.defined.items() if not found.isdisjoint(_OPERANDS.findall(text))}
            if more <= found:
                return found
            found |= more


def _on_edges(definition: str, edges: Collection[tuple[str, str]]) -> str:
    """Call the scheduler on these control-flow edges."""
    names = {edge: f"musa.wait.{at}" for at, edge in enumerate(sorted(edges))}
    lines: list[str] = []
    block = ""
    ends = False  # inside the terminator, which may have several lines
    for line in definition[: definition.rindex("}")].split("\n"):
        label = re.match(r'^([\w.$-]+|"[^"]+"):', line)
        if label:
            block, ends = label.group(1), False
        ends = ends or bool(re.match(r"^  (?:br|switch) ", line))
        for (latch, header), name in names.items():
            if block == latch and ends:
                line = re.sub(rf"label %{re.escape(header)}(?![\w.$-])", f"label %{name}", line)
            elif block == header and re.match(rf"^  {_NAME} = phi ", line):
                line = re.sub(rf", %{re.escape(latch)} \]", f", %{name} ]", line)
        lines.append(line)
    added = (f"{name}:\n  call void @{YIELD}()\n  br label %{header}\n" for (_, header), name in names.items())
    return "\n".join(lines) + "\n".join(["", *added]).lstrip("\n") + "}\n"
