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
from ..ir.text import symbol

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
    names = [*(f"{prefix}*" for prefix in _PREFIXES), GLOBAL_VARIABLES, *map(_pattern, variables)]
    return "{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n"


def _pattern(variable: str) -> str:
    """Spell a variable's symbol as the linker's scripts do: in quotes if it has a letter outside of ASCII."""
    name = symbol(variable)
    return name if name.isascii() else f'"{name}"'
