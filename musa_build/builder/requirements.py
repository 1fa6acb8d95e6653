"""The headers, libraries and run paths that every MUSA extension needs. This module is pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from ..environment.sdk import MusaSdk
from ..environment.torch_info import TorchInfo, TorchMusa, musa_include_dirs, musa_library_dirs


@dataclass(frozen=True)
class ExtensionRequirements:
    """The entries to add after an extension's own lists."""

    include_dirs: tuple[str, ...]
    library_dirs: tuple[str, ...]
    libraries: tuple[str, ...]
    run_paths: tuple[str, ...]


def extension_requirements(
    name: str, torch: TorchInfo, torch_musa: Optional[TorchMusa], sdk: MusaSdk, *, limited_api: bool
) -> ExtensionRequirements:
    """Return the requirements of the extension `name` ("package._C").

    `limited_api` is whether it uses only Python's stable ABI.
    """
    return ExtensionRequirements(
        include_dirs=tuple(map(str, musa_include_dirs(torch, torch_musa, sdk))),
        library_dirs=tuple(map(str, musa_library_dirs(torch, torch_musa, sdk))),
        libraries=_libraries(name, torch_musa, limited_api),
        run_paths=_run_paths(name, sdk),
    )


def _libraries(name: str, torch_musa: Optional[TorchMusa], limited_api: bool) -> tuple[str, ...]:
    base = ("c10", "torch", "torch_cpu")
    if name.startswith("torch_musa."):
        # It must not link to an older one, and its setup.py says which of its libraries need Python.
        return (*base, "musart")
    # libtorch_python needs more of Python than its stable ABI.
    python = () if limited_api else ("torch_python",)
    return (*base, *python, *(torch_musa.libraries if torch_musa else ()), "musart")


def _run_paths(name: str, sdk: MusaSdk) -> tuple[str, ...]:
    """Return run paths relative to the extension, which is installed beside torch: a wheel has no absolute paths.

    The simulated SDK is an exception, because it is in a cache directory, where the loader does not search. The loader
    finds Moore Threads' own SDK through LD_LIBRARY_PATH or ld.so.conf, as it finds torch_musa's libraries.
    """
    top = "/".join(["$ORIGIN", *[".."] * name.count(".")])
    simulated = (str(sdk.root / "lib"),) if sdk.simulated else ()
    return (f"{top}/torch/lib", f"{top}/torch_musa/lib", *simulated)
