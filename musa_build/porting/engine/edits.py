"""Records of what porting does to a file: an edit, a finding; and the one function that applies edits."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .finding_codes import Effort


class Edit(NamedTuple):
    """Replace `text[start:end]` by `replacement`; `rule` says which rule asked for it.

    (A tuple, as there are many: a frozen dataclass costs three times as much to make.)
    """

    start: int
    end: int
    replacement: str
    rule: str


class Severity(enum.Enum):
    """How much a finding matters: a NOTE informs, a WARNING probably needs a person."""

    NOTE = "note"
    WARNING = "warning"


class Finding(NamedTuple):
    """Something in `path` (relative to the source root) that porting could not do, or did and wants seen.

    `line` counts from 1; 0 means the whole file or tree. `code` is stable; docs/porting-findings.md explains it.
    """

    code: str
    severity: Severity
    path: str
    line: int
    message: str

    @property
    def effort(self) -> Effort:
        """What it probably takes to deal with findings of this kind."""
        from .finding_codes import effort_of  # a table for readers of reports: porting loads none of it

        return effort_of(self.code)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.severity.value}: {self.message} [{self.code}]"


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits` made. Edits must not overlap; their order does not matter."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position:
            raise ValueError(f"edits overlap at offset {edit.start}")
        pieces += (text[position : edit.start], edit.replacement)
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)
