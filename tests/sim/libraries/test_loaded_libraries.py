"""Images that a program loads by the runtime (musaLibraryLoadData), without naming the driver."""

from __future__ import annotations

from pathlib import Path

from library_programs import Build

INVALID = "musaErrorInvalidValue"
GONE = "musaErrorInvalidResourceHandle"
NOT_FOUND = "musaErrorSymbolNotFound"


def test_kernels_and_variables(build: Build, module: Path) -> None:
    result = build("loaded_libraries.mu")(module)
    assert result.status == 0, result.stderr
    assert result.facts == {
        "from a file": "3",
        "kernels": "3",
        "among them": "1",
        "none twice": "1",
        "no kernel": NOT_FOUND,
        "unloaded twice": GONE,
        "of the unloaded": GONE,
        "no file": "musaErrorFileNotFound",
        "bytes": "16",
        "no variable": NOT_FOUND,
        "scaled": "10",
        "shared memory": "512",
        "no device": "musaErrorInvalidDevice",
        "no image": "musaErrorInvalidKernelImage",
        "a table": "musaErrorNotSupported",
        "no options": INVALID,
        "own": "1",
        "not own": "musaErrorInvalidDeviceFunction",
    }
