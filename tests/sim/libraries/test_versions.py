"""Each function that returns a version returns the number that a header's macro has."""

from __future__ import annotations

import re
from pathlib import Path

from library_programs import Build

LIBRARIES = [
    "musa",
    "mublas",
    "mublasLt",
    "musparse",
    "mufft",
    "murand",
    "mccl",
    "mtrtc",
    "mupti",
    "mtml",
    "musolver",
    "mudnn",
]
#: They tell no version, or one without a macro.
WITHOUT_MACRO = {
    "musaGetDriverEntryPointByVersion",
    "mtmlLibraryGetVersion",
    "mtmlDeviceGetMtBiosVersion",
    "mtmlDeviceGetVbiosVersion",
}


def declared(include: Path) -> set[str]:
    """Name the functions of the SDK's headers that return a version."""
    functions = re.compile(r"\b(mu\w+|mccl\w+|mt\w+?|GetVersion)(?<=Version)\(")
    texts = (path.read_text(encoding="utf-8") for path in include.glob("*.h"))
    return {name for text in texts for name in functions.findall(text)}


def test_functions_and_macros_agree(build: Build, sim_sdk_root: Path) -> None:
    done = build("versions.cpp", LIBRARIES)()
    assert done.status == 0, done
    lines = (line.split() for line in done.text.splitlines())
    versions = {name: (returned, of_macro) for name, returned, of_macro in lines}
    assert {name: pair for name, pair in versions.items() if pair[0] != pair[1]} == {}
    missing = declared(sim_sdk_root / "include") - versions.keys() - WITHOUT_MACRO
    assert missing == set(), "add them to programs/versions.cpp"


def test_macros_of_a_version_agree(sim_sdk_root: Path) -> None:
    """X_VERSION is made of X_VER_MAJOR, X_VER_MINOR and X_VER_PATCH: no second number that can differ."""
    found = 0
    for path in (sim_sdk_root / "include").glob("mu*.h"):
        text = path.read_text(encoding="utf-8")
        for library in re.findall(r"#define (\w+)_VER(?:SION)?_MAJOR ", text):
            whole = re.findall(rf"#define {library}_VERSION (.*)", text)
            parts = set(re.findall(rf"{library}_VER(?:SION)?_(?:MAJOR|MINOR|PATCH)", whole[0]))
            assert len(whole) == 1 and len(parts) == 3, (path.name, whole)
            found += 1
    assert found >= 6
