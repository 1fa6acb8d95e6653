"""Plan the library folder of the toolkit. This module is pure.

Shared libraries have CUDA's names and are links to the SDK's. Static ones are linker scripts that name the shared ones,
because an SDK has no archives. Names that carry no code of their own, such as cudadevrt, are empty archives.

Where a library with CUDA's symbols exists (`loadable`), it follows the SDK's in a linker script, and is linked where a
program needs it: code that saw the headers calls the SDK's functions, Fortran's or Rust's calls CUDA's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..porting.engine.library_names import COUNTERPARTS
from .loadable import FOLDER, loadable

#: Archives that a program links, and that need hold nothing.
EMPTY_ARCHIVES = (
    "cudadevrt",
    "culibos",
    "cufft_static_nocallback",
    "nvptxcompiler_static",
    "nvrtc-builtins_static",
    "nvToolsExt",
)


@dataclass(frozen=True)
class Library:
    """A file of lib64: a link to `link`, else a file with `content`."""

    name: str
    link: str = ""
    content: bytes = b""


def libraries(sdk_folder: str, files: Collection[str], root: str) -> Iterator[Library]:
    """Yield the files of lib64 in the toolkit `root`. `files` are those in the SDK's library folder `sdk_folder`."""
    with_symbols = {each.cuda: each for each in loadable(files)}
    for cuda, musa in COUNTERPARTS.items():
        shared = f"lib{musa}.so"
        if shared in files:
            each = with_symbols.get(cuda)
            own = f"AS_NEEDED({root}/{FOLDER}/{each.file})" if each else ""
            if cuda == "cudart" and "libomp.so" in files:
                # The functions that mcc's code calls with -Xcompiler -fopenmp: the host compiler's own are others.
                own += f" AS_NEEDED({sdk_folder}/libomp.so -lgomp)"
            script = f"/* GNU ld script */\nINPUT({sdk_folder}/{shared} {own})\n".encode()
            yield (
                Library(f"lib{cuda}.so", content=script) if own else Library(f"lib{cuda}.so", f"{sdk_folder}/{shared}")
            )
            yield Library(f"lib{cuda}_static.a", content=script)
    for each in with_symbols.values():
        yield Library(f"loadable/lib{each.cuda}.so", link=each.file)
        yield Library(each.file, link=f"loadable/{each.file}")
    for name in EMPTY_ARCHIVES:
        yield Library(f"lib{name}.a", content=b"!<arch>\n")
    # Programs get this folder as their run path, and look for the SDK's own names in it.
    for name in files:
        yield Library(name, link=f"{sdk_folder}/{name}")
