"""Write the list of what the simulated SDK lacks: docs/simulator-absent.md, and the names that porting reports.

`tables/cuda-names.txt` has the names of CUDA's runtime, driver and libraries that are ported by renaming: functions,
types, enumerators and macros. They are keys of torch_musa 2.7.1's largest mapping file, without those that no program
writes (structures of the profiler, versions of the same function, internals). A name is there if a program that
includes all headers may use its counterpart. EXPLAINED has the reasons for names that runtime and driver lack.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from musa_build.porting.engine.rules import rule_set

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "simulator-absent.md"
TABLES = ROOT / "musa_build" / "porting" / "engine" / "tables"
NAMES = TABLES / "cuda-names.txt"
DATA = TABLES / "simulator-absent.txt"

# How the names of a library begin.
LIBRARIES = {
    "CUDA runtime": ("cuda", "CUDART_", "CUDA_R_", "CUDA_C_"),
    "CUDA driver": ("cu", "CU"),
    "cuBLAS": ("cublas",),
    "cuSPARSE": ("cusparse",),
    "cuSOLVER": ("cusolver",),
    "cuFFT": ("cufft",),
    "cuRAND": ("curand",),
    "NCCL": ("nccl",),
    "NVRTC": ("nvrtc",),
    "NVTX": ("nvtx",),
}

# Why the headers lack names of the runtime and the driver: a pattern over the whole of a name, and the reason.
EXPLAINED = {
    r"(CU_?|CUDA_|cu|cuda)(EGL|Egl|egl)\w+|cu(da)?Graphics\w*E(GL|gl)\w+|cu(da)?EventCreateFromEGLSync": "EGL",
    r"(CU_|cu|cuda)GL\w+|cu(da)?GraphicsGL\w+|cu(da)?WGL\w+": "OpenGL",
    r"CU(deviceptr|DA_\w+)_v1(_st)?": "the ABI before CUDA 3.2, which had 32 bits for an address",
    r"cudaOcc[A-Z](?!cupancy)\w+": "inner functions of CUDA's cuda_occupancy.h",
    r"cudaCG\w+": "functions that CUDA's cooperative_groups.h calls",
    r"cudaLibMg[A-Z]\w+": "data of cuBLAS on several devices (cublasMg.h)",
    r"cu(Context|Device|Process|Stream|Thread)Id|cuFormat": "members of structures of tools",
    r"cuda(DeviceCount|EventId|Version)": "members of structures of tools",
    r"cudaDevicePropDontCare": "an initializer that CUDA 12 has no more",
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
    """The library whose prefix fits longest."""
    prefixes = [
        (len(prefix), library)
        for library, several in LIBRARIES.items()
        for prefix in several
        if name.startswith(prefix)
    ]
    return max(prefixes)[1]


def by_reason(missing: Iterable[str]) -> dict[str, list[str]]:
    """The names by the reason of EXPLAINED; "" has those of none."""
    groups: dict[str, list[str]] = {}
    for name in missing:
        reason = next((reason for pattern, reason in EXPLAINED.items() if re.fullmatch(pattern, name)), "")
        groups.setdefault(reason, []).append(name)
    return groups


def unexplained(missing: Iterable[str]) -> list[str]:
    """The names of the runtime and the driver that are `missing` for no reason of EXPLAINED."""
    return by_reason(name for name in missing if library_of(name) in ("CUDA runtime", "CUDA driver")).get("", [])


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
            lines += ["", f"## {library}"]
        for reason, group in by_reason(names).items():
            said = f"{reason[0].upper()}{reason[1:]}: " if reason else ""
            text = f"{said}{', '.join(group)}."
            lines += ["", textwrap.fill(text, 126, break_long_words=False, break_on_hyphens=False)]
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
