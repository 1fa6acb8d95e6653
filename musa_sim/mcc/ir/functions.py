"""Definitions, declarations and calls of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property

from .text import GLOBAL, LOCAL, bare, closing, enclosed, global_names, leading_type, lines_with, split_list

#: Stands for "some function, whose name is not known" among the functions that are called.
INDIRECT = "*"

_HEAD = re.compile(rf"define [^\n]*?({GLOBAL})\(")
_DECLARATION = re.compile(rf"declare [^\n]*?({GLOBAL})\(")
_ALIAS = re.compile(rf"({GLOBAL}) = [^\n]*\balias ([^\n]*)")
_CALL = re.compile(rf"\b(?:call|invoke)\b[^@\n]*?({GLOBAL})\(")
_CALL_WORD = re.compile(r"\b(?:call|invoke)\b")
_CALL_WORDS = ("call ", "invoke ")
_RESULT_OF_CALL = re.compile(rf"  ({LOCAL}) = (?:tail |notail )?call ")
_INDIRECT_CALL = re.compile(rf"\b(?:call|invoke)\b[^@\n]*?[ *]{LOCAL}\(")


class Function:
    """One function's definition."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name  # bare
        self.text = text  # from `define` to the brace that ends it

    @cached_property
    def _opening(self) -> int:
        found = _HEAD.match(self.text)
        assert found, "functions() found it by that"
        return found.end() - 1

    @cached_property
    def _closing(self) -> int:
        return closing(self.text, self._opening)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters, each with its type, attributes and name."""
        return tuple(split_list(self.text[self._opening + 1 : self._closing]))

    @property
    def code(self) -> str:
        """The body, from the opening brace to the closing one and the end of its line."""
        return self.text[self.text.index("{\n", self._closing) :]

    @cached_property
    def calls(self) -> frozenset[str]:
        """The functions that are called; INDIRECT among them for a call through a pointer."""
        names: set[str] = set()
        for line in _call_lines(self.code):
            named = _CALL.match(line)
            if named:
                names.add(bare(named[1]))
            if _INDIRECT_CALL.match(line):
                names.add(INDIRECT)
        return frozenset(names)

    @cached_property
    def mentions(self) -> frozenset[str]:
        """All globals that are named, called or not."""
        return frozenset(map(bare, global_names(self.text)))

    def with_parameters(self, parameters: Sequence[str]) -> str:
        """Return the definition with another list of parameters."""
        return self.text[: self._opening + 1] + ", ".join(parameters) + self.text[self._closing :]


def _call_lines(code: str) -> Iterator[str]:
    """Yield the lines of a function's body that call something, from the word on.

    Quicker than a pattern, which looks at every line, where a module of a hundred megabytes has few calls.
    """
    for word in _CALL_WORDS:
        at = code.find(word)
        while at >= 0:
            if code[at - 1] == " ":  # not the end of a name, as in `%call = call ...`
                end = code.index("\n", at)
                yield code[at:end]
                at = code.find(word, end)
            else:
                at = code.find(word, at + 1)


def functions(ir: str) -> dict[str, Function]:
    """Return the functions that a module defines, by their bare names."""
    found: dict[str, Function] = {}
    for at in lines_with(ir, "define "):
        head = _HEAD.match(ir, at)
        if head:
            name = bare(head.group(1))
            found[name] = Function(name, ir[at : ir.index("\n}\n", at) + len("\n}\n")])
    return found


def replace_functions(ir: str, changed: Mapping[str, str]) -> str:
    """Return the module with another text for each of these functions, by their bare names."""
    if not changed:
        return ir
    parts: list[str] = []
    done = 0
    for name, function in functions(ir).items():
        if name in changed:
            at = ir.index(function.text, done)
            parts += [ir[done:at], changed[name]]
            done = at + len(function.text)
    return "".join([*parts, ir[done:]])


def call_edges(ir: str) -> dict[str, frozenset[str]]:
    """Return what every function of a module calls, by bare names; an alias calls what it stands for."""
    calls = {name: function.calls for name, function in functions(ir).items()}
    found = (_ALIAS.match(ir, at) for at in lines_with(ir, "@"))
    aliases = {bare(alias[1]): frozenset(map(bare, global_names(alias[2]))) for alias in found if alias}
    return {**calls, **aliases}


def reachable(start: str, edges: Mapping[str, Collection[str]]) -> set[str]:
    """Return all that can be reached from `start`; itself only if it is reached again."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for name in edges.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


# --- declarations


