"""Select the few lines of a compiler's or linker's output that show why it failed. This module is pure.

It reads the output of g++, clang (and so mcc) and GNU ld. An error in a template comes with hundreds of notes about
other people's files. The useful lines are the first error, its source line, and the user's line that caused it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

#: Output of up to this many lines is shown as it is.
SHORT = 16

_ERRORS_SHOWN = 3
_LINK_ERRORS_SHOWN = 5
_BODY = 4
_LONGEST_LINE = 400

_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_HEAD = re.compile(
    r"(?P<where>[^\s|][^|]*?: )?(?P<kind>fatal error|internal compiler error|error|Error|warning|note|remark): "
)
_LINK_ERROR = re.compile(
    r"(?:undefined reference to |undefined symbol: |multiple definition of |cannot find -l|relocation \S+ against )"
    r"[^;]*"
)
_SOURCE_LINE = re.compile(r"\s*\d* \|")
# g++ and ld print these before the error that they belong to.
_BEFORE = re.compile(
    r"In file included from |\s+from .+[:,]$|.+: (?:In|At) .+:$|.+:\s+(?:recursively )?required (?:from|by|for) "
    r"|.+:\s+\[ ?skipping |.+: in function \S.+:$"
)
_INSTANTIATION = re.compile(r"required from |requested here")
_SUMMARY = re.compile(
    r"\d+ (?:warnings?|errors?)\b.* generated|compilation terminated|collect2: error: ld returned"
    r"|\S+: error: linker command failed|cc1plus: (?:some|all) warnings being treated as errors"
)
# g++ names the header of a name that it does not know. Of these classes it knows the names alone, as clang does.
_NAMED_HEADER = re.compile(r"did you forget to .?#include (<\w+>)")
_INCOMPLETE = re.compile(
    r"(?:incomplete type|undefined template)\b.*\bstd::(?:__\w+::)?(?:basic_)?(\w+)"
    r"|\bstd::(?:__\w+::)?(?:basic_)?(\w+)\b.*\bincomplete type"
)
_HEADERS = {
    "ofstream": "<fstream>",
    "ifstream": "<fstream>",
    "fstream": "<fstream>",
    "stringstream": "<sstream>",
    "ostringstream": "<sstream>",
    "istringstream": "<sstream>",
    "stringbuf": "<sstream>",
    "array": "<array>",
    "tuple": "<tuple>",
}
_POSITION = re.compile(r"([^:]+:\d+)(?::\d+)?: $")
_PATH = re.compile(r"([^:]+):\d+")
_FOREIGN_PATH = re.compile(r"/(?:usr|opt|lib|lib64)/|.*/(?:site-packages|dist-packages|include)/")


@dataclass(frozen=True)
class _Diagnostic:
    """One message, with the lines that belong to it before and after."""

    kind: str
    head: str
    before: tuple[str, ...]
    body: list[str] = field(default_factory=list)

    @property
    def is_error(self) -> bool:
        return self.kind not in ("warning", "note", "remark")

    @property
    def key(self) -> str:
        """The text that identifies the message: the linker repeats a missing symbol for each use."""
        found = _LINK_ERROR.search(self.head) if self.kind == "link" else None
        return found[0] if found else self.head


def summarise(output: str, *, errors: int = _ERRORS_SHOWN, root: str = "") -> str:
    """Return the first `errors` errors in `output`, and the number of further messages.

    Each error comes with its source line and the lines of the user's files that caused it. The user's files have a
    relative path, are below `root`, or are at least outside folders of headers. Short output is returned
    unchanged. Output without a recognised error is shortened to its end.
    """
    lines = [_COLOUR.sub("", line).rstrip() for line in output.strip("\n").splitlines()]
    if len(lines) <= SHORT:
        return "\n".join(map(_shortened, lines))
    found = list(_diagnostics(lines))
    distinct = _distinct(_with_notes(found))
    if not distinct:
        return "\n".join([f"({len(lines) - SHORT} lines before)", *map(_shortened, lines[-SHORT:])])
    limit = _LINK_ERRORS_SHOWN if distinct[0][0].kind == "link" else errors
    blocks = [_block(group, root) for group in distinct[:limit]]
    shown = [line for block in blocks for line in block]
    more = _more(found, len(distinct) - len(blocks), shown)
    return "\n".join([*map(_shortened, shown), *([more] if more else [])])


def first_error(output: str) -> tuple[str, str]:
    """Return where the first error in `output` is, as `file:line`, and its text; "" for what it does not say."""
    lines = [_COLOUR.sub("", line).rstrip() for line in output.splitlines()]
    error = next((found for found in _diagnostics(lines) if found.is_error), None)
    if error is None:
        return "", ""
    if error.kind == "link":
        return "", _shortened(error.key.strip())
    head = _HEAD.match(error.head)
    at = _POSITION.match(head["where"] or "") if head else None
    return (at[1] if at else ""), _shortened(error.head[head.end() :] if head else error.head)


def missing_header(output: str) -> str:
    """Return the header of the standard library that a source uses and does not include, "" if none is known."""
    lines = [line for line in (_COLOUR.sub("", each) for each in output.splitlines()) if not _SOURCE_LINE.match(line)]
    for line in lines:
        named, incomplete = _NAMED_HEADER.search(line), _INCOMPLETE.search(line)
        if named:
            return named[1]
        if incomplete and (incomplete[1] or incomplete[2]) in _HEADERS:
            return _HEADERS[incomplete[1] or incomplete[2]]
    return ""


def _diagnostics(lines: Sequence[str]) -> Iterator[_Diagnostic]:
    before: list[str] = []
    current = None
    for line in lines:
        head, link = _HEAD.match(line), _LINK_ERROR.search(line)
        if _SUMMARY.match(line):
            current = None
        elif head or (link and not _SOURCE_LINE.match(line)):
            current = _Diagnostic(head["kind"] if head else "link", line, tuple(before))
            before = []
            yield current
        elif _BEFORE.match(line) or (before and _SOURCE_LINE.match(line)):
            before.append(line)
        elif current:
            current.body.append(line)


def _with_notes(found: Sequence[_Diagnostic]) -> Iterator[list[_Diagnostic]]:
    """Yield each error with the notes after it."""
    group: list[_Diagnostic] = []
    for diagnostic in found:
        if diagnostic.kind == "note" and group:
            group.append(diagnostic)
            continue
        if group:
            yield group
        group = [diagnostic] if diagnostic.is_error else []
    if group:
        yield group


def _distinct(groups: Iterable[list[_Diagnostic]]) -> list[list[_Diagnostic]]:
    first: dict[str, list[_Diagnostic]] = {}
    for group in groups:
        first.setdefault(group[0].key, group)
    return list(first.values())


def _block(group: Sequence[_Diagnostic], root: str) -> list[str]:
    """Return the lines to show for an error: the user's lines that caused it, the error, its source, one note."""
    error, notes = group[0], group[1:]
    if error.kind == "link":
        return [*error.before[-1:], error.head]
    before = [line for line in error.before if _INSTANTIATION.search(line) and _is_in_users_file(line, root)]
    steps = [note for note in notes if _INSTANTIATION.search(note.head) and _is_in_users_file(note.head, root)]
    others = [note for note in notes if not _INSTANTIATION.search(note.head)]
    lines = [*before[-2:], error.head, *error.body[:_BODY]]
    for step in steps[-2:]:
        lines += [step.head, *step.body[:2]]
    return [*lines, *(note.head for note in others[:1])]


def _is_in_users_file(line: str, root: str) -> bool:
    found = _PATH.match(line)
    path = found[1] if found else ""
    if not path.startswith("/"):
        return True
    if "/site-packages/" not in path and root and path.startswith(f"{root.rstrip('/')}/"):
        return True
    return not _FOREIGN_PATH.match(path)


def _more(found: Sequence[_Diagnostic], errors: int, shown: Sequence[str]) -> str:
    """Return the line that counts the messages that are not shown."""
    kinds = [diagnostic.kind for diagnostic in found]
    notes = kinds.count("note") - sum(": note: " in line for line in shown)
    counts = {"more error": errors, "warning": kinds.count("warning"), "note": notes}
    parts = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count > 0]
    return f"and {', '.join(parts)}" if parts else ""


def _shortened(line: str) -> str:
    """Return the two ends of a long line: names of template instances may have thousands of letters."""
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE - 100]} ... {line[-95:]}"
