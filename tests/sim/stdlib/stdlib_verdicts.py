"""Ask compilers which features they accept in device code, and write verdicts.json.

    python tests/sim/stdlib/stdlib_verdicts.py mcc clang-19 nvcc

Each word renews one part of the record. Tests only read it, so they need neither nvcc nor clang 19.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import stdlib_features
from stdlib_features import Feature

RECORD = Path(__file__).with_name("verdicts.json")
Numbered = tuple[int, Feature]
Compile = Callable[[str, Path], "subprocess.CompletedProcess[str]"]


def _halves(chosen: Sequence[Numbered]) -> list[Sequence[Numbered]]:
    middle = len(chosen) // 2
    return [chosen[:middle], chosen[middle:]]


def accepted(chosen: Sequence[Numbered], compiles: Compile, scratch: Path) -> list[Numbered]:
    """The features that compile: those named in errors go, and where none is named the set is halved."""
    source = scratch / "kernels.mu"
    while chosen:
        source.write_text(stdlib_features.kernels(chosen))
        done = compiles(str(source), scratch)
        if done.returncode == 0:
            return list(chosen)
        messages = re.split(r"\n(?=\S[^\n]*: )", done.stdout + done.stderr)
        blamed = {int(number) for block in _errors(messages) for number in re.findall(r"\bfeature_(\d+)\b", block)}
        left = [item for item in chosen if item[0] not in blamed]
        if len(left) == len(chosen):
            if len(chosen) == 1:
                return []
            return [item for half in _halves(chosen) for item in accepted(half, compiles, scratch)]
        chosen = left
    return []


def _errors(blocks: Sequence[str]) -> list[str]:
    """Each error with the notes that follow it; warnings with theirs are left out."""
    kept: list[str] = []
    inside = False
    for block in blocks:
        if re.search(r"error(?: #\S+)?:", block):
            inside = True
        elif "warning" in block.split("\n")[0]:
            inside = False
        if inside:
            kept.append(block)
    return kept


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def nvcc(standard: str, *flags: str) -> Compile:
    return lambda source, scratch: _run(
        ["nvcc", f"-std=c++{standard}", "-x", "cu", "-arch=sm_80", "-cubin", *flags, "-o", str(scratch / "out"), source]
    )


def without_result() -> list[str]:
    """Return the programs that nvcc accepts, although its code for the kernel traps or stores nothing."""
    found: set[str] = set()
    for standard in ("17", "20"):
        with tempfile.TemporaryDirectory() as scratch:
            compiles = nvcc(standard, "--expt-relaxed-constexpr")
            chosen = accepted(list(enumerate(stdlib_features.every())), compiles, Path(scratch))
            source, ptx = Path(scratch, "kernels.mu"), Path(scratch, "out.ptx")
            source.write_text(stdlib_features.kernels(chosen))
            flags = ["-w", "--expt-relaxed-constexpr", "-arch=sm_80", "-ptx"]
            _run(["nvcc", f"-std=c++{standard}", "-x", "cu", *flags, "-o", str(ptx), str(source)])
            found |= {feature.name for number, feature in chosen if not _stores(ptx.read_text(), number)}
    return sorted(found)


def _stores(ptx: str, number: int) -> bool:
    kernel = re.search(rf"^\.visible \.entry _Z\d+device_{number}Pdid\(.*?^\}}", ptx, re.M | re.S)
    return bool(kernel and re.search(r"\bst\.(global\.)?[uf]\d", kernel[0]) and "trap;" not in kernel[0])


def mcc(root: str, standard: str) -> Compile:
    flags = ["-ferror-limit=0", "-w", "-O1", "--offload-arch=mp_31"]
    return lambda source, scratch: _run(
        [f"{root}/bin/mcc", f"-std=c++{standard}", *flags, "-c", "-o", str(scratch / "out"), source]
    )


def _root(clang: str = "") -> str:
    """The simulated SDK on that clang; empty: on the one that is found first."""
    command = [sys.executable, "-m", "musa_sim", "root"]
    environment = {**os.environ, "MUSA_SIM_CLANG": clang}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


def verdicts(compiler: Callable[[str], Compile], standards: Sequence[str]) -> dict[str, list[str]]:
    """{feature: the standards in which it compiles}."""
    numbered = list(enumerate(stdlib_features.every()))
    found: dict[str, list[str]] = {feature.name: [] for _, feature in numbered}
    for standard in standards:
        with tempfile.TemporaryDirectory() as scratch:
            for _, feature in accepted(numbered, compiler(standard), Path(scratch)):
                found[feature.name].append(standard)
    return found


def main() -> None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if "nvcc" in sys.argv:
        version = re.search(r"release [\d.]+, V([\d.]+)", _run(["nvcc", "--version"]).stdout)
        record["nvcc version"] = version.group(1) if version else "unknown"
        record["host compiler"] = _run(["g++", "-dumpfullversion"]).stdout.strip()
        record["nvcc"] = verdicts(lambda standard: nvcc(standard), ("17", "20"))
        record["nvcc relaxed"] = verdicts(lambda standard: nvcc(standard, "--expt-relaxed-constexpr"), ("17", "20"))
        record["nvcc no result"] = without_result()
    if "mcc" in sys.argv:
        record["mcc"] = verdicts(lambda standard: mcc(_root(), standard), stdlib_features.STANDARDS)
    if "clang-19" in sys.argv:
        older = verdicts(lambda standard: mcc(_root("clang-19"), standard), stdlib_features.STANDARDS[:2])
        record["clang 19 lacks"] = [name for name, had in record["mcc"].items() if {*had} - {*older[name], "23"}]
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
