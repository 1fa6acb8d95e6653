"""The top level of a module, without its functions: variables, aliases, groups of attributes."""

from __future__ import annotations

import re

from .text import GLOBAL, bare, global_names, lazy, leading_type, split_list, string

_VARIABLE = re.compile(rf"({GLOBAL}) = ([^\n]*?)\b(global|constant) ([^\n]*)")
_STRING = re.compile(r'\[\d+ x i8\] c"([^"]*)"')
_SECTION = re.compile(r'section "([^"]*)"')
_DECLARED = ("external ", "extern_weak ")  # defined in another module; the address of a weak one may be null


class Piece:
    """A line of a module, its metadata, or a function."""

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def text(self) -> str:
        """Its text, the end of the last line included."""
        return self._text


class Alias(Piece):
    """Another name of a function or a variable."""

    @property
    def names(self) -> list[str]:
        """Its bare name, and those of its targets."""
        return list(map(bare, global_names(self.text)))


class AttributeGroup(Piece):
    """Attributes that functions and calls refer to: `attributes #0 = { nounwind }`."""

    @lazy
    def name(self) -> str:
        """Its name: `#0`."""
        return self.text.split(" ", 2)[1]

    @lazy
    def attributes(self) -> str:
        """The text between its braces, stripped."""
        return self.text[self.text.index("{") + 1 : self.text.rindex("}")].strip()


def attribute_group(name: str, attributes: str) -> AttributeGroup:
    """Write a group of attributes."""
    return AttributeGroup(f"attributes {name} = {{ {attributes} }}\n")


class Variable(Piece):
    """One global variable or constant."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = _VARIABLE.match(text)
        assert found, text
        self.name = found[1]  # with its sigil
        self.linkage = found[2]  # the words before the kind, and a space
        self.kind = found[3]  # `global` or `constant`
        self.rest = found[4]  # type, initial value if there is one, attributes

    @staticmethod
    def is_one(text: str) -> bool:
        """Return whether a line is that of a variable."""
        return _VARIABLE.match(text) is not None

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
    def is_initialized_elsewhere(self) -> bool:
        """Whether something outside the module may give it a value at run time."""
        return "externally_initialized" in self.linkage.split()

    @lazy
    def type(self) -> str:
        """Its type."""
        return leading_type(self.rest)

    @lazy
    def _list(self) -> list[str]:
        return split_list(self.rest[len(self.type) :].lstrip(" ,"))

    @property
    def value(self) -> str:
        """Its initial value; empty without one."""
        return self._list[0] if self.is_defined and self._list else ""

    @property
    def attributes(self) -> list[str]:
        """The text after the initial value: `align 8`, `section "name"`, `comdat`."""
        return self._list[1:] if self.is_defined else self._list

    @property
    def section(self) -> str:
        """The section that its text names; empty if there is none."""
        if "section" not in self.rest:
            return ""
        return next((found[1] for part in self.attributes if (found := _SECTION.fullmatch(part))), "")

    @property
    def typed_value(self) -> str:
        """The type, and the initial value if there is one."""
        return f"{self.type} {self.value}".rstrip()

    @property
    def string(self) -> str | None:
        """The bytes of a constant, as they are spelled; None for one of another kind."""
        found = _STRING.match(self.rest) if self.kind == "constant" else None
        return found[1] if found else None

    def replace(
        self, *, linkage: str | None = None, kind: str = "", value: str = "", attributes: list[str]
    ) -> Variable:
        """Return the variable with another linkage, kind, type and value, and with these attributes."""
        words = f"{self.linkage if linkage is None else linkage}{kind or self.kind} {value or self.typed_value}"
        return Variable(f"{self.name} = {', '.join([words, *attributes])}\n")


def string_constant(name: str, text: str) -> str:
    """Spell a string, whose characters are bytes, as a private constant with a zero at its end."""
    data = text.encode("latin-1") + b"\0"
    literal = string(data[:-1])[:-1] + '\\00"'
    return f"{name} = private unnamed_addr constant [{len(data)} x i8] {literal}\n"
