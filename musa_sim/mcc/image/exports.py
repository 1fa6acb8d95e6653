"""The kernels and variables that an image exports."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.names import (
    ARGUMENT_SIZES_PREFIX,
    ENTRY_PREFIX,
    GLOBAL_VARIABLES,
    LAUNCH_BOUNDS_PREFIX,
    LOOP_PREFIX,
    SHARED_VARIABLES_PREFIX,
    STATIC_SHARED_PREFIX,
)

_PREFIXES = (
    ENTRY_PREFIX,
    LOOP_PREFIX,
    ARGUMENT_SIZES_PREFIX,
    LAUNCH_BOUNDS_PREFIX,
    STATIC_SHARED_PREFIX,
    SHARED_VARIABLES_PREFIX,
)


def version_script(variables: Sequence[str]) -> str:
    """Export kernels and these variables only: an image's own copies of library templates must not meet the host's."""
    names = [*(f"{prefix}*" for prefix in _PREFIXES), GLOBAL_VARIABLES, *variables]
    return "{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n"
