"""Translate the inline PTX of one text to C++, and report the outcome for each statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional

from ..edits import INLINE_PTX, Edit, edits_in
from ..identifiers import IdentifierIndex
from ..scanner import scan
from .cxx import Ported, ported
from .macros import Macros
from .statements import AsmStatement, asm_statements
from .table import Table, table
from .types import Unportable

if TYPE_CHECKING:
    from ..scanner import Layout
    from .statements import Operand

# CUDA's functions for addresses with 32 bits, and those of musa_ptx.h.
ADDRESS_FUNCTIONS = {
    "__cvta_generic_to_shared": "musa_ptx::generic_to_shared",
    "__cvta_shared_to_generic": "musa_ptx::shared_to_generic",
    "__cvta_generic_to_global": "musa_ptx::generic_to_global",
    "__cvta_global_to_generic": "musa_ptx::global_to_generic",
}

# The headers of families, which include musa_ptx.h, and what their functions are called.
_FAMILIES = {
    "musa_ptx_half.h": re.compile(r"musa_ptx::b?f16"),
    "musa_ptx_small.h": re.compile(r"musa_ptx::small::"),
    "musa_ptx_matrix.h": re.compile(r"musa_ptx::matrix::"),
}
#: musa_ptx.h includes the second.
HEADERS = ("musa_ptx.h", "musa_ptx_mbarrier.h", *_FAMILIES)


def headers_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the headers that C++ with functions of musa_ptx needs."""
    joined = "\n".join(texts)
    return tuple(header for header, names in _FAMILIES.items() if names.search(joined)) or HEADERS[:1]


class Outcome(NamedTuple):
    """The outcome for the asm statement at `offset`: the ported instructions, or the reason why it was left."""

    offset: int
    instructions: tuple[str, ...] = ()
    reason: str = ""


class Rewrite(NamedTuple):
    """The edits of a text, with those inside asm statements replaced, and the outcomes."""

    edits: tuple[Edit, ...]
    outcomes: tuple[Outcome, ...]


def rewrite(text: str, layout: Layout, index: IdentifierIndex, edits: Iterable[Edit]) -> Rewrite:
    """Port the asm statements of `text`. `edits` are porting's other edits, which also apply to operands."""
    others = sorted(edits)
    addresses = list(_of_address_functions(index, layout, others))
    both = sorted((*others, *addresses))
    replaced: set[Edit] = set()
    made: list[Edit] = []
    outcomes: list[Outcome] = []
    problems: list[Outcome] = []
    rules: Optional[Table] = None
    for statement in asm_statements(text, layout):
        if statement.is_compiler_barrier:
            continue
        rules = rules or table()
        around = edits_in(both, statement.start, statement.end)
        inside = [edit for edit in around if statement.start <= edit.start and edit.end <= statement.end]
        try:
            made_of_it = _ported(statement, text, inside, rules)
        except Unportable as problem:
            needed = rules.needed(problem.reason)
            reason = f"{problem.reason} ({needed})" if needed else problem.reason
            problems.append(Outcome(statement.start, reason=reason))
            continue
        replaced.update(inside)
        made.append(Edit(statement.start, statement.end, _indented(made_of_it.cxx, text, statement), INLINE_PTX))
        outcomes.append(Outcome(statement.start, made_of_it.instructions))
    for use, of_use in _in_uses_of_macros(layout, both, problems) if problems else ():
        replaced.update(edits_in(both, use.start, use.end))
        made.append(use)
        outcomes += of_use
    outcomes += problems
    outcomes.sort()
    made += (edit for edit in addresses if edit not in replaced)
    made += _includes(text, layout, made)
    kept = (edit for edit in others if edit not in replaced)
    return Rewrite(tuple(sorted((*kept, *made))), tuple(outcomes))


def _ported(statement: AsmStatement, text: str, inside: list[Edit], rules: Table) -> Ported:
    if statement.alternatives:
        return _with_conditions(statement, text, inside, rules)
    spans = [(operand.start, operand.end) for operand in statement.operands]
    if any(not any(start <= edit.start and edit.end <= end for start, end in spans) for edit in inside):
        raise Unportable("a template that another rule changes")

    def expression(operand: Operand) -> str:
        return _edited(text, operand.start, operand.end, inside)

    return ported(statement, expression, rules)


