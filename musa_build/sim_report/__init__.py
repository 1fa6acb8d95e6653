"""What the simulator's checks found in a run: read from the runtime's log, written as JSON or as an HTML page."""

from __future__ import annotations

from .log import Finding, Place, read_log
from .report import FORMATS, Run, headline, write

__all__ = ["FORMATS", "Finding", "Place", "Run", "headline", "read_log", "write"]
