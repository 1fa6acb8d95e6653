"""MUSA architectures: their names, their numbers in compilers, and the lists of them in settings.

The figures come from Moore Threads' own code and manuals. The host warp size is from muThrust's tables and the pages on
warp functions (128 up to mp_22, 32 from mp_31 on). The limits of shared memory are from messages of the compiler
(mp_10, mp_21) and the output of musaInfo (mp_31). A figure that was not published is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from ..errors import ArchError

if TYPE_CHECKING:
    from .settings import Value


@dataclass(frozen=True, order=True)
class MusaArch:
    """An architecture mp_XY, ordered by age."""

    major: int
    minor: int

    @property
    def name(self) -> str:
        """The name in mcc's flags: "mp_22"."""
        return f"mp_{self.major}{self.minor}"

    @property
    def macro(self) -> int:
        """The value of `__MUSA_ARCH__` in device code: 220 for mp_22."""
        return self.major * 100 + self.minor * 10

    @property
    def warp_size(self) -> int:
        """The `warpSize` that the host reports. Shuffles work on 32 lanes on every architecture."""
        return 128 if (self.major, self.minor) <= (2, 2) else 32

    @property
    def shared_memory_limit(self) -> Optional[int]:
        """The bytes of shared memory that one block may use; None if unpublished."""
        return {"mp_10": 28672, "mp_21": 28672, "mp_31": 196608}.get(self.name)

    @property
    def has_bfloat16(self) -> bool:
        return (self.major, self.minor) >= (2, 2)


KNOWN = tuple(MusaArch(number // 10, number % 10) for number in (10, 21, 22, 31, 32, 41, 42, 43))
# The architectures of the cards on sale (S80/S3000, S4000, S5000): those of a wheel for all users.
ALL = tuple(arch for arch in KNOWN if arch.name in ("mp_21", "mp_22", "mp_31"))


def parse_arch_list(value: Value, cards: Callable[[], Sequence[MusaArch]]) -> tuple[MusaArch, ...]:
    """Return the architectures that a setting names, each once, oldest first.

    `cards` returns the architectures of the cards in this machine. It is called for the name `native` only.

    Raises:
        ArchError: An unknown name, an empty list, or `native` without a card.
    """
    names = [name for name in re.split(r"[;,\s]+", value.text) if name]
    if not names:
        raise ArchError(f"{value.origin} names no architecture", found=repr(value.text), wanted=_wanted())
    archs: set[MusaArch] = set()
    for name in names:
        if name.lower() == "all":
            archs.update(ALL)
        elif name.lower() == "native":
            archs.update(_native(cards(), value))
        else:
            archs.add(_parse(name, value))
    return tuple(sorted(archs))


def _parse(name: str, value: Value) -> MusaArch:
    match = re.fullmatch(r"(?:mp_)?(\d)\.?(\d)", name, flags=re.IGNORECASE)
    arch = MusaArch(int(match[1]), int(match[2])) if match else None
    if arch not in KNOWN:
        raise ArchError(f"{value.origin} names an unknown MUSA architecture", found=name, wanted=_wanted())
    return arch


def _native(cards: Sequence[MusaArch], value: Value) -> Sequence[MusaArch]:
    if not cards:
        raise ArchError(
            f"{value.origin} is native, but no MUSA card was found",
            found="no card",
            wanted=_wanted(),
            hint="name the architecture of the card that will run the program, for example TORCH_MUSA_ARCH_LIST=22",
        )
    return cards


def _wanted() -> str:
    names = ", ".join(str(arch.major * 10 + arch.minor) for arch in KNOWN)
    return f"one of {names}, native or all (22, mp_22 and 2.2 are equivalent)"
