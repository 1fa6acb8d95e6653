"""The device link: one image of the device code of several sources, in an object for the host's linker.

        objects, archives (inputs) -> the code that is needed (choose) -> images -> object_text -> the host's compiler

The object has a function for each source, which the source's own constructor calls: it registers kernels and variables
with the one image of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..commands import Commands, write_output
from ..image.unresolved import demangled
from .choose import architectures, choose
from .inputs import candidates
from .object_text import object_text

if TYPE_CHECKING:
    from ..sdk import Sdk


def device_link(
    sdk: Sdk, commands: Commands, scratch: Path, *, words: Sequence[str], archs: Sequence[str], checks: int, output: str
) -> None:
    """Link the device code in the linker's inputs: write an object, an empty one if there is no such code.

    `scratch`: a directory that the caller removes. `archs`: what the user named. `checks`: bits of the checks that the
    link asks for.
    """
    chosen = choose(candidates(words), partial(demangled, linker=sdk.toolchain.linker))
    text = ""
    if chosen:
        from .images import LinkedImages  # an empty link needs nothing of it

        images = scratch / "images"
        images.write_bytes(LinkedImages(sdk, commands, scratch, checks).build(chosen, architectures(chosen, archs)))
        text = object_text(str(images), [each.code.link_symbol for each in chosen])
    source, made = scratch / "device-link.c", scratch / "device-link.o"
    source.write_text(text)
    command = [sdk.toolchain.host_cxx, "-x", "c", "-O1", "-fPIC", "-c", str(source), "-o", str(made)]
    commands.run(command, target="host")
    write_output(output, made.read_bytes())
