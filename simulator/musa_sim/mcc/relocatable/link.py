"""The device link: one image of the device code of several sources, in an object for the host's linker.

        objects, archives (object_files) -> the needed code (choose) -> images -> object_text -> the host compiler

`--cuda-device-only -dlink` ends at the images, for the driver's linker. The object has a function for each source,
which the source's own constructor calls: it registers kernels and variables with the one image of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..commands import Commands
from ..errors import DriverError
from .choose import Candidate, architectures, choose
from .object_files import object_files
from .object_text import object_text
from .record import LINKED_SECTION, SECTION, RelocatableCode

if TYPE_CHECKING:
    from ..sdk import Sdk


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return the relocatable code in the linker's inputs, without the records that an earlier device link took."""
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


class DeviceLink(NamedTuple):
    """The device code of several sources, linked.

    Attributes:
        images: The fat binary; empty if the linker's inputs have no relocatable code.
        symbols: The functions by which the sources ask for it.
    """

    images: bytes
    symbols: tuple[str, ...]

    def as_object(self, sdk: Sdk, commands: Commands, scratch: Path) -> bytes:
        """Return the object for the host's linker, an empty one if there is no code."""
        images, source, made = (scratch / name for name in ("images", "device-link.c", "device-link.o"))
        images.write_bytes(self.images)
        source.write_text(object_text(str(images), self.symbols) if self.symbols else "")
        command = [sdk.toolchain.host_cxx, "-x", "c", "-O1", "-fPIC", "-c", str(source), "-o", str(made)]
        commands.run(command, target="host")
        return made.read_bytes()


def device_link(
    sdk: Sdk, commands: Commands, scratch: Path, *, words: Sequence[str], archs: Sequence[str], checks: int
) -> DeviceLink:
    """Link the device code in the linker's inputs.

    `scratch`: a directory that the caller removes. `archs`: what the user named. `checks`: bits of the requested
    checks.
    """
    from ..image.link import demangled  # a plain link, which asks `refuse_unlinked` alone, does without

    chosen = choose(candidates(words), partial(demangled, linker=sdk.toolchain.linker))
    if not chosen:
        return DeviceLink(b"", ())
    from .images import LinkedImages  # an empty link needs nothing of it

    images = LinkedImages(sdk, commands, scratch, checks).build(chosen, architectures(chosen, archs))
    return DeviceLink(images, tuple(each.code.link_symbol for each in chosen))
