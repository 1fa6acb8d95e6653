"""The errors of mcc. mcc prints each as one line, in clang's form; the SDK's own commands print it as a block."""

from __future__ import annotations


class DriverError(Exception):
    """The command line, the machine or the input is at fault; printed as `mcc: error: ...`, exit status 1.

    The parts after `what` may be absent: what was found, what was wanted, and a hint that says what to do.
    """

    def __init__(self, what: str, *, found: str = "", wanted: str = "", hint: str = "") -> None:
        self.what = what
        self.parts = tuple((k, text) for k, text in (("found", found), ("wanted", wanted), ("hint", hint)) if text)
        super().__init__("; ".join([what, *(f"{label}: {text}" for label, text in self.parts)]))


class CompileFailed(Exception):
    """A compiler pass failed. `diagnostics` is its whole text, which is printed unchanged."""

    def __init__(self, diagnostics: str, status: int = 1) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics
        self.status = status


class InternalError(Exception):
    """The IR does not look as this driver expects. Never guess: say so and stop."""
