"""Records of porting one file: edits and findings; and where a text to replace occurs in it."""

from __future__ import annotations

import enum
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .finding_codes import Effort


# `Edit.rule` of the edits that no rule of a table asks for. For guards and older C++ it is the finding's code too.
NAME_PATTERN, INCLUDE, OLDER_CXX, INLINE_PTX = "name-pattern", "include", "older-cxx", "inline-ptx"
ARCH_GUARD, VERSION_GUARD, GCC_GUARD = "arch-guard", "version-guard", "gcc-guard"
SELF_DEFINE, LAUNCH, PRAGMA, ATTRIBUTE, TYPENAME = "self-define", "launch", "pragma", "attribute", "typename"
RELAXED_CONSTEXPR = "relaxed-constexpr"


class Edit(NamedTuple):
    """Replace `text[start:end]` by `replacement`; `rule` names the rule behind the edit.

    (A tuple, as there are many: a frozen dataclass takes three times as long to create.)
    """

    start: int
    end: int
    replacement: str
    rule: str


def edits_in(edits: Sequence[Edit], start: int, end: int) -> Sequence[Edit]:
    """Return the edits of a part of `text[start:end]`. The `edits` are sorted and do not overlap."""
    first, last = bisect_left(edits, (start,)), bisect_left(edits, (end,))
    return edits[first - (first > 0 and edits[first - 1].end > start) : last]


# A byte of a UTF-8 identifier counts as part of the identifier, so that a rule never cuts one in two.
IDENTIFIER = re.compile(r"[0-9A-Za-z_\x80-\xff]+")
IN_IDENTIFIER = frozenset(chr(code) for code in range(256) if IDENTIFIER.match(chr(code)))


def occurrences(text: str, find: str) -> Iterator[int]:
    """Yield the offsets of `find` in `text`, at identifier borders wherever its own edge is part of an identifier.

    So `cu` is not found in `Accumulate`, but `.cuh` is found in `a.cuh`. Occurrences do not overlap.
    """
    length = len(find)
    starts_inside, ends_inside = find[0] in IN_IDENTIFIER, find[-1] in IN_IDENTIFIER
    start = text.find(find)
    while start >= 0:
        end = start + length
        cut = (starts_inside and start and text[start - 1] in IN_IDENTIFIER) or (
            ends_inside and end < len(text) and text[end] in IN_IDENTIFIER
        )
        if not cut:
            yield start
        start = text.find(find, start + 1 if cut else end)


class Severity(enum.Enum):
    """How much a finding matters: a NOTE informs, a WARNING probably needs a person."""

    NOTE = "note"
    WARNING = "warning"


class Remark(NamedTuple):
    """Something at `offset` of a text that a person should see. `code` is a key of finding_codes.KINDS."""

    offset: int
    code: str
    severity: Severity
    message: str


class Finding(NamedTuple):
    """Something in `path` (relative to the source root) that porting could not do, or did and reports.

    `line` counts from 1; 0 means the whole file or tree. `code` is stable; `musa-build explain` explains it.
    """

    code: str
    severity: Severity
    path: str
    line: int
    message: str

    @property
    def effort(self) -> Effort:
        """The work that findings of this kind probably take."""
        from .finding_codes import effort_of  # only reports need this table: porting does not load it

        return effort_of(self.code)

    def __str__(self) -> str:
        location = f"{self.path}:{self.line}" if self.line else self.path
        return f"{location}: {self.severity.value}: {self.message} [{self.code}]"
