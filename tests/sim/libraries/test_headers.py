"""The libraries' headers compile: alone with g++ (and gcc, where they are C), together with mcc in either order."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

C_HEADERS = ["library_types.h", "muComplex.h", "mublas.h", "murand.h"]


def library_headers(root: Path) -> list[str]:
    include = root / "include"
    top = [path for path in include.glob("*.h") if path.stem.startswith(("mublas", "murand", "muComplex", "musa_fp8"))]
    trees = [path for tree in ("cooperative_groups", "cub", "musa", "thrust") for path in include.glob(f"{tree}/**/*")]
    paths = [*top, *(path for path in trees if path.is_file()), include / "cooperative_groups.h"]
    return sorted(str(path.relative_to(include)) for path in paths)


def only_includes(header: Path) -> bool:
    """Nothing of its own: Thrust's sort.h, transform.h ... stand for parts of larger headers."""
    code = [line for line in header.read_text().splitlines() if line and not line.startswith(("#", "/*", " *"))]
    return not code


def compiles(command: Sequence[str], source: Path, text: str) -> str:
    source.write_text(text)
    run = subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    return run.stderr


def test_each_alone_with_the_host_compiler(sim_sdk_root: Path, tmp_path: Path) -> None:
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{sim_sdk_root}/include"]
    names = [name for name in library_headers(sim_sdk_root) if not only_includes(sim_sdk_root / "include" / name)]
    jobs = [(["g++", "-std=c++17", *flags], f"{i}.cpp", name) for i, name in enumerate(names)]
    jobs += [(["gcc", "-std=c11", *flags], f"{i}.c", name) for i, name in enumerate(C_HEADERS)]
    assert len(jobs) > 60

    def run(job: tuple[list[str], str, str]) -> str:
        command, file, name = job
        return compiles(command, tmp_path / file, f"#include <{name}>\n")

    with ThreadPoolExecutor(2) as pool:
        failed = {name: errors for (_, _, name), errors in zip(jobs, pool.map(run, jobs)) if errors}
    assert failed == {}


@pytest.mark.parametrize(("standard", "backwards"), [("c++17", False), ("c++20", True)])
def test_all_together_with_mcc(sim_sdk_root: Path, tmp_path: Path, standard: str, backwards: bool) -> None:
    names = sorted(library_headers(sim_sdk_root), reverse=backwards)
    text = "".join(f"#include <{name}>\n" for name in names) + "using namespace std;\n__global__ void kernel() {}\n"
    command = [str(sim_sdk_root / "bin/mcc"), f"-std={standard}", "-Wall", "-Werror"]
    assert compiles(command, tmp_path / "all.mu", text) == ""
