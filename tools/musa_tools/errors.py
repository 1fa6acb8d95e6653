"""The exceptions of musa_tools."""

from __future__ import annotations


class ToolError(Exception):
    """A mistake that the user can repair; the message says what, where and how."""


class PrecisionError(Exception):
    """The first bad result, from a tool that was asked to stop there."""
