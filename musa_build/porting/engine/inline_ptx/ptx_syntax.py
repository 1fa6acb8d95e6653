"""The PTX in the template of an asm statement: instructions, declarations of registers, blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Union

from .types import Unportable


class Scalar(NamedTuple):
    """A register, an operand (%0), a number or a special register.

    `negated` is the ! before a predicate, `minus` the - before a register, `selector` the parts of a register that a
    video instruction takes or writes: `h1` of `%0.h1`.
    """

    text: str
    negated: bool = False
    minus: bool = False
    selector: str = ""


class Vector(NamedTuple):
    """`{a, b}`."""

    parts: tuple[Scalar, ...]


class Address(NamedTuple):
    """`[base + offset]`."""

    base: Scalar
    offset: int


class Pair(NamedTuple):
    """`d|p`, two destinations."""

    first: Scalar
    second: Scalar


PtxOperand = Union[Scalar, Vector, Address, Pair]


def scalars(operand: PtxOperand) -> tuple[Scalar, ...]:
    """Return the registers and numbers in `operand`."""
    if isinstance(operand, Vector):
        return operand.parts
    if isinstance(operand, Address):
        return (operand.base,)
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand,)


class Instruction(NamedTuple):
    """One instruction. `guard` is the predicate before it (`@p`, `@!p`), which is empty for most."""

    name: str
    operands: tuple[PtxOperand, ...]
    guard: Scalar = Scalar("")


class Registers(NamedTuple):
    """`.reg .type names;`."""

    type: str
    names: tuple[str, ...]


class Brace(NamedTuple):
    """The beginning or the end of a block."""

    opens: bool


Item = Union[Instruction, Registers, Brace]

_COMMENT = re.compile(r"//[^\n]*|/\*[\s\S]*?\*/")
_LABEL = re.compile(r"\s*[%$]?[A-Za-z_$][\w$%=]*\s*:(?!:)")
_INSTRUCTION = re.compile(r"(?:@(?P<guard>!?\s*[%\w$]+)\s+)?(?P<name>[a-z]\w*(?:\.[\w:]+)*)(?P<operands>[\s\S]*)\Z")
_REGISTERS = re.compile(r"\.reg\s*(?:\.align\s+\d+\s*)?\.(?P<type>\w+)\s+(?P<names>[\s\S]+)\Z")
_RANGE = re.compile(r"([%\w$]+)<(\d+)>\Z")
_SCALAR = re.compile(
    r"(!?)\s*(?:(-)\s*(?=[%A-Za-z_$]))?"
    r"(%?%?[A-Za-z_$][\w$.]*?|%\d+|%\[\w+\]|-?\s*(?:0[fFdDxXbB][0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)U?)"
    r"(?:\.([bh][0-7]{1,4}))?\Z"
)
_ADDRESS = re.compile(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\s*\w+)\s*)?\]\Z")
_BRANCHES = frozenset({"bra", "brx", "call", "ret"})


def parse(template: str) -> Iterator[Item]:
    """Yield the instructions and blocks in `template`, in order.

    Raises:
        Unportable: It holds a branch or a label, or something that is not an instruction.
    """
    for statement in _statements(_COMMENT.sub(" ", template)):
        if statement in "{}":
            yield Brace(statement == "{")
        elif statement.startswith(".reg"):
            yield _registers(statement)
        else:
            yield _instruction(statement)


def _statements(text: str) -> Iterator[str]:
    """Yield statements without semicolons, and the braces of blocks. Other braces are those of vectors."""
    start = 0
    for match in re.finditer(r"[;{}]", text):
        before = text[start : match.start()].strip()
        if match[0] == ";":
            if before:
                yield before
            start = match.end()
        elif not before:
            yield match[0]
            start = match.end()
    rest = text[start:].strip()
    if rest:
        yield rest


def _registers(statement: str) -> Registers:
    match = _REGISTERS.match(statement)
    if match is None:
        raise Unportable(statement)
    names: list[str] = []
    for name in match["names"].split(","):
        several = _RANGE.match(name.strip())
        if several:
            names += (f"{several[1]}{i}" for i in range(int(several[2])))
        else:
            names.append(name.strip())
    return Registers(match["type"], tuple(map(_plain, names)))


def _instruction(statement: str) -> Instruction:
    if _LABEL.match(statement):
        raise Unportable("a label")
    match = _INSTRUCTION.match(statement)
    if match is None:
        raise Unportable(" ".join(statement.split())[:60])
    name = match["name"]
    if name.partition(".")[0] in _BRANCHES:
        raise Unportable(name)
    guard = match["guard"]
    scalar = Scalar("")
    if guard:
        scalar = Scalar(_plain(guard.lstrip("! ")), guard.startswith("!"))
    return Instruction(name, tuple(_operand(text, name) for text in _split(match["operands"])), scalar)


def _split(text: str) -> Iterator[str]:
    """Yield the operands in `text`, which commas outside of brackets separate."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    if text[start:].strip():
        yield text[start:].strip()


def _operand(text: str, instruction: str) -> PtxOperand:
    if text.startswith("{") and text.endswith("}"):
        parts = tuple(_scalar(part.strip(), instruction) for part in text[1:-1].split(","))
        return Vector(parts) if len(parts) > 1 else parts[0]
    address = _ADDRESS.match(text)
    if address:
        offset = (address[2] or "0").replace(" ", "")
        try:
            return Address(_scalar(address[1], instruction), int(offset, 0))
        except ValueError:
            raise Unportable(instruction) from None
    if "|" in text:
        first, _, second = text.partition("|")
        return Pair(_scalar(first.strip(), instruction), _scalar(second.strip(), instruction))
    return _scalar(text, instruction)


def _scalar(text: str, instruction: str) -> Scalar:
    match = _SCALAR.match(text)
    if match is None:
        raise Unportable(instruction)
    return Scalar(_plain(match[3]), bool(match[1]), bool(match[2]), match[4] or "")


def _plain(name: str) -> str:
    """Return `name` as PTX sees it: %0 stays, %%r1 and %r1 are one register."""
    name = name.replace(" ", "")
    return name[1:] if name.startswith("%%") else name
