"""Check that torch_musa was built with the SDK that a build is about to use.

An extension linked to the libraries of one SDK and to a torch_musa of another fails at import or later: undefined
symbols, wrong results. The dynamic section of torch_musa's libraries lists the libraries that they were linked to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from ..errors import SdkMismatchError
from ..logger_util import LOGGER
from ..system import process
from .sdk import MusaSdk
from .torch_info import TorchMusa

_NEEDED = re.compile(r"\(NEEDED\).*\[(libmu\w+\.so)(\.[\d.]+)\]")
_RUN_PATH = re.compile(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]")


def check_compatibility(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> None:
    """Check that `torch_musa` and `sdk` match.

    Log a warning if torch_musa was built with another SDK that has libraries of the same version.

    Raises:
        SdkMismatchError: They do not match.
    """
    error = mismatch(torch_musa, sdk)
    if error:
        raise error
    other = other_sdk(torch_musa, sdk)
    if other:
        LOGGER.warning("torch_musa was built with the MUSA SDK in %s, this build uses the one in %s", other, sdk.root)


def mismatch(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> Optional[SdkMismatchError]:
    """Return the error for a torch_musa that needs other versions of libraries than the SDK has.

    Return None if they match, or if that is unknown.
    """
    for library, dynamic in _dynamic_sections(torch_musa):
        for name, version in _NEEDED.findall(dynamic):
            present = sorted(path.name for directory in sdk.library_dirs for path in directory.glob(f"{name}.*"))
            if present and f"{name}{version}" not in present:
                return SdkMismatchError(
                    "torch_musa and the MUSA SDK do not match",
                    found=f"{' '.join(present)} in {sdk.root} (from {sdk.origin})",
                    wanted=f"{name}{version}, to which {library} is linked",
                    hint="set MUSA_HOME to the SDK that torch_musa was built with, or install one for this SDK",
                )
    return None


def other_sdk(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> Optional[Path]:
    """Return the root of another SDK in torch_musa's library paths; None if there is no other."""
    for _, dynamic in _dynamic_sections(torch_musa):
        for paths in _RUN_PATH.findall(dynamic):
            for directory in map(Path, paths.split(":")):
                if (directory.parent / "bin" / "mcc").is_file() and directory.parent.resolve() != sdk.root.resolve():
                    return directory.parent
    return None


def _dynamic_sections(torch_musa: Optional[TorchMusa]) -> Iterator[tuple[str, str]]:
    """Yield the name and readelf's output for each library of torch_musa; nothing without readelf."""
    if torch_musa is None or process.find_program("readelf") is None:
        return
    for library in sorted(torch_musa.library_dir.glob("*.so")):
        yield library.name, process.run(["readelf", "-dW", str(library)], extra_environment={"LC_ALL": "C"}).stdout
