"""Report the findings of the simulator's checks: read the runtime's log, write JSON or an HTML page."""

from __future__ import annotations

from .log import Finding, SourceLocation, read_log
from .report import FORMATS, Run, headline, write

__all__ = ["FORMATS", "Finding", "Run", "SourceLocation", "headline", "read_log", "write"]
