"""The exceptions of musa_tools."""

from __future__ import annotations


class ToolError(Exception):
    """A mistake that the user can repair: what went wrong, what was found, what was wanted, and a hint what to do.

    `str(error)` joins the parts to one line. Commands show a line for each (terminal.py).
    """

    def __init__(self, what: str, *, found: str = "", wanted: str = "", hint: str = "") -> None:
        self.what = what
        labels = (("found", found), ("wanted", wanted), ("hint", hint))
        self.parts = tuple((label, text) for label, text in labels if text)
        super().__init__("; ".join([what, *(f"{label}: {text}" for label, text in self.parts)]))


class PrecisionError(Exception):
    """The first bad result, from a tool that was asked to stop there."""
