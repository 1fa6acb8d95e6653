"""The result of LLVM's split of a coroutine: a function that starts it, and one that resumes it from a frame in memory.

LLVM names the values of the frame: `%index.addr` is the address of the state, `%x.reload` is the value of `%x` that is
read back. Only these names identify them, so the front end must keep value names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from .blocks import blocks, without_unreachable
from .text import replace_locals
from .types import byte_size

_READS_STATE = re.compile(r" = load [^\n]*%index\.addr")
_PLACE = re.compile(r"^  store i8 ([^,\n]+), ptr %coro\.(?:\d+|end)\.place\d*,", re.M)
_LOAD = re.compile(r"^  (%index\d*) = load (i\d+), ptr %index\.addr\d*[^\n]*\n", re.M)
_RELOAD = re.compile(r"^  (%[\w.$-]+) = load ([^\n]*?), ptr (%[\w.$-]+?)\.(?:reload|spill)\.addr\d*,[^\n]*\n", re.M)
_FRAME_ADDRESS = re.compile(
    r"^  (%[\w.$-]+) = getelementptr inbounds (?:nuw )?i8, ptr %coro\.(?:frame|memory), i64 (\d+)$", re.M
)
_ANY_LOAD = re.compile(r" = load (?:volatile )?([^\n]*?), ptr (%[\w.$-]+)")
_LOCAL = re.compile(r"%[\w.$-]+")
#: what defines an address, or loads or stores there; `rest` is what else the line may use
_ACCESS = re.compile(
    r"^  (?:%[\w.$-]+ = (?=getelementptr )|(?P<rest>\S+ = load [^\n,]*|store [^\n,]*), ptr %[\w.$-]+(?=[,\n]))", re.M
)
#: more bytes than a frame has
_UNKNOWN = 2**60
_ADDRESS = re.compile(r"^  %index\.addr\d* = getelementptr inbounds [^\n]*, i64 (\d+)$", re.M)
_SPILL = re.compile(r"^  store ([^,\n]+) (%[\w.$-]+), ptr (%[\w.$-]+\.spill\.addr\d*)[^\n]*\n", re.M)
_SWITCH = re.compile(r"^  switch (i\d+ %[\w.$-]+), [^\[]*\[(.*?)^  \]", re.M | re.S)
_CASE = re.compile(r"^    i\d+ (-?\d+|true|false), label (\S+)$", re.M)


class State(NamedTuple):
    """Where the frame says at which suspension a coroutine stands."""

    type: str
    offset: int  # in the frame
    load: str  # the line that reads it
    result: str  # the value that this line has
    stored: tuple[str, ...]  # what is written there: constants, or values that are chosen at run time
    distinguished: tuple[str, ...]  # the constants that the function that resumes tells apart

    @property
    def bits(self) -> int:
        """How many bits it has."""
        return int(self.type[1:])

    def number(self, value: str) -> int:
        """Return a constant as the number that stands in memory."""
        return {"true": 1, "false": 0}[value] if value in ("true", "false") else int(value) % 2**self.bits


def reads_state(resume: str) -> bool:
    """Return whether the function that resumes asks for the state: with a single suspension it does not."""
    return _READS_STATE.search(resume) is not None


def state(start: str, resume: str) -> State | None:
    """Return the state of a coroutine, read from its two functions; None if it does not look as expected."""
    load, address = _LOAD.search(resume), _ADDRESS.search(resume)
    if load is None or address is None:
        return None
    stored = re.compile(rf"^  store {load.group(2)} ([^,\n]+), ptr %index\.addr", re.M)
    values = tuple(dict.fromkeys(stored.findall(start) + stored.findall(resume)))
    switch = rf"^  switch {load.group(2)} {re.escape(load.group(1))}, [^\[]*\[(.*?)^  \]"
    cases = re.search(switch, resume, re.M | re.S)
    told = tuple(re.findall(rf"^    {load.group(2)} (-?\d+), label", cases.group(1), re.M)) if cases else ()
    return State(load.group(2), int(address.group(1)), load.group(0), load.group(1), values, told)


def states_by_place(start: str, resume: str, kept: State | None, ended: int) -> dict[int, str] | None:
    """Return which state a thread has at each of its places, if it tells both together wherever it waits.

    A place is what is stored to an address whose name says so (passes/suspensions.py); `ended` is none.
    None if LLVM has joined suspensions, or has doubled one.
    """
    found: dict[int, str] = {}
    for part in [*blocks(start).values(), *blocks(resume).values()]:
        text = "\n".join(part.lines)
        places = _PLACE.findall(text)
        states = (
            re.findall(rf"^  store {kept.type} ([^,\n]+), ptr %index\.addr", text, re.M) if kept else [""] * len(places)
        )
        if not places and not states:
            continue
        if len(places) != 1 or not places[0].isdigit():
            return None
        place = int(places[0])
        if place == ended:
            if kept and states:
                return None
            continue
        if len(states) != 1 or states[0].startswith("%") or found.setdefault(place, states[0]) != states[0]:
            return None
    return found if len(set(found.values())) == len(found) else None


def without_own_state(code: str) -> str:
    """Return the code of one of the two functions without what says in the frame how the thread goes on."""
    code = re.sub(r"^  store i\d+ [^%,\n]+, ptr %index\.addr[^\n]*\n", "", code, flags=re.M)
    return without_own_functions(re.sub(r"^  store ptr null, ptr %coro\.frame,[^\n]*\n", "", code, flags=re.M))


def without_own_functions(code: str) -> str:
    """Return the code of one of the two functions without the addresses, in the frame, of LLVM's own that go on."""
    return re.sub(r"^  store ptr @[^,\n]*\.(?:resume|destroy), ptr %[^\n]*\n", "", code, flags=re.M)


