"""The table of instructions (tables/ptx-instructions.txt), read when a text holds inline PTX."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple, Optional

from .ptx_syntax import Address, Instruction, Pair, PtxOperand, Scalar, Vector, scalars

_FILE = Path(__file__).parents[1] / "tables" / "ptx-instructions.txt"
_COLUMNS = re.compile(r"\s{2,}")


class OperandRule(NamedTuple):
    """An operand of an instruction in the table: `shape` is one of "a", "[a]", "{a}", "d|p", "_".

    `parts` is "part" if a selector may choose a part of the register, "lanes" if selectors choose lanes.
    """

    name: str
    shape: str
    type: str
    space: str
    parts: str = ""
    may_be_negative: bool = False

    @property
    def is_written(self) -> bool:
        """Whether it is a destination."""
        return self.name in ("d", "p") and self.shape != "[a]"

    def fits(self, operand: PtxOperand, predicates: Collection[str]) -> bool:
        """Return whether `operand` has this shape; only a register among `predicates` is a predicate."""
        shapes = {"a": Scalar, "[a]": Address, "{a}": Vector, "d|p": Pair, "_": object}
        if not all(map(self._takes_modifiers_of, scalars(operand))):
            return False
        if self.shape == "a" and isinstance(operand, Scalar) and self.type not in ("t", "~t"):
            return operand.text == "_" or (operand.text in predicates) == (self.type == "pred")
        return isinstance(operand, shapes[self.shape])

    def _takes_modifiers_of(self, operand: Scalar) -> bool:
        if self.shape == "_" or self.parts == "lanes":
            return True
        if operand.minus and not self.may_be_negative:
            return False
        is_one_part = re.fullmatch("b[0-3]|h[01]", operand.selector) is not None
        if self.parts == "part" and self.is_written:
            return is_one_part
        return not operand.selector or (self.parts == "part" and is_one_part)


class Match(NamedTuple):
    """An instruction that the table knows. `parts` are the named parts of its name."""

    operands: tuple[OperandRule, ...]
    parts: Mapping[str, str]
    cxx: str


class SpecialRegister(NamedTuple):
    """The C++ counterpart of a register such as %laneid."""

    type: str
    cxx: str


class InstructionRule(NamedTuple):
    """A `line` of the table: a pattern, operands, and C++."""

    line: str
    name: re.Pattern[str]
    operands: tuple[OperandRule, ...]
    cxx: str


class Table:
    """The rules of one file. A rule's pattern is compiled when its opcode is first looked up."""

    def __init__(self, text: str) -> None:
        self._sections: Final = dict(_sections(text))
        self._sets: Final = dict(map(_pair, self._sections["sets"]))
        self._compiled: dict[str, list[InstructionRule]] = {}

    @cached_property
    def registers(self) -> Mapping[str, SpecialRegister]:
        """Special register, without its %, -> its C++ counterpart."""
        rows = (_columns(line) for line in self._sections["registers"])
        return {name: SpecialRegister(type_, cxx) for name, type_, cxx in rows}

    def needed(self, instruction: str) -> str:
        """Return the table's text on what porting `instruction` needs; an empty one if the table does not name it."""
        names = [name for name in self._not_ported if instruction == name or instruction.startswith(f"{name}.")]
        return self._not_ported[max(names, key=len)] if names else ""

    @cached_property
    def _not_ported(self) -> Mapping[str, str]:
        return dict(map(_pair, self._sections["not ported"]))

    @property
    def rules(self) -> tuple[InstructionRule, ...]:
        """All rules; a rule for several opcodes is repeated for each."""
        return tuple(row for opcode in self._lines for row in self._rules(opcode))

    def find(self, instruction: Instruction, predicates: Collection[str] = ()) -> Optional[Match]:
        """Return the match for `instruction`, None if there is none. `predicates` are predicate registers."""
        row = self.rule_of(instruction, predicates)
        match = row.name.fullmatch(_in_order(instruction.name)) if row else None
        if row is None or match is None:
            return None
        return Match(row.operands, {key: value or "" for key, value in match.groupdict().items()}, row.cxx)

    def rule_of(self, instruction: Instruction, predicates: Collection[str] = ()) -> Optional[InstructionRule]:
        """Return the first row that `instruction` fits."""
        for row in self._rules(re.split(r"\W", instruction.name, maxsplit=1)[0]):
            if len(row.operands) == len(instruction.operands) and row.name.fullmatch(_in_order(instruction.name)):
                pairs = zip(row.operands, instruction.operands)
                if all(rule.fits(operand, predicates) for rule, operand in pairs):
                    return row
        return None

    @cached_property
    def _lines(self) -> Mapping[str, list[str]]:
        lines: dict[str, list[str]] = {}
        for line in self._sections["instructions"]:
            for opcode in _opcodes(line):
                lines.setdefault(opcode, []).append(line)
        return lines

    def _rules(self, opcode: str) -> list[InstructionRule]:
        if opcode not in self._compiled:
            self._compiled[opcode] = [self._rule(line) for line in self._lines.get(opcode, ())]
        return self._compiled[opcode]

    def _rule(self, line: str) -> InstructionRule:
        name, operands, cxx = _COLUMNS.split(line) if "    " not in line else [*_cut(line)]
        for key, value in self._sets.items():
            name = re.sub(rf"\${key}\b", lambda _, value=value: value, name)
        return InstructionRule(line, _pattern(name), tuple(map(_operand_rule, operands.split())), cxx)


