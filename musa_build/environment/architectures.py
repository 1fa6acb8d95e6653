"""MUSA architectures: their names, the numbers compilers give them, and lists of them as people write them.

Figures come from Moore Threads' own code and manuals: the host warp size from muThrust's tables and the warp-function
pages (128 up to mp_22, 32 from mp_31 on), the shared-memory limits from compiler messages (mp_10, mp_21) and a musaInfo
print-out (mp_31). What nobody has published is None, not a guess.
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
        """As mcc writes it: "mp_22"."""
        return f"mp_{self.major}{self.minor}"

    @property
    def macro(self) -> int:
        """The value of `__MUSA_ARCH__` in device code: 220 for mp_22."""
        return self.major * 100 + self.minor * 10

    @property
    def warp_size(self) -> int:
        """What the host reports as `warpSize`. Shuffles work on 32 lanes on every architecture."""
        return 128 if (self.major, self.minor) <= (2, 2) else 32

    @property
    def shared_memory_limit(self) -> Optional[int]:
        """Bytes of shared memory that one block may use; None where it is not published."""
        return {"mp_10": 28672, "mp_21": 28672, "mp_31": 196608}.get(self.name)

    @property
    def has_bfloat16(self) -> bool:
        return (self.major, self.minor) >= (2, 2)


KNOWN = tuple(MusaArch(number // 10, number % 10) for number in (10, 21, 22, 31, 32, 41, 42, 43))
# The architectures of cards that are sold (S80/S3000, S4000, S5000), hence what a wheel for everybody should hold.
ALL = tuple(arch for arch in KNOWN if arch.name in ("mp_21", "mp_22", "mp_31"))


def parse_arch_list(value: Value, cards: Callable[[], Sequence[MusaArch]]) -> tuple[MusaArch, ...]:
    """The architectures that a setting names, each once, oldest first.

    `cards` says which architectures the cards in this machine have; it is asked only for the word `native`.
    Raises ArchError for a word that means nothing, for an empty list, and for `native` without a card.
    """
    words = [word for word in re.split(r"[;,\s]+", value.text) if word]
    if not words:
        raise ArchError(f"{value.origin} names no architecture", found=repr(value.text), wanted=_wanted())
    found: set[MusaArch] = set()
    for word in words:
        if word.lower() == "all":
            found.update(ALL)
        elif word.lower() == "native":
            found.update(_native(cards(), value))
        else:
            found.add(_parse(word, value))
    return tuple(sorted(found))


def _parse(word: str, value: Value) -> MusaArch:
    match = re.fullmatch(r"(?:mp_)?(\d)\.?(\d)", word, flags=re.IGNORECASE)
    arch = MusaArch(int(match[1]), int(match[2])) if match else None
    if arch not in KNOWN:
        raise ArchError(f"{value.origin} names an unknown MUSA architecture", found=word, wanted=_wanted())
    return arch


def _native(present: Sequence[MusaArch], value: Value) -> Sequence[MusaArch]:
    if not present:
        raise ArchError(
            f"{value.origin} says native, but no MUSA card was found",
            found="no card",
            wanted=_wanted(),
            hint="name the architecture of the card the program will run on, for example TORCH_MUSA_ARCH_LIST=22",
        )
    return present


def _wanted() -> str:
    names = ", ".join(str(arch.major * 10 + arch.minor) for arch in KNOWN)
    return f"one of {names}, native or all (22, mp_22 and 2.2 are the same)"
