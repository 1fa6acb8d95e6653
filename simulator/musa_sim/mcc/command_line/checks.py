"""The checks of kernels: `--sim-check`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import DriverError

#: in the order of the bits in runtime/base/active_checks.h
CHECKS = ("memory", "race", "init", "sync", "leaks", "host")


def parse_checks(text: str, origin: str) -> tuple[str, ...]:
    """Take `memory,race` apart; `all` is every check but `host`, `none` and the empty text are no check.

    Raises DriverError for anything else, naming `origin`, the flag or variable that it came from.
    """
    names = [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]
    for name in names:
        if name not in (*CHECKS, "all"):
            raise DriverError(f"'{name}' in {origin} is no check of the simulator: it has {', '.join(CHECKS)} and all")
    return tuple(name for name in CHECKS if name in names or ("all" in names and name != "host"))


#: These need calls in the code; the others are the runtime's alone.
_INSTRUMENTED = frozenset({"memory", "race", "init", "sync"})


def needs_instrumentation(checks: Collection[str]) -> bool:
    """Return whether code must be compiled for these checks."""
    return not _INSTRUMENTED.isdisjoint(checks)


def check_bits(checks: Sequence[str]) -> int:
    """Return the checks as the fat binary's header has them (runtime/base/active_checks.h)."""
    return sum(1 << CHECKS.index(name) for name in checks)
