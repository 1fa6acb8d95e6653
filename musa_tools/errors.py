"""The exceptions of musa_tools."""

from __future__ import annotations


class ToolError(Exception):
    """A mistake that the user can repair; the message says what, where and how."""


class PrecisionError(Exception):
    """A tool that was asked to stop at the first bad result has found one."""
