"""The architectures that mcc compiles for."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import DriverError


class Architecture(NamedTuple):
    """A target, as the compiler knows it."""

    number: int  # the value of __MUSA_ARCH__ in the device pass
    static_shared_limit: int  # bytes


#: mp_10's number is inferred, mp_22's limit a guess (the runtime's table says the same); the rest is documented.
ARCHITECTURES = {
    "mp_10": Architecture(100, 28672),
    "mp_21": Architecture(210, 28672),
    "mp_22": Architecture(220, 49152),
    "mp_31": Architecture(310, 196608),
    # Public build files name these; no simulated device is one of them. Number and limit are inferred.
    **{f"mp_{number}": Architecture(10 * number, 196608) for number in (32, 41, 42, 43)},
}

#: The architecture of a build that names none. Old SDKs took mp_10; what newer ones take is not known, and the
#: simulator's default device is an mp_22.
DEFAULT_ARCH = "mp_22"


def check_architecture(name: str) -> str:
    """Return a name that is known; raise DriverError for any other."""
    if name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise DriverError(f"unsupported MUSA gpu architecture: {name} (the simulator has {known})")
    return name
