"""The result of LLVM's split of a coroutine: a function that starts it, and one that resumes it from a frame in memory.

The text must be as the split leaves it, with no pass after it. Only then is each access to the frame the address of a
field and one load or store there, does a field belong to one value, and does each suspension store a state of its own.
An optimiser joins two loads into one whose address is one of two, and leaves it the name of either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from .blocks import blocks, without_unreachable
from .functions import Function
from .instructions import element_address, instruction
from .memory import access
from .parameters import Parameter
from .text import LOCAL, last_word, replace_locals

#: what a function does with the address of its frame, besides taking addresses of fields
_HARMLESS = frozenset(("icmp", "phi", "ret"))
_PLACE = re.compile(r"  store i8 ([^,]+), ptr %coro\.(?:\d+|end)\.place\d*,")
_SWITCH = re.compile(rf"^  switch i\d+ ({LOCAL}), [^\[]*\[.*?^  \]", re.M | re.S)
_CASE = re.compile(rf"^    i\d+ (-?\d+|true|false), label ({LOCAL})$", re.M)


class SplitCoroutine(NamedTuple):
    """A coroutine that has been split."""

    frame_size: int
    alignment: int
    frame: str  # the value in the code that resumes which is the address of the frame
    start: str  # the function that starts it
    resume: str  # the code that resumes it where the frame says
    start_without_state: str
    resume_without_state: str
    switch: str  # the lines of it that choose where to go on; empty if there is one such place
    targets: Mapping[int, str]  # the blocks that they choose, by place; empty if that is not known

    def resume_at(self, place: int) -> str:
        """Return the code that resumes it where it waits at a place."""
        code = self.resume_without_state
        if not self.switch:
            return code
        return without_unreachable(code.replace(self.switch, f"  br label {self.targets[place]}", 1))


def split_coroutine(start: Function, resume: Function, passed: Mapping[str, str], ended: int) -> SplitCoroutine | None:
    """Read the two functions of a coroutine; None if they do not look as expected.

    `passed`: the parameters that are known whenever it is resumed, and what they are called then. They are neither
    stored in the frame nor loaded from it. `ended`: the place of a thread that has ended.
    """
    parameters = list(map(Parameter, start.parameters))
    frame = Parameter(resume.parameters[0]).value
    layout = _frame_layout(start.text, parameters[1].value)
    begins, resumes = _read(start.text, parameters[0].value), _read(resume.code, frame)
    if layout is None or begins is None or resumes is None:
        return None
    types = {parameter.value: parameter.type for parameter in parameters if parameter.value in passed}
    held = _parameter_fields(begins, resumes, types)
    own = {use.value: held[use.field] for use in begins.loads if use.field in held}
    values = {use.value: passed[held[use.field]] for use in resumes.loads if use.field in held}
    switch, state, targets = _targets(begins, resumes, ended)
    read = {use.field for part in (begins, resumes) for use in part.loads} | begins.variables | resumes.variables
    with_state, without_state = read - held.keys(), read - held.keys() - {state}
    return SplitCoroutine(
        *(*layout, frame),
        *(replace_locals(begins.reading(with_state), own), replace_locals(resumes.reading(with_state), values)),
        replace_locals(begins.reading(without_state), own),
        replace_locals(resumes.suspending_at(state).reading(without_state), values),
        *(switch, targets),
    )


def _frame_layout(start: str, parameter: str) -> tuple[int, int] | None:
    """Return the bytes of a frame and its alignment, which the function that starts writes to where a parameter points.

    None if they are not seen.
    """
    size = re.search(rf"^  store i64 (\d+), ptr {re.escape(parameter)},", start, re.M)
    second = re.search(
        rf"^  ({LOCAL}) = getelementptr (?:inbounds )?(?:nuw )?i8, ptr {re.escape(parameter)}, i64 8$", start, re.M
    )
    align = second and re.search(rf"^  store i64 (\d+), ptr {re.escape(second.group(1))},", start, re.M)
    return (int(size.group(1)), int(align.group(1))) if size and align else None


class _Use(NamedTuple):
    """A line that takes the address of a field, loads the field or stores it."""

    line: int
    opcode: str
    field: str
    value: str  # the result, or what is stored
    type: str  # of what is loaded or stored


class _Code(NamedTuple):
    """A function's code, and what it does with the frame."""

    lines: tuple[str, ...]
    uses: tuple[_Use, ...]
    variables: frozenset[str]  # the fields whose addresses are used in other ways

    @property
    def loads(self) -> list[_Use]:
        """The lines that load a field."""
        return [use for use in self.uses if use.opcode == "load"]

    @property
    def stores(self) -> list[_Use]:
        """The lines that store a field."""
        return [use for use in self.uses if use.opcode == "store"]

    def suspending_at(self, field: str) -> _Code:
        """Return the code that returns at once where it has stored a field.

        LLVM's does so later, in blocks that other code shares, by which each suspension seems to lead to the next code.
        """
        lines = list(self.lines)
        for at in (use.line + 1 for use in self.stores if use.field == field):
            end = next(end for end in range(at, len(lines)) if not lines[end].startswith(" "))
            lines[at:end] = ["  ret void", *[""] * (end - at - 1)]
        return self._replace(lines=tuple(lines))

    def reading(self, fields: Collection[str]) -> str:
        """Return the text in which only these fields are used."""
        dropped = {use.line for use in self.uses if use.field not in fields}
        return "\n".join(line for at, line in enumerate(self.lines) if at not in dropped)


