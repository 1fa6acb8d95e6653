"""The activity of a tool: it sees operators only if it is enabled, on this rank, in this step."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from musa_tools.observe.op_mode import OpMode, attach, detach, leave_if_idle
from musa_tools.observe.process import rank


@dataclass(eq=False)
class _Entry:
    """The blocks that a thread has entered. It belongs to the thread itself: a later one may get its identifier."""

    depth: int = 0
    mode: Optional[OpMode] = None


@dataclass(frozen=True)
class Schedule:
    """The steps and ranks that a user selected."""

    enabled: bool = True
    ranks: Optional[tuple[int, ...]] = None
    start: Optional[int] = None
    end: Optional[int] = None

    @classmethod
    def of(cls, enabled: bool, ranks: Optional[Iterable[int]], start: Optional[int], end: Optional[int]) -> Schedule:
        """Return the schedule, if the user's values are valid."""
        if start is not None and end is not None and end < start:
            raise ValueError(f"end_step ({end}) is before start_step ({start}): no step would be active")
        return cls(enabled, None if ranks is None else tuple(ranks), start, end)

    def includes(self, step: int) -> bool:
        """Return whether a tool is active in a step, on this rank."""
        if not self.enabled or (self.ranks is not None and (rank() or 0) not in self.ranks):
            return False
        return (self.start is None or step >= self.start) and (self.end is None or step < self.end)


@dataclass
class Activity:
    """Pushes and pops the dispatch mode for a tool; a thread may enter it several times, and several threads may."""

    watcher: Any
    schedule: Schedule
    on_start: Callable[[], None]
    on_stop: Callable[[], None]
    sees_operators: bool = True
    step: int = 0
    active: bool = False
    _thread: threading.local = field(default_factory=threading.local)
    _entries: weakref.WeakSet[_Entry] = field(default_factory=weakref.WeakSet)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def enter(self) -> None:
        """Begin a block of the tool."""
        with self._lock:
            entry = self._entry()
            if entry is None:
                entry = self._thread.entry = _Entry()
                self._entries.add(entry)
            entry.depth += 1
        if entry.depth == 1:
            self.update()

    def exit(self) -> bool:
        """End a block; return whether it was the last one."""
        with self._lock:
            entry: _Entry = self._thread.entry
            entry.depth -= 1
            if entry.depth:
                return False
            self._entries.discard(entry)
            del self._thread.entry
            last = not self._entries
            if last:
                self.active = False
        if entry.mode is not None:
            detach(entry.mode, self.watcher)
        if last:
            self.on_stop()
        return last

    def advance(self) -> None:
        """Count a step."""
        self.step += 1
        self.update()

    def update(self) -> None:
        """Start or stop to watch, as the schedule says."""
        wanted = self.schedule.includes(self.step)
        if wanted and not self.active and self._entries:
            self.on_start()
        elif self.active and not wanted:
            self.on_stop()
        self.active = wanted and bool(self._entries)
        entry = self._entry()
        if entry is None or not self.sees_operators:
            return
        if wanted and (entry.mode is None or self.watcher not in entry.mode.watchers):
            entry.mode = attach(self.watcher)
        elif not wanted and entry.mode is not None:
            if self.watcher in entry.mode.watchers:
                detach(entry.mode, self.watcher)
            leave_if_idle(entry.mode)

    def _entry(self) -> Optional[_Entry]:
        return getattr(self._thread, "entry", None)
