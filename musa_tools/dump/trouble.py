"""What cannot be written costs one warning, not the run."""

from __future__ import annotations

import threading
import warnings
from typing import Any, Callable


class Trouble:
    """Remembers whether writing has failed; after the first failure nothing is written any more.

    Args:
        what: What is written, for the warning.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self.happened = False

    def report(self, error: OSError) -> None:
        """Warn, once."""
        with self._lock:
            if self.happened:
                return
            self.happened = True
        warnings.warn(
            f"cannot write {self._what}: {error.strerror or error}. The run goes on, but nothing more is dumped. "
            "Choose another folder, or make room.",
            RuntimeWarning,
            stacklevel=3,
        )

    def guarded(self, action: Callable[..., Any], *args: Any) -> None:
        """Do something that writes, unless writing has failed before."""
        if self.happened:
            return
        try:
            action(*args)
        except OSError as error:
            self.report(error)
