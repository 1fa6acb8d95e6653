"""Copies of an SDK that do not agree with our assumptions.

    python tests/verify/altered_sdk.py SDK COPY

makes one that differs in every row of ALTERATIONS: try `MUSA_HOME=COPY musa-build verify`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

Edit = Callable[[Path], None]


def replaced(path: str, old: str, new: str) -> Edit:
    """Replace text in a file of the SDK."""

    def edit(root: Path) -> None:
        text = (root / path).read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r}"
        (root / path).write_text(text.replace(old, new), encoding="utf-8")

    return edit


def appended(path: str, text: str) -> Edit:
    """Write text at the end of a file, which may be new."""

    def edit(root: Path) -> None:
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(text)

    return edit


def wrapped(case: str, action: str) -> Edit:
    """Have mcc do something else where its words match a pattern of the shell."""

    def edit(root: Path) -> None:
        mcc = root / "bin" / "mcc"
        first, rest = mcc.read_text(encoding="utf-8").split("\n", 1)
        mcc.write_text(f'{first}\ncase " $* " in {case}) {action};; esac\n{rest}', encoding="utf-8")

    return edit


_ARCHITECTURES = "share/musa_sim/mcc/command_line/invocation.py"
_WITHOUT_LAMBDA = 'for word; do shift; [ "$word" = --extended-lambda ] || set -- "$@" "$word"; done'

#: row -> the edit that refutes it
ALTERATIONS: Mapping[str, Edit] = {
    "mcc-default-arch": replaced(_ARCHITECTURES, 'DEFAULT_ARCH = "mp_22"', 'DEFAULT_ARCH = "mp_10"'),
    "musa-arch-of-mp10": replaced(_ARCHITECTURES, '"mp_10": Architecture(100,', '"mp_10": Architecture(110,'),
    "graph-numbers": replaced("include/driver_types.h", "FlagAutoFreeOnLaunch = 1", "FlagAutoFreeOnLaunch = 2"),
    "mublas-status": replaced(
        "include/mublas.h", "MUBLAS_STATUS_INVALID_VALUE = 11", "MUBLAS_STATUS_INVALID_VALUE = 12"
    ),
    "library-names": replaced("include/mufft.h", "MUFFT_C2C = ", "MUFFT_C2C = 1 + "),
    "include-guards": replaced("include/mufft.h", "_MUFFT_H_", "MUFFT_H"),
    "mccl-header": replaced("include/mccl.h", "mcclBfloat16 = 9", "mcclBfloat16 = 11"),
    "atomics-on-long": appended(
        "include/musa_runtime.h",
        "\n#ifndef OTHER\n#define OTHER\n"
        "static __device__ inline long atomicAdd(long* at, long by) { return *at += by; }\n#endif\n",
    ),
    "ccbin": wrapped('*" -ccbin "*', "echo \"mcc: error: unknown argument: '-ccbin'\" >&2; exit 1"),
    "nvcc-only-flags": wrapped('*" --extended-lambda "*', _WITHOUT_LAMBDA),
    "murand-seeds": replaced("include/murand_xorwow.h", "362437", "362436"),
    "find-musa": replaced("cmake/FindMUSA.cmake", "MUSA_INCLUDE_DIRS", "MUSA_HEADERS"),
    "libcuxx-parts": appended("include/musa/atomic", "#pragma once\n"),
}


def altered(sdk: Path, copy: Path, edits: Iterable[Edit]) -> Path:
    """Copy an SDK and edit the copy."""
    # without the precompiled headers, which other processes write and remove
    shutil.copytree(sdk, copy, symlinks=True, ignore=shutil.ignore_patterns("precompiled"))
    for program in (copy / "bin").iterdir():  # they name the folder that they are in
        if program.is_file() and not program.is_symlink():
            text = program.read_bytes().replace(str(sdk).encode(), str(copy).encode())
            program.write_bytes(text)
    for edit in edits:
        edit(copy)
    return copy


if __name__ == "__main__":
    altered(Path(sys.argv[1]), Path(sys.argv[2]), ALTERATIONS.values())
