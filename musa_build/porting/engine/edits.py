"""Records of porting one file: edits and findings."""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .finding_codes import Effort


# `Edit.rule` of the edits that no rule of a table asks for. For guards and older C++ it is the finding's code too.
NAME_PATTERN, INCLUDE, OLDER_CXX, INLINE_PTX = "name-pattern", "include", "older-cxx", "inline-ptx"
ARCH_GUARD, VERSION_GUARD, GCC_GUARD = "arch-guard", "version-guard", "gcc-guard"
SELF_DEFINE, LAUNCH, PRAGMA = "self-define", "launch", "pragma"


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
