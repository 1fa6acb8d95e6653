"""How many examples the properties are tried with: few and always the same in tests, many new ones in `make fuzz`."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed: pip install -e .[dev]")

from hypothesis import HealthCheck, settings

_EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))

#: the fixture that changes the folder does so once for all examples
_TOLERATED = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


def examples(few: int) -> settings:
    """Return the settings of one property."""
    return settings(
        max_examples=_EXAMPLES or few,
        derandomize=not _EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=_TOLERATED,
        print_blob=bool(_EXAMPLES),
    )
