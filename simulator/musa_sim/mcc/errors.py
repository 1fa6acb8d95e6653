"""The errors of mcc. Each is printed as one line, in clang's form."""

from __future__ import annotations


class DriverError(Exception):
    """The command line, the machine or the input is at fault; printed as `mcc: error: ...`, exit status 1."""


class CompileFailed(Exception):
    """A compiler pass failed. `diagnostics` is its whole text, which is printed unchanged."""

    def __init__(self, diagnostics: str, status: int = 1) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics
        self.status = status


class InternalError(Exception):
    """The IR does not look as this driver expects. Never guess: say so and stop."""
