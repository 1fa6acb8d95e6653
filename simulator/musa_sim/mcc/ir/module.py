"""Modules: the parts at their top level, in order.

A module is parsed once, when it comes from clang. Passes make new modules of it, which share the unchanged parts and
the facts read from these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from .function import Declaration, Function
from .pieces import Alias, AttributeGroup, Piece, Variable, attribute_group
from .text import GLOBAL, bare, global_name, global_names, lazy, replace_names

_MEMORY = re.compile(r"\bmemory\([^)]*\) ?")
_TABLE = "@llvm.global.annotations = "
_ROW = re.compile(rf"\{{ ptr ({GLOBAL}), ptr ({GLOBAL}), ptr {GLOBAL}, i32 \d+, ptr ({GLOBAL}|null) \}}")
_NUMBER = re.compile(r"\{[^\n}]*\} \{ i\d+ (\d+)")
# The value of a template's argument. LLVM writes objects of classes but cannot read them, and the address of a host
# variable would be an undefined reference of the device's image.
_ARGUMENT = "!DITemplateValueParameter("
_OBJECT_OR_ADDRESS = re.compile(
    r"^(![0-9]+ = (?:distinct )?!DITemplateValueParameter\(.*, value: )(?:[%<{]|ptr ).*\)$", re.MULTILINE
)
if TYPE_CHECKING:
    from .instructions import Instruction
    from .metadata import Node

#: The starts of the lines that may follow metadata, in a module that has additions behind it.
_AFTER_METADATA = ("\ndefine ", "\ndeclare ", "\n@", "\nattributes ", "\n%", "\n;", "\n\n")

_Piece = TypeVar("_Piece", bound=Piece)


class Annotation(NamedTuple):
    """`__attribute__((annotate("text", number)))` of one function."""

    function: str  # bare name
    text: str
    number: int | None  # the first argument, if it is one


class Module:
    """A module of LLVM's IR."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = tuple(pieces)

    @classmethod
    def parse(cls, text: str) -> Module:
        """Read a module. Debug info loses the values of templates' arguments that are objects or addresses."""
        return cls(_pieces(_OBJECT_OR_ADDRESS.sub(r"\1i8 undef)", text) if _ARGUMENT in text else text))

    @lazy
    def text(self) -> str:
        """The module as LLVM reads it."""
        return "".join([piece.text for piece in self.pieces])

    def _all(self, kind: type[_Piece]) -> list[_Piece]:
        return [piece for piece in self.pieces if type(piece) is kind]

    # --- what it has

    @lazy
    def functions(self) -> dict[str, Function]:
        """The functions that it defines, by their bare names."""
        return {function.name: function for function in self._all(Function)}

    @lazy
    def declarations(self) -> dict[str, Declaration]:
        """The functions that it only declares, by their bare names."""
        return {declaration.name: declaration for declaration in self._all(Declaration)}

    @lazy
    def variables(self) -> dict[str, Variable]:
        """The variables and constants, by their bare names."""
        return {bare(variable.name): variable for variable in self._all(Variable)}

    @lazy
    def shared_variables(self) -> dict[str, str]:
        """The types of its static `__shared__` variables, by their bare names."""
        thread_local = {name: each for name, each in self.variables.items() if each.is_thread_local}
        return {name: each.type for name, each in thread_local.items() if each.is_defined and each.kind == "global"}

    @lazy
    def strings(self) -> dict[str, str]:
        """The texts of the string constants, with their escapes, by their names with sigils."""
        texts = ((variable.name, variable.string) for variable in self._all(Variable))
        return {name: text[:-3] for name, text in texts if text is not None and text.endswith("\\00")}

    @lazy
    def types(self) -> dict[str, str]:
        """The named types, by their names with sigils."""
        lines = (piece.text.partition(" = type ") for piece in self.pieces if piece.text.startswith("%"))
        return {name: kind.rstrip("\n") for name, _, kind in lines}

    @property
    def only_types(self) -> Module:
        """A module with only the lines that decide the sizes of its types."""
        kept = [piece for piece in self.pieces if piece.text.startswith(("target ", "%"))]
        return Module(sorted(kept, key=lambda piece: piece.text.startswith("%")))

    @lazy
    def edges(self) -> dict[str, frozenset[str]]:
        """The functions that every function calls, by bare names; an alias calls its target."""
        calls = {name: function.calls for name, function in self.functions.items()}
        for alias in self._all(Alias):
            name, *others = alias.names
            calls[name] = frozenset(others)
        return calls

    @lazy
    def _callers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, called in self.edges.items():
            for callee in called:
                found.setdefault(callee, set()).add(name)
        return found

    def reaching(self, name: str) -> set[str]:
        """Return all functions from which one can be reached; itself only if it is recursive."""
        return reachable(name, self._callers)

    def reached(self, name: str) -> set[str]:
        """Return all functions that can be reached from one; itself only if it is recursive."""
        return reachable(name, self.edges)

    @lazy
    def size(self) -> int:
        """How many characters it has."""
        return len(self.text)

    def has(self, words: Collection[str]) -> bool:
        """Return whether one of these words is in the code of a function: ATOMIC, FENCES and the like."""
        return any(function.has(words) for function in self.functions.values())

    @property
    def may_synchronise(self) -> bool:
        """Whether anything in it is volatile, atomic or a fence."""
        return any(function.may_synchronise for function in self.functions.values())

    def functions_with(self, attribute: str) -> frozenset[str]:
        """Return the bare names of the functions, declared or defined, that have an attribute."""
        groups = {group.name for group in self._all(AttributeGroup) if attribute in group.attributes}
        both = (*self.declarations.values(), *self.functions.values())
        return frozenset(function.name for function in both if function.has_attribute(attribute, groups))

    def mentions(self, name: str) -> bool:
        """Return whether anything names a global, besides its own definition or declaration."""
        word = global_name(name)
        known = f"{word} = "
        return any(word in piece.text and word in global_names(piece.text.removeprefix(known)) for piece in self.pieces)

    @property
    def annotations(self) -> list[Annotation]:
        """The annotations of its functions."""
        table = next((piece.text for piece in self.pieces if piece.text.startswith(_TABLE)), "")
        return [
            Annotation(bare(function), self.strings[text], self._number(arguments))
            for function, text, arguments in _ROW.findall(table)
            if text in self.strings
        ]

    def _number(self, arguments: str) -> int | None:
        variable = self.variables.get(bare(arguments))
        found = _NUMBER.match(variable.rest) if variable else None
        return int(found[1]) if found else None

    def callers_of(self, name: str) -> list[Function]:
        """Return the functions that call a function."""
        return [function for function in self.functions.values() if function.calls_of(name)]

    def calls_of(self, name: str) -> list[Instruction]:
        """Return the calls of a function."""
        return [item for function in self.functions.values() for item in function.calls_of(name)]

    @lazy
    def debug_nodes(self) -> dict[str, Node]:
        """The nodes of its debug info, by their names: `!7`."""
        from .metadata import debug_nodes  # only checked builds ask for it

        return debug_nodes("".join(piece.text for piece in self.pieces if piece.text.startswith("!")))

    # --- modules that are made of it

    def change(self, kind: type[_Piece], change: Callable[[_Piece], Piece | None]) -> Module:
        """Return the module with `change(piece)` in place of each piece of a kind; None drops it."""
        changed = (change(piece) if type(piece) is kind else piece for piece in self.pieces)
        return Module(piece for piece in changed if piece is not None)

    def change_all(self, change: Callable[[Piece], Piece]) -> Module:
        """Return the module with `change(piece)` in place of each piece."""
        return Module(map(change, self.pieces))

    def change_functions(self, changed: Mapping[str, Function | None]) -> Module:
        """Return the module with others in place of these functions, by their bare names; None drops one."""
        return self.change(Function, lambda function: changed.get(function.name, function)) if changed else self

    def redefine(self, text: str) -> Module:
        """Return the module with another definition of a function."""
        new = parse_piece(text)
        assert isinstance(new, Function), text
        return self.change_functions({new.name: new})

    def append(self, pieces: Iterable[Piece]) -> Module:
        """Return the module with these pieces at its end."""
        return Module((*self.pieces, *pieces))

    def add(self, *texts: str) -> Module:
        """Return the module with these texts at its end."""
        return self.append(piece for text in texts for piece in _pieces(text))

    def insert_after(self, piece: Piece, text: str) -> Module:
        """Return the module with a text behind one of its pieces."""
        at = self.pieces.index(piece) + 1
        return Module((*self.pieces[:at], *_pieces(text), *self.pieces[at:]))

    def add_variable(self, text: str) -> Module:
        """Return the module with one more variable, before the others."""
        return self.insert_after(next(piece for piece in self.pieces if piece.text.startswith("target triple")), text)

    def declare(self, *lines: str) -> Module:
        """Return the module with these declarations too; those that it has already are not repeated."""
        wanted = {new.name: new for new in (Declaration(f"{line}\n") for line in lines)}
        return self.append(new for name, new in wanted.items() if name not in self.declarations)

    def without_declarations(self, names: Collection[str]) -> Module:
        """Return the module without the declarations of these functions."""
        return self.change(Declaration, lambda line: None if line.name in names else line)

    def without_annotations(self) -> Module:
        """Return the module without the table of annotations, which keeps every annotated function alive."""
        return Module(piece for piece in self.pieces if not piece.text.startswith(_TABLE))

    def rename(self, name: str, new: str) -> Module:
        """Return the module with another name for a function that it only declares."""
        return self.replace_globals({global_name(name): global_name(new)}) if name in self.declarations else self

    def replace_globals(self, names: Mapping[str, str]) -> Module:
        """Return the module with other names in place of these, sigils included, wherever they occur."""
        return Module(
            parse_piece(replace_names(piece.text, names)) if any(word in piece.text for word in names) else piece
            for piece in self.pieces
        )

    def change_variable(self, name: str, change: Callable[[Variable], Variable]) -> Module:
        """Return the module with one variable replaced, by its bare name."""
        return self.change(Variable, lambda variable: change(variable) if bare(variable.name) == name else variable)

    def keeping_as(self, other: Module) -> Module:
        """Return the module with another one's list of the variables that LLVM must keep although nothing uses them."""
        kept = "llvm.compiler.used"
        return self.change(Variable, lambda each: other.variables.get(kept) if bare(each.name) == kept else each)

    def replace_words(self, words: Mapping[str, str]) -> Module:
        """Return the module with these words replaced, wherever they are."""

        def replaced(piece: Piece) -> Piece:
            text = piece.text
            for old, new in words.items():
                text = text.replace(old, new)
            return piece if text is piece.text else parse_piece(text)

        return Module(map(replaced, self.pieces))

    def forget_memory(self, names: Collection[str]) -> Module:
        """Return the module without memory attributes at these functions and at their calls."""
        groups = [group for group in self._all(AttributeGroup) if _MEMORY.search(group.attributes)]
        if not groups:
            return self
        first = 1 + max(int(group.name[1:]) for group in self._all(AttributeGroup))
        others = {group.name: f"#{first + at}" for at, group in enumerate(groups)}
        changed = {
            name: function.with_groups(names, others)
            for name, function in self.functions.items()
            if name in names or not function.calls.isdisjoint(names)
        }
        # a group must not be empty
        added = (
            attribute_group(others[group.name], _MEMORY.sub("", group.attributes).strip() or "nounwind")
            for group in groups
        )
        return self.change_functions(changed).append(added) if changed else self

    def with_target_cpu(self, cpu: str) -> Module:
        """Return the module with another CPU at all functions that name one; unchanged if the CPU has an empty name."""
        if not cpu:
            return self

        def retargeted(group: AttributeGroup) -> AttributeGroup:
            words = group.attributes.split(" ")
            new = [f'"target-cpu"="{cpu}"' if word.startswith('"target-cpu"=') else word for word in words]
            return attribute_group(group.name, " ".join(new)) if new != words else group

        return self.change(AttributeGroup, retargeted)

    def add_to_groups(self, attribute: str) -> Module:
        """Return the module with an attribute in every group."""
        return self.change(AttributeGroup, lambda each: attribute_group(each.name, f"{attribute} {each.attributes}"))

    def remove_from_groups(self, mark: str, others: Collection[str]) -> Module:
        """Return the module without the mark, and without these other attributes in groups that had the mark.

        A group must not be empty: if it has nothing else, it keeps the mark.
        """

        def without(group: AttributeGroup) -> AttributeGroup:
            words = group.attributes.split(" ")
            kept = [word for word in words if word != mark and word not in others]
            return attribute_group(group.name, " ".join(kept or [mark])) if mark in words else group

        return self.change(AttributeGroup, without)

    def add_to_functions(self, names: Collection[str], attribute: str) -> Module:
        """Return the module with an attribute on the definitions of these functions."""
        chosen = {
            name: function.with_attribute(attribute) for name, function in self.functions.items() if name in names
        }
        return self.change_functions(chosen)

    def add_to_declarations(self, names: Collection[str], attribute: str) -> Module:
        """Return the module with an attribute on the declarations of these functions."""
        return self.change(
            Declaration, lambda line: Declaration(f"{line.head.rstrip()} {attribute}\n") if line.name in names else line
        )


def reachable(start: str, edges: Mapping[str, Collection[str]]) -> set[str]:
    """Return all names that can be reached from `start`; itself only if it is reached again."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for name in edges.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


def parse_piece(text: str) -> Piece:
    """Read one piece of a module, the end of its last line included."""
    if text.startswith("define "):
        brace = text.find("{\n")
        return Function(text[:brace], text[brace:]) if brace >= 0 else Piece(text)
    if text.startswith("declare "):
        return Declaration(text)
    if text.startswith("@"):
        if Variable.is_one(text):
            return Variable(text)
        return Alias(text) if " alias " in text else Piece(text)
    return AttributeGroup(text) if text.startswith("attributes #") else Piece(text)


def _pieces(text: str) -> Iterator[Piece]:
    at = 0
    while at < len(text):
        if text.startswith("define ", at):
            end = text.find("\n}\n", at)
            end = end + 3 if end >= 0 else len(text)
        elif text.startswith("!", at):
            ends = [end + 1 for word in _AFTER_METADATA if (end := text.find(word, at)) >= 0]
            end = min(ends, default=len(text))
        else:
            end = text.find("\n", at) + 1 or len(text)
        yield parse_piece(text[at:end])
        at = end
