"""The output of a function that prints."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any, Callable


def printed(function: Callable[[], Any]) -> str:
    """Run a function and return what it prints."""
    text = io.StringIO()
    with redirect_stdout(text):
        function()
    return text.getvalue()
