"""The result of LLVM's split of a coroutine: a function that starts it, and one that resumes it from a frame in memory.

LLVM names the values of the frame: `%index.addr` is the address of the state, `%x.reload` is the value of `%x` that is
read back. Only these names identify them, so the front end must keep value names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .text import NAME_ENDS

_READS_STATE = re.compile(r" = load [^\n]*%index\.addr")
_LOAD = re.compile(r"^  (%index\d*) = load (i\d+), ptr %index\.addr\d*[^\n]*\n", re.M)
_ADDRESS = re.compile(r"^  %index\.addr\d* = getelementptr inbounds [^\n]*, i64 (\d+)$", re.M)


@dataclass(frozen=True)
class State:
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
    cases = re.search(rf"^  switch {load.group(2)} {re.escape(load.group(1))}, [^\[]*\[(.*?)^  \]", resume, re.M | re.S)
    told = tuple(re.findall(rf"^    {load.group(2)} (-?\d+), label", cases.group(1), re.M)) if cases else ()
    return State(load.group(2), int(address.group(1)), load.group(0), load.group(1), values, told)


def frame_size(start: str, size_parameter: str) -> int | None:
    """Return the bytes of a frame, which the function that starts writes to a parameter; None if it is not seen."""
    found = re.search(rf"^  store i64 (\d+), ptr {re.escape(size_parameter)},", start, re.M)
    return int(found.group(1)) if found else None


def replace_reloads(code: str, name: str, kind: str) -> str:
    """Return the code with `name`, a value of type `kind`, in place of what is read back of it from the frame.

    A load of another type stays: LLVM also loads two neighbours in the frame as one vector.
    """
    address = rf"ptr {re.escape(name)}\.reload\.addr\d*"
    reload = re.compile(rf"^  (%[\w.$-]+) = load {re.escape(kind)}, {address},[^\n]*\n", re.M)
    for value in reload.findall(code):
        code = re.sub(rf"^  {re.escape(value)} = load [^\n]*\n", "", code, count=1, flags=re.M)
        code = re.sub(rf"{re.escape(value)}{NAME_ENDS}", name, code)
    return code