def table() -> Table:
    """Read the table that comes with musa_build."""
    return Table(_FILE.read_text(encoding="utf-8"))


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            lines = []
            yield line.strip("[]"), lines
        elif line and not line.startswith("#"):
            lines.append(line)


def _columns(line: str) -> list[str]:
    return _COLUMNS.split(line)


def _pair(line: str) -> tuple[str, str]:
    name, value = _columns(line)
    return name, value


def _opcodes(line: str) -> list[str]:
    """Return the opcodes of an instruction: `add`; `vadd2` and `vadd4` of `vadd{lanes:2|4}`."""
    head = re.match(r"(?:\w|\{\w+:[\w|]+\})+", line)
    assert head is not None
    choices = [part.split("|") for part in re.split(r"\{\w+:([\w|]+)\}", head[0])]
    return list(map("".join, product(*choices)))


def _cut(line: str) -> Iterator[str]:
    """Yield the columns of a line whose second one is empty."""
    name, _, cxx = line.partition("    ")
    yield from (name, "", cxx)


# Modifiers that inline_ptx/cxx.py looks up by these names.
_FLAGS = frozenset({"ftz", "sat", "volatile", "nc"})
_MEMORY_ORDER = {
    **dict.fromkeys(("volatile", "mmio", "relaxed", "acquire", "release", "acq_rel"), 0),
    **dict.fromkeys(("cta", "cluster", "gpu", "sys"), 1),
    **dict.fromkeys(("global", "shared", "shared::cta"), 2),
}
_FENCE_ORDER = dict.fromkeys(("sc", "acq_rel", "acquire", "release"), 0)
#: Opcode -> the rank of its modifiers; those without one come last, in the order given.
_RANKS = {**dict.fromkeys(("ld", "st", "atom", "red"), _MEMORY_ORDER), "vote": {"sync": 0}, "fence": _FENCE_ORDER}
_LAST = 3
_HINT_FIRST = re.compile(r"\.(ca|cg|cs|lu|cv|L1::\w+)\.nc\b")
_LIMIT_LAST = re.compile(r"(mma\.[\w.]+\.col)(\.s32[\w.]+)\.satfinite\Z")


def _in_order(name: str) -> str:
    """Return the name of an instruction with its parts in the table's order. ptxas takes others, too."""
    name = _HINT_FIRST.sub(r".nc.\1", _LIMIT_LAST.sub(r"\1.satfinite\2", name))
    opcode, *modifiers = name.split(".")
    ranks = _RANKS.get(opcode)
    return ".".join((opcode, *sorted(modifiers, key=lambda each: ranks.get(each, _LAST)))) if ranks else name


_PART = re.compile(r"\.?(?P<open>[{\[])(?:(?P<name>\w+):(?!:))?(?P<choice>[^}\]]+)[}\]]|(?P<literal>\.?\w+(?:::\w+)?)")


def _pattern(name: str) -> re.Pattern[str]:
    """Compile the first column of a row."""
    pieces = []
    for part in _PART.finditer(name):
        if part["literal"]:
            pieces.append(re.escape(part["literal"]))
            continue
        key = part["name"] or (part["choice"] if part["choice"] in _FLAGS else "")
        choice = "|".join(map(re.escape, part["choice"].split("|")))
        dot = r"\." if part["open"] == "[" or part[0].startswith(".") else ""
        group = rf"{dot}(?P<{key}>{choice})" if key else rf"{dot}(?:{choice})"
        pieces.append(group if part["open"] == "{" else f"(?:{group})?")
    return re.compile("".join(pieces))


_OPERAND = re.compile(
    r"(?P<open>[\[{]?)(?P<name>\w+)(?P<pair>\|\w+)?(?:@(?P<space>\w+))?[\]}]?"
    r"(?::(?P<minus>-?)(?P<type>~?\w+)(?:\.(?P<parts>part|lanes))?)?\Z"
)


def _operand_rule(text: str) -> OperandRule:
    match = _OPERAND.match(text)
    if match is None:
        raise ValueError(f"no operand of a PTX instruction: {text}")
    shape = (
        "_" if match["name"] == "_" else "d|p" if match["pair"] else {"": "a", "[": "[a]", "{": "{a}"}[match["open"]]
    )
    return OperandRule(
        match["name"], shape, match["type"] or "t", match["space"] or "", match["parts"] or "", bool(match["minus"])
    )