def _declaration_lines(ir: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and function of every line that declares one."""
    for at in lines_with(ir, "declare "):
        found = _DECLARATION.match(ir, at)
        if found:
            yield at, ir.index("\n", at) + 1, bare(found.group(1))


def declarations(ir: str) -> dict[str, str]:
    """Return the lines of the functions that a module only declares, by their bare names."""
    return {name: ir[start:end] for start, end, name in _declaration_lines(ir)}


def is_declared(ir: str, name: str) -> bool:
    """Return whether a module declares the function."""
    return any(name == other for _, _, other in _declaration_lines(ir))


def declare(ir: str, *lines: str) -> str:
    """Return the module with these declarations, less those of functions that it declares already."""
    known = declarations(ir)
    wanted = declarations("".join(f"{line}\n" for line in lines))
    return ir + "".join(line for name, line in wanted.items() if name not in known)


def replace_declarations(ir: str, change: Callable[[str, str], str]) -> str:
    """Return the module with `change(bare name, line)` for every line that declares a function."""
    parts: list[str] = []
    done = 0
    for start, end, name in _declaration_lines(ir):
        parts += [ir[done:start], change(name, ir[start:end])]
        done = end
    return "".join([*parts, ir[done:]])


def remove_declarations(ir: str, names: Collection[str]) -> str:
    """Return the module without the declarations of these functions."""
    return replace_declarations(ir, lambda name, line: "" if name in names else line)


def add_to_declarations(ir: str, names: Collection[str], attribute: str) -> str:
    """Return the module with an attribute on the declarations of these functions."""
    return replace_declarations(ir, lambda name, line: f"{line.rstrip()} {attribute}\n" if name in names else line)


# --- calls


def callee(line: str) -> str:
    """Return the bare name of the function that a line calls; empty if it calls none, or through a pointer."""
    found = _CALL.search(line)
    return bare(found.group(1)) if found else ""


def is_call_without_result(line: str) -> bool:
    """Return whether a line is a call that returns nothing."""
    return line.startswith(("  call void ", "  tail call void ", "  notail call void "))


def is_call_of(line: str, name: str) -> bool:
    """Return whether a line is a call of this function, which returns nothing and takes nothing."""
    return is_call_without_result(line) and callee(line) == name


def _call_positions(ir: str, name: str) -> Iterator[int]:
    """Yield where the name of a function stands in its calls; quick, as a module has few of all its calls."""
    reference = f"@{name}("
    at = ir.find(reference)
    while at >= 0:
        before = ir[ir.rfind("\n", 0, at) + 1 : at]
        if _CALL_WORD.search(before) and "@" not in before:
            yield at
        at = ir.find(reference, at + 1)


def arguments_of_calls(ir: str, name: str) -> list[list[str]]:
    """Return the arguments of every call of a function."""
    return [split_list(enclosed(ir, at + len(name) + 1)) for at in _call_positions(ir, name)]


def calls_of(ir: str, reference: str) -> Iterator[tuple[int, list[str]]]:
    """Yield where a function without a result is called, its name spelled with its sigil, and the arguments."""
    words = f" void {reference}("
    at = ir.find(words)
    while at >= 0:
        if ir.endswith(("call", "invoke"), 0, at):
            yield at, split_list(enclosed(ir, at + len(words) - 1))
        at = ir.find(words, at + 1)


def local_variable_type(ir: str, address: str, before: int) -> str:
    """Return the type of a variable of the function around a position in a module; empty if it is none."""
    words = f" {address} = alloca "
    made = ir.rfind(words, ir.rfind("\ndefine ", 0, before), before)
    return leading_type(ir[made + len(words) : ir.index("\n", made)]) if made >= 0 else ""


def redirect_calls(ir: str, name: str, new: str, when: Callable[[list[str]], bool] = lambda _: True) -> str:
    """Return the module with calls of `new` in place of those of `name` whose arguments pass `when`."""
    changes: list[str] = []
    done = 0
    for at in _call_positions(ir, name):
        if when(split_list(enclosed(ir, at + len(name) + 1))):
            changes += [ir[done:at], f"@{new}("]
            done = at + len(name) + 2
    return "".join([*changes, ir[done:]])


def replace_results(code: str, name: str, line: str) -> str:
    """Return the code with `line`, its `{}` the result, for every call of a function that takes nothing."""
    parts: list[str] = []
    done = 0
    for at in _call_positions(code, name):
        start, end = code.rfind("\n", 0, at) + 1, code.find("\n", at)
        found = _RESULT_OF_CALL.match(code, start)
        if found and code.startswith("()", at + 1 + len(name)):
            parts += [code[done:start], line.format(found[1])]
            done = end if end >= 0 else len(code)
    return "".join([*parts, code[done:]])


def rename_function(ir: str, name: str, new: str) -> str:
    """Return the module with another name for a function that it only declares."""
    return re.sub(rf"@{re.escape(name)}\b(?![.$])", f"@{new}", ir) if is_declared(ir, name) else ir


def make_internal(ir: str, prefix: str) -> str:
    """Return the module with its hidden functions whose names start with `prefix` as internal ones."""
    return re.sub(rf'^define hidden ([^\n]*@"?{re.escape(prefix)})', r"define internal \1", ir, flags=re.M)
