"""Print which names of the libraries programs for MUSA use that the simulated SDK's headers lack.

    python tests/sim/libraries/names_in_programs.py FOLDER ...

Each folder is a checkout. Names in C++ alone are counted: calls, types and enumerators by the prefix of a library, and
what follows `dnn::`. A program's own names may begin so, too: what is missing is for a reader to judge.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".mu", ".muh"})
LIBRARIES = {
    "muBLAS": r"mublas(?!Lt|LT|Xt)[A-Z]\w*|MUBLAS_\w+",
    "muBLASLt": r"mublasLt[A-Z]\w*|MUBLASLT_\w+",
    "muBLASXt": r"mublasXt[A-Z]\w*|MUBLASXT_\w+",
    "muSPARSE": r"musparse[A-Z]\w*|MUSPARSE_\w+",
    "muSOLVER": r"musolver[A-Z]\w*|MUSOLVER_\w+",
    "muFFT": r"mufft[A-Z]\w*|MUFFT_\w+",
    "muRAND": r"murand[A-Z_]\w*|MURAND_\w+",
    "muDNN": r"dnn::\w+",
    "MTRTC": r"mtrtc[A-Z]\w*|MTRTC_\w+",
    "MCCL": r"(?<!_)mccl[A-Z]\w*",
    "MTML": r"mtml[A-Z]\w*|MTML_\w+",
    "MUPTI": r"mupti[A-Z]\w*|MUPTI_\w+|MUpti_\w+",
}


def names_in(text: str) -> dict[str, frozenset[str]]:
    """Return {library: its names} in a source, without comments and the names of included files."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#\s*include[^\n]*", " ", text, flags=re.DOTALL | re.MULTILINE)
    return {
        library: frozenset(re.sub("^dnn::", "", name) for name in re.findall(rf"\b(?:{pattern})", code))
        for library, pattern in LIBRARIES.items()
    }


def uses(folders: Iterable[Path]) -> dict[str, Counter[str]]:
    """Return {library: {name: the number of files that have it}}."""
    found: dict[str, Counter[str]] = {library: Counter() for library in LIBRARIES}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                for library, names in names_in(path.read_text(encoding="utf-8", errors="replace")).items():
                    found[library].update(names)
    return found


def names_of_sdk(root: Path) -> frozenset[str]:
    """Return the identifiers of a program that includes all headers: macros write some of them."""
    headers = sorted(path.name for path in (root / "include").glob("*.h"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "all.mu"
        source.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
        command = [str(root / "bin" / "mcc"), "-E", "-dD", str(source)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))


def main(folders: list[str]) -> int:
    command = [sys.executable, "-m", "musa_sim", "root"]
    root = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    there = names_of_sdk(root)
    print("| library | names used | in the headers | not |\n|---|--:|--:|--:|")
    missing: dict[str, list[tuple[str, int]]] = {}
    for library, names in uses(map(Path, folders)).items():
        missing[library] = sorted((name, count) for name, count in names.items() if name not in there)
        lacking = len(missing[library])
        print(f"| {library} | {len(names)} | {len(names) - lacking} | {lacking} |")
    for library, lines in missing.items():
        if lines:
            print(f"\n{library}: " + ", ".join(f"{name} ({count})" for name, count in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
