"""Write the list of what the simulated SDK lacks: docs/simulator-absent.md, and the names that porting reports.

`tables/cuda-names.txt` has the names of CUDA's runtime, driver and libraries that are ported by renaming. They are keys
of torch_musa 2.7.1's largest mapping file, without those that no program writes (structures of the profiler, versions
of the same function, internals). A name is there if a program that includes all headers may use its counterpart.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from musa_build.porting.engine.rule_files import rule_set

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "simulator-absent.md"
TABLES = ROOT / "musa_build" / "porting" / "engine" / "tables"
NAMES = TABLES / "cuda-names.txt"
DATA = TABLES / "simulator-absent.txt"

LIBRARIES = {
    "CUDA runtime": "cuda",
    "CUDA driver": "cu",
    "cuBLAS": "cublas",
    "cuSPARSE": "cusparse",
    "cuSOLVER": "cusolver",
    "cuFFT": "cufft",
    "cuRAND": "curand",
    "NCCL": "nccl",
    "NVRTC": "nvrtc",
    "NVTX": "nvtx",
}
# Headers of the SDK that are no interface of CUDA.
_OWN = frozenset({"musa_sim_activity.h", "musa_sim_mccl.h", "musa_sim_work.h"})


def names_of_sdk(root: Path) -> frozenset[str]:
    """The identifiers that a program may use which includes all headers of the simulated SDK at `root`."""
    headers = sorted(path.name for path in (root / "include").glob("*.h") if path.name not in _OWN)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "all.mu"
        source.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
        command = [str(root / "bin" / "mcc"), "-E", "-dD", str(source)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"[A-Za-z_]\w*", re.sub(r"^# .*$", "", text, flags=re.MULTILINE)))


def library_of(name: str) -> str:
    prefixes = sorted(LIBRARIES.items(), key=lambda item: -len(item[1]))
    return next(library for library, prefix in prefixes if name.startswith(prefix))


def counterparts() -> Mapping[str, str]:
    """Name of CUDA -> name of MUSA."""
    rules = rule_set()
    names = {rule.find: rule.replace for rule in rules.tables.rules}
    return {name: names.get(name) or rules.renamed(name) or name for name in NAMES.read_text().split()}


def absent(pairs: Mapping[str, str], there: frozenset[str]) -> list[str]:
    """The names of CUDA whose counterpart is not `there`, in order."""
    return sorted(name for name, musa in pairs.items() if musa not in there)


def data(missing: Iterable[str]) -> str:
    return "\n".join(missing) + "\n"


def page(pairs: Mapping[str, str], missing: list[str]) -> str:
    lines = [
        "# What the simulated SDK lacks",
        "",
        "Names of CUDA that porting renames and whose counterpart the simulator's headers do not have. Moore Threads'",
        "SDK may have them. A function that is declared and always fails counts as there. `musa-build port` reports",
        "the names as [not-in-simulator](../musa_build/explain/topics/porting/not-in-simulator.md).",
        "This page and the list that porting reads are written by `python tests/porting/absent_in_simulator.py`;",
        "a test compares them with the headers.",
        "",
        "| library | names known | in the simulator | not |",
        "|---|--:|--:|--:|",
    ]
    sections = {library: [name for name in pairs if library_of(name) == library] for library in LIBRARIES}
    without = {library: [name for name in missing if library_of(name) == library] for library in LIBRARIES}
    for library, names in sections.items():
        if names:
            lines.append(
                f"| {library} | {len(names)} | {len(names) - len(without[library])} | {len(without[library])} |"
            )
    for library, names in without.items():
        if names:
            listed = textwrap.fill(", ".join(names) + ".", 126, break_long_words=False, break_on_hyphens=False)
            lines += ["", f"## {library}", "", listed]
    return "\n".join(lines) + "\n"


def main() -> int:
    pairs = counterparts()
    root = subprocess.run(
        [sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True
    ).stdout.strip()
    missing = absent(pairs, names_of_sdk(Path(root)))
    DATA.write_text(data(missing), encoding="ascii")
    PAGE.write_text(page(pairs, missing), encoding="utf-8")
    print(f"{len(missing)} of {len(pairs)} names are not in the simulator")
    return 0


if __name__ == "__main__":
    sys.exit(main())
