"""Global variables, constants and named types of a module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .text import GLOBAL, NAME_ENDS, bare, global_name, leading_type, lines_with, split_list, string, without_quoted

_VARIABLE = re.compile(rf"({GLOBAL}) = ([^\n]*?)\b(global|constant) ([^\n]*)")
_STRING = re.compile(rf'^({GLOBAL}) = [^\n]*constant \[\d+ x i8\] c"([^"]*)\\00"', re.M)
_INTEGER = re.compile(rf"^({GLOBAL}) = [^\n]*constant i64 (\d+)", re.M)
_TYPE_DEFINITION = re.compile(r"^%[^\n]* = type [^\n]*$", re.M)
_TARGET = re.compile(r"^target [^\n]*$", re.M)
_SECTION = re.compile(r'section "([^"]*)"')
_ALIGN = re.compile(r", align \d+")
_DECLARED = ("external ", "extern_weak ")  # what another module defines; the address of a weak one may be null


class Variable(NamedTuple):
    """One global variable or constant, as a line of the module has it."""

    name: str  # with its sigil
    linkage: str  # the words before `global` or `constant`
    kind: str  # one of the two
    rest: str  # type, initial value if there is one, attributes
    text: str  # the whole line

    @property
    def is_defined(self) -> bool:
        """Whether the module has it, and not only its name."""
        return not self.linkage.startswith(_DECLARED)

    @property
    def has_memory(self) -> bool:
        """Whether the module makes room for it. LLVM makes none for the texts of annotations."""
        is_elsewhere = self.linkage.startswith((*_DECLARED, "available_externally ", "appending "))
        return not is_elsewhere and self.section != "llvm.metadata"

    @property
    def is_thread_local(self) -> bool:
        """Whether every thread of the operating system has its own: what `__shared__` becomes."""
        return "thread_local" in self.linkage

    @property
    def type(self) -> str:
        """Its type."""
        return leading_type(self.rest)

    @property
    def value(self) -> str:
        """Its initial value; empty without one."""
        parts = self._parts()
        return parts[0] if self.is_defined and parts else ""

    @property
    def attributes(self) -> list[str]:
        """What follows the initial value: `align 8`, `section "name"`, `comdat`."""
        return self._parts()[1:] if self.is_defined else self._parts()

    @property
    def section(self) -> str:
        """The section that it is put into; empty if it has no choice of its own."""
        return next((found[1] for part in self.attributes if (found := _SECTION.fullmatch(part))), "")

    @property
    def align(self) -> str:
        """`, align 8`, as a definition ends with it; empty if it has none."""
        found = _ALIGN.search(self.rest)
        return found.group(0) if found else ""

    @property
    def before_section(self) -> str:
        """Type and initial value, all that comes before the section."""
        return self.rest[: self._section_at] if self.section else self.rest

    @property
    def after_section(self) -> str:
        """What comes after the section."""
        return self.rest[self._section_at + len(f', section "{self.section}"') :] if self.section else ""

    @property
    def _section_at(self) -> int:
        """Where `, section "..."` stands; an initial value may have the same words in a string."""
        return without_quoted(self.rest).index(", section ")

    def _parts(self) -> list[str]:
        return split_list(self.rest[len(self.type) :].lstrip(" ,"))


def _lines(ir: str) -> Iterator[re.Match[str]]:
    """Yield the lines of the variables and constants."""
    for at in lines_with(ir, "@"):
        found = _VARIABLE.match(ir, at)
        if found:
            yield found


def _variable(found: re.Match[str]) -> Variable:
    return Variable(found[1], found[2], found[3], found[4], found[0])


def variables(ir: str) -> list[Variable]:
    """Return the variables and constants of a module in order."""
    return [_variable(found) for found in _lines(ir)]


def replace_variables(ir: str, change: Callable[[Variable], str]) -> str:
    """Return the module with the line `change(variable)` for each variable's."""
    parts: list[str] = []
    done = 0
    for found in _lines(ir):
        parts += [ir[done : found.start()], change(_variable(found))]
        done = found.end()
    return "".join([*parts, ir[done:]])


def has_variable(ir: str, name: str) -> bool:
    """Return whether the module defines or declares a variable of this bare name."""
    return f"{global_name(name)} = " in ir


def add_variable(ir: str, line: str) -> str:
    """Return the module with one more variable, before the others."""
    at = ir.index("\n", ir.index("target triple")) + 1
    return f"{ir[:at]}{line}\n{ir[at:]}"


def make_constants_writable(ir: str) -> str:
    """Return the module with those of its constants as variables that something else gives a value at run time."""
    return re.sub(r"^(@[^\n]*\bexternally_initialized) constant ", r"\1 global ", ir, flags=re.M)


def initialized_elsewhere(ir: str) -> tuple[str, ...]:
    """Return the bare names of the variables that something else may give a value at run time."""
    return tuple(bare(each.name) for each in variables(ir) if "externally_initialized" in each.linkage.split())


def unsized_thread_local_arrays(ir: str) -> list[str]:
    """Return the bare names of `extern thread_local T name[]`."""
    return [bare(each.name) for each in variables(ir) if _is_unsized_thread_local(each)]


def _is_unsized_thread_local(variable: Variable) -> bool:
    return variable.is_thread_local and not variable.is_defined and variable.type.startswith("[0 x ")


def is_used(ir: str, name: str) -> bool:
    """Return whether anything in the module names a variable, other than the line that makes it known."""
    return re.search(rf"{re.escape(global_name(name))}{NAME_ENDS}(?! = )", ir) is not None


# --- strings and numbers


def strings(ir: str) -> dict[str, str]:
    """Return the texts of a module's string constants, escapes as they stand, by their names with sigils."""
    return dict(_STRING.findall(ir))


def string_constant(name: str, text: str) -> str:
    """Spell a string, whose characters are bytes, as a private constant with a zero at its end."""
    data = text.encode("latin-1") + b"\0"
    literal = string(data[:-1])[:-1] + '\\00"'
    return f"{name} = private unnamed_addr constant [{len(data)} x i8] {literal}\n"


def replace_string(ir: str, text: str, data: bytes) -> tuple[str, int]:
    """Put bytes in the place of a text, with or without a zero at its end: (module, how many places there were)."""
    place = re.compile(rf'\[\d+ x i8\] c"{re.escape(text)}(?:\\00)?"')
    literal = f"[{len(data)} x i8] {string(data)}"
    return place.subn(lambda _: literal, ir)


def integers(ir: str) -> dict[str, int]:
    """Return the values of the constants of type i64, by their bare names."""
    return {bare(name): int(value) for name, value in _INTEGER.findall(ir)}


# --- what a module says of types


def target_and_types(ir: str) -> str:
    """Return the lines that decide how many bytes the types of a module have."""
    head = ir.partition("\ndefine ")[0]  # functions come last
    return "".join(f"{line}\n" for line in [*_TARGET.findall(head), *_TYPE_DEFINITION.findall(head)])


def knows_type(ir: str, kind: str) -> bool:
    """Return whether a module can use a type: one that needs no name, or one that it defines."""
    return not kind.startswith("%") or f"\n{kind} = type " in ir
