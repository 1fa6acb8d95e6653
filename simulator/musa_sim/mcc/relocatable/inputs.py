"""The relocatable device code in the linker's inputs."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DriverError
from .choose import Candidate
from .object_files import object_files
from .record import LINKED_SECTION, SECTION, RelocatableCode


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return the relocatable code in the linker's inputs, less what a device link took in before."""
    found: list[Candidate] = []
    linked: set[str] = set()
    for item in object_files(words):
        linked.update(item.section(LINKED_SECTION).decode().split())
        codes = RelocatableCode.decode_all(item.section(SECTION), item.name)
        found += [Candidate(item.name, item.is_member, code) for code in codes]
    return [each for each in found if each.code.link_symbol not in linked]


def refuse_unlinked(words: Sequence[str]) -> None:
    """Raise DriverError for an object whose device code no device link took in."""
    unlinked = [each for each in candidates(words) if not each.is_member]
    if unlinked:
        raise DriverError(
            f"'{unlinked[0].origin}' has relocatable device code, which a link without '-fgpu-rdc' leaves out: "
            "add '-fgpu-rdc', or link the object that 'mcc -dlink' makes"
        )
