"""torch_musa.testing: what test suites of other projects import from it."""

from __future__ import annotations

import os

from torch_musa import _MUSAC

_ARCH_WITHOUT_DEVICE = 22


def get_musa_arch() -> int:
    """Return the architecture to build for, as a number: 22 for mp_22.

    TORCH_MUSA_ARCH decides if it is set; otherwise device 0; otherwise 22, the default of Moore Threads' own function.

    Raises:
        ValueError: TORCH_MUSA_ARCH is not a number.
    """
    chosen = os.environ.get("TORCH_MUSA_ARCH")
    if chosen:
        return int(chosen)
    if _MUSAC.device_count() == 0:
        return _ARCH_WITHOUT_DEVICE
    properties = _MUSAC.device_properties(0)
    return int(str(properties["major"])) * 10 + int(str(properties["minor"]))
