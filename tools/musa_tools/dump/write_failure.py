"""Errors of a dump: a call that cannot be described, or a file that cannot be written, costs one warning."""

from __future__ import annotations

import threading
import warnings
from typing import Any, Callable

from musa_tools.errors import PrecisionError
from musa_tools.observe.process import unobserved


class OneWarning:
    """Runs the actions of a dump: an error costs one warning, and leaves the call out."""

    def __init__(self) -> None:
        self._given = False

    def run(self, call: str, action: Callable[..., Any], *args: Any) -> Any:
        """Run an action with the tool's own operators hidden; return its result, or None after an error.

        Args:
            call: The call's name, for the warning.
            action: The action.
            args: Its arguments.
        """
        try:
            with unobserved():
                return action(*args)
        except PrecisionError:  # the user has asked for it
            raise
        except Exception as error:
            if not self._given:
                self._given = True
                text = str(error).strip().partition("\n")[0].rstrip(".")
                warnings.warn(
                    f"cannot dump {call}: {type(error).__name__}: {text}. The run goes on, and so does the dump, "
                    "without this call",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return None


class WriteFailure:
    """Remembers whether writing has failed; after the first failure nothing is written any more.

    Args:
        dump: The name of the dump, for the warning.
    """

    def __init__(self, dump: str) -> None:
        self._dump = dump
        self._lock = threading.Lock()
        self.happened = False

    def report(self, error: OSError) -> None:
        """Warn, once."""
        with self._lock:
            if self.happened:
                return
            self.happened = True
        words = error.strerror or str(error).rstrip(".")
        warnings.warn(
            f"cannot write {self._dump}: {words}. The run goes on, but nothing more is dumped. "
            "Choose another folder, or make room.",
            RuntimeWarning,
            stacklevel=3,
        )

    def guarded(self, action: Callable[..., Any], *args: Any) -> None:
        """Run an action that writes, unless writing has failed before."""
        if self.happened:
            return
        try:
            action(*args)
        except OSError as error:
            self.report(error)
