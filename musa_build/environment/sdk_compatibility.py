"""Whether torch_musa was built with the SDK that a build is about to use.

An extension that is linked to the libraries of one SDK and to a torch_musa of another fails when it is imported, or
later: undefined symbols, wrong results. The dynamic section of torch_musa's libraries says what they were linked to.
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
    """Raise SdkMismatchError where the two do not fit.

    Log a warning where torch_musa looks in another SDK for libraries of the same version.
    """
    error = mismatch(torch_musa, sdk)
    if error:
        raise error
    other = other_sdk(torch_musa, sdk)
    if other:
        LOGGER.warning("torch_musa was built with the MUSA SDK in %s, this build uses that in %s", other, sdk.root)


def mismatch(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> Optional[SdkMismatchError]:
    """The error for a torch_musa that needs libraries in another version than the SDK has them; None where they fit,
    or where that cannot be told."""
    for library, dynamic in _dynamic_sections(torch_musa):
        for name, version in _NEEDED.findall(dynamic):
            present = sorted(path.name for place in sdk.library_dirs for path in place.glob(f"{name}.*"))
            if present and f"{name}{version}" not in present:
                return SdkMismatchError(
                    "torch_musa and the MUSA SDK do not match",
                    found=f"{' '.join(present)} in {sdk.root} (from {sdk.origin})",
                    wanted=f"{name}{version}, which {library} was linked to",
                    hint="set MUSA_HOME to the SDK that torch_musa was built with, or install one for this SDK",
                )
    return None


def other_sdk(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> Optional[Path]:
    """The root of another SDK where torch_musa looks for its libraries; None where it is this one, or none."""
    for _, dynamic in _dynamic_sections(torch_musa):
        for paths in _RUN_PATH.findall(dynamic):
            for place in map(Path, paths.split(":")):
                if (place.parent / "bin" / "mcc").is_file() and place.parent.resolve() != sdk.root.resolve():
                    return place.parent
    return None


def _dynamic_sections(torch_musa: Optional[TorchMusa]) -> Iterator[tuple[str, str]]:
    """(name, what readelf says of it) for each library of torch_musa; nothing without readelf."""
    if torch_musa is None or process.find_program("readelf") is None:
        return
    for library in sorted(torch_musa.library_dir.glob("*.so")):
        yield library.name, process.run(["readelf", "-dW", str(library)], extra_environment={"LC_ALL": "C"}).stdout