def _read(code: str, frame: str) -> _Code | None:
    """Read a function's code; `frame` is the value that is the address of the frame.

    None if it does anything with that address but to take those of fields.
    """
    lines = code.split("\n")
    items = [(at, item) for at, item in enumerate(map(instruction, lines)) if item is not None]
    fields: dict[str, str] = {}
    uses: list[_Use] = []
    for at, item in items:
        address = element_address(item)
        if address and address.base == frame and len(address.indices) == 2 and address.indices[0] == "0":
            fields[item.result] = address.indices[1]
            uses.append(_Use(at, item.opcode, address.indices[1], item.result, ""))
        elif frame in item.uses and item.opcode not in _HARMLESS:
            return None
    variables: set[str] = set()
    for at, item in items:
        used = [name for name in item.uses if name in fields]
        found = access(item) if used else None
        if found and found.opcode in ("load", "store") and used == [found.pointer]:
            value = item.result or last_word(found.operands[1])
            uses.append(_Use(at, item.opcode, fields[found.pointer], value, found.type))
        else:
            variables.update(fields[name] for name in used)
    return _Code(tuple(lines), tuple(uses), frozenset(variables))


def _parameter_fields(start: _Code, resume: _Code, types: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters by the fields that hold them.

    Such a field is stored once, with the parameter, by the function that starts, and else only loaded as a whole. So it
    holds the parameter, whatever LLVM calls it.
    """
    stores = Counter(use.field for part in (start, resume) for use in part.stores)
    held = {use.field: use.value for use in start.stores if types.get(use.value) == use.type and stores[use.field] == 1}
    loads = (use for part in (start, resume) for use in part.loads)
    misread = {use.field for use in loads if use.type != types.get(held.get(use.field, ""))}
    unfit = misread | start.variables | resume.variables
    return {field: name for field, name in held.items() if field not in unfit}


def _targets(start: _Code, resume: _Code, ended: int) -> tuple[str, str, dict[int, str]]:
    """Return the lines that choose where a coroutine goes on, the field that they go by, and the blocks by place.

    A thread stores its place (passes/suspensions.py) just before its state: in the same block, or in the one before. No
    blocks if that is not seen for every place and every state.
    """
    loaded = {use.value: use.field for use in resume.loads}
    switch = next((found for found in _SWITCH.finditer("\n".join(resume.lines)) if found[1] in loaded), None)
    state = loaded[switch[1]] if switch else ""
    labels = dict(_CASE.findall(switch[0])) if switch else {}
    places: dict[str, set[str]] = {}
    states: set[str] = set()
    for part in (start, resume):
        stored = {part.lines[use.line]: use.value for use in part.stores if use.field == state}
        states.update(stored.values())
        parts = blocks("\n".join(part.lines))
        for block in parts.values():
            for place in _PLACE.findall("\n".join(block.lines)):
                near = [block, *(parts[name] for name in block.successors)]
                behind = [stored[line] for each in near for line in each.lines if line in stored]
                places.setdefault(place, set()).update(behind or [""])
    places.pop(str(ended), None)
    if not all(map(str.isdigit, places)):
        return "", "", {}
    if len(places) == 1 and not states:
        return "", "", {int(place): "" for place in places}
    told = {int(place): labels.get(at.pop(), "") for place, at in places.items() if len(at) == 1}
    blocks_told = set(told.values())
    if switch and "" not in blocks_told and len(blocks_told) == len(states) == len(places):
        return switch[0], state, told
    return "", "", {}