def _in_uses_of_macros(
    layout: Layout, edits: list[Edit], problems: list[Outcome]
) -> Iterator[tuple[Edit, tuple[Outcome, ...]]]:
    """Port the asm statements that a macro makes of its arguments where the macro is used.

    Removes the problem of a statement that is ported in all uses, of which there is one at least.
    """
    macros = Macros(layout)
    names = {outcome: name for outcome in problems if (name := macros.around(outcome.offset))}
    if not names:
        return
    ported_names: set[str] = set()
    code = layout.without_comments
    for use in macros.uses(set(names.values()), lambda start, end: _edited(code, start, end, edits)):
        inner = rewrite(use.expanded, scan(use.expanded), IdentifierIndex(use.expanded.encode("latin-1")), ())
        edits_inside = [edit for edit in inner.edits if edit.start != edit.end]  # the others are #includes
        new = _edited(use.expanded, 0, len(use.expanded), edits_inside)
        ported_names |= use.macros
        yield (
            Edit(use.start, use.end, new, INLINE_PTX),
            tuple(outcome._replace(offset=use.start) for outcome in inner.outcomes),
        )
    problems[:] = [outcome for outcome in problems if names.get(outcome) not in ported_names]


def _edited(text: str, start: int, end: int, edits: list[Edit]) -> str:
    pieces, position = [], start
    for edit in sorted(edits):
        if start <= edit.start and edit.end <= end:
            pieces += [text[position : edit.start], edit.replacement]
            position = edit.end
    return "".join(pieces) + text[position:end]


def _with_conditions(statement: AsmStatement, text: str, inside: list[Edit], rules: Table) -> Ported:
    """Port each branch of the conditions inside a statement: the directives then stand around whole statements."""
    lines = ["do {"]
    instructions: list[str] = []
    for branch in statement.alternatives:
        of_branch = [edit for edit in inside if branch.text[edit.start : edit.end] == text[edit.start : edit.end]]
        made = _ported(branch.statement, branch.text, of_branch, rules)
        lines += [_edited(text, branch.start, branch.end, inside).strip() or "#else", f"{made.cxx};"]
        instructions += made.instructions
    return Ported("\n".join([*lines, "#endif", "} while (0)"]), tuple(instructions))


def _indented(cxx: str, text: str, statement: AsmStatement) -> str:
    start = text.rfind("\n", 0, statement.start) + 1
    line = text[start : statement.start]
    return cxx.replace("\n", "\n" + line[: len(line) - len(line.lstrip(" \t"))])


def _of_address_functions(index: IdentifierIndex, layout: Layout, others: list[Edit]) -> Iterator[Edit]:
    taken = {edit.start for edit in others}
    for name, new in ADDRESS_FUNCTIONS.items():
        for start in index.offsets(name):
            end = start + len(name)
            if start not in taken and layout.is_plain_code(start, end):
                yield Edit(start, end, new, INLINE_PTX)


def _includes(text: str, layout: Layout, made: list[Edit]) -> Iterator[Edit]:
    """Yield the #include of the functions that the edits call."""
    calls = [edit for edit in made if "musa_ptx::" in edit.replacement]
    if not calls:
        return
    offset = _after_includes(text, layout, min(edit.start for edit in calls))
    newline = "\r\n" if "\r\n" in text else "\n"
    missing = [
        header
        for header in headers_of(edit.replacement for edit in calls)
        if not re.search(rf"^[ \t]*#[ \t]*include[ \t]*<{header}>", text, re.MULTILINE)
    ]
    if missing:
        before = newline if offset and text[offset - 1] != "\n" else ""
        lines = "".join(f"#include <{header}>{newline}" for header in missing)
        yield Edit(offset, offset, f"{before}{lines}", INLINE_PTX)


_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|endif|define|include|pragma)\b[ \t]*(.*)$", re.MULTILINE)


def _after_includes(text: str, layout: Layout, first: int) -> int:
    """Return the offset of the line after the last unconditional #include before `first`.

    Without one: after the beginning of an include guard, or `#pragma once`, or 0.
    """
    depth, guard, found = 0, "", 0
    for directive in _DIRECTIVE.finditer(text, 0, first):
        if not layout.begins_in_code(directive.start(1)) and not layout.begins_in_code(
            text.find("#", directive.start())
        ):
            continue
        name, rest = directive[1], directive[2].strip()
        line_end = text.find("\n", directive.end()) + 1 or len(text)
        if name == "ifndef" and not found and not guard and depth == 0:
            guard = rest
        elif name == "define" and guard and rest.split(None, 1)[:1] == [guard.split(None, 1)[0]] and not found:
            found = line_end
        elif name.startswith("if"):
            depth += 1
        elif name == "endif":
            depth -= 1
        elif (name == "include" and depth <= 0) or (name == "pragma" and rest.startswith("once") and not found):
            found = line_end
    return found