def without_spills(start: str, resumes: Collection[str], names: Collection[str]) -> str:
    """Return the function that starts without stores of those of its parameters that no frame is asked for.

    What reads the frame is known by the place in it: LLVM moves and joins loads, and gives them other names then.
    """
    stores = _spills(start, names)
    kept = _asked_for([start, *resumes], list(stores.values()))
    for spill in stores.values():
        if spill not in kept:
            start = start.replace(spill.line, "", 1)
    return start


class _Spill(NamedTuple):
    """The line that stores a parameter in the frame, and where."""

    line: str
    address: str
    offset: int
    size: int


def _spills(start: str, names: Collection[str]) -> dict[str, _Spill]:
    """Return where parameters are stored, by their names; without those of which that is not seen, or happens twice."""
    addresses = dict(_FRAME_ADDRESS.findall(start))
    found: dict[str, list[_Spill]] = {}
    for line in _SPILL.finditer(start):
        kind, name, address = line.groups()
        if name in names:
            offset, size = int(addresses.get(address, 0)), byte_size(kind) or 0
            found.setdefault(name, []).append(_Spill(line.group(), address, offset, size))
    return {name: lines[0] for name, lines in found.items() if len(lines) == 1 and lines[0].offset and lines[0].size}


def _asked_for(codes: Collection[str], spills: Collection[_Spill]) -> list[_Spill]:
    """Return what is read from the frame, or may be."""
    left = list(spills)
    for code in codes:
        addresses = {name: int(offset) for name, offset in _FRAME_ADDRESS.findall(code)}
        ranges = {
            (addresses[address], addresses[address] + (byte_size(kind) or _UNKNOWN))
            for kind, address in _ANY_LOAD.findall(code)
            if address in addresses
        }
        passed_on = {addresses[name] for name in _passed_on(code) if name in addresses}
        left = [
            spill
            for spill in left
            if not any(begin < spill.offset + spill.size and spill.offset < end for begin, end in ranges)
            and spill.offset not in passed_on
        ]
    return [spill for spill in spills if spill not in left]


def _passed_on(code: str) -> set[str]:
    """Return the values that are used in another way than to load or store where they point."""
    return set(_LOCAL.findall(_ACCESS.sub(lambda found: found.group("rest") or "", code)))


def at_state(code: str, kept: State, value: str) -> str:
    """Return the code of the function that resumes, with its braces, as it runs from one state on."""
    zero = "false" if kept.type == "i1" else "0"
    code = code.replace(kept.load, f"  {kept.result} = or {kept.type} {value}, {zero}\n", 1)
    chosen = f"{kept.type} {kept.result}"
    for switch in _SWITCH.finditer(code):
        target = dict(_CASE.findall(switch.group(2))).get(value)
        if switch.group(1) == chosen and target:
            return without_unreachable(f"{code[: switch.start()]}  br label {target}{code[switch.end() :]}")
    return code


def frame_layout(start: str, parameter: str) -> tuple[int, int] | None:
    """Return the bytes of a frame and its alignment, which the function that starts writes to where a parameter points.

    None if they are not seen.
    """
    size = re.search(rf"^  store i64 (\d+), ptr {re.escape(parameter)},", start, re.M)
    second = re.search(
        rf"^  (%[\w.$-]+) = getelementptr (?:inbounds )?(?:nuw )?i8, ptr {re.escape(parameter)}, i64 8$", start, re.M
    )
    align = second and re.search(rf"^  store i64 (\d+), ptr {re.escape(second.group(1))},", start, re.M)
    return (int(size.group(1)), int(align.group(1))) if size and align else None


def replace_reloads(code: str, kinds: Mapping[str, str]) -> str:
    """Return the code with values, whose types are given, in place of what is read back of them from the frame.

    A load of another type stays: LLVM also loads two neighbours in the frame as one vector.
    """
    values: dict[str, str] = {}

    def dropped(load: re.Match[str]) -> str:
        value, kind, name = load.groups()
        if kinds.get(name) != kind or f"{name}.reload" not in code:
            return load.group()
        values[value] = name
        return ""

    left = _RELOAD.sub(dropped, code)
    return replace_locals(left, values) if values else code
