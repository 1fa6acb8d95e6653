"""Environment variables choose the flags and libraries of the backend's own build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from musa_sim.mcc.clang import cpu

PROGRAMS = Path(__file__).with_name("programs")

BACKEND = Path(__file__).parents[2] / "backend"
READ = (PROGRAMS / "flags_of_the_build.py").read_text(encoding="utf-8")
LIBRARIES = (PROGRAMS / "libraries_of_the_build.py").read_text(encoding="utf-8")


def flags(**environment: str) -> list[tuple[dict[str, list[str]], list[str]]]:
    """The flags of the backend's libraries, as its setup.py declares them; the last is the kernel library."""
    return [(compile, link) for compile, link in read(READ, {"MUSA_KERNELS": "1", **environment})]


def read(program: str, environment: dict[str, str], *arguments: str) -> list[Any]:
    """Return the JSON that a program in backend/ prints."""
    chosen = ("DEBUG", "USE_ASAN", "MUSA_KERNELS", "MUSA_KERNELS_CPU", "USE_MUDNN")
    kept = {name: value for name, value in os.environ.items() if name not in chosen}
    command = [sys.executable, "-W", "ignore", "-c", f"import setuptools\n{program}", *arguments]
    environment = {**kept, **environment}
    done = subprocess.run(command, cwd=BACKEND, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.compiles
def test_debug_and_asan() -> None:
    plain, chosen = flags(), flags(DEBUG="1", USE_ASAN="1")
    assert len(plain) == len(chosen) == 3
    for compile, link in plain:
        assert "-O2" in compile["cxx"]
        assert "-fsanitize=address" not in [*compile["cxx"], *link]
    for compile, link in chosen:
        assert {"-O0", "-g", "-fsanitize=address"} <= set(compile["cxx"])
        assert "-fsanitize=address" in link
    own = f"-march={'x86-64-v4' if cpu.has_v4() else cpu.of_this_machine()}"
    assert plain[-1][0]["mcc"] == ["-O3", own]
    assert chosen[-1][0]["mcc"] == ["-O0", "-g", own, "-fsanitize=address"]


@pytest.mark.slow
@pytest.mark.compiles
def test_kernels_for_other_machines() -> None:
    assert flags(MUSA_KERNELS_CPU="x86-64-v3")[-1][0]["mcc"] == ["-O3", "-march=x86-64-v3"]


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize(
    ("environment", "chosen"),
    [
        ({}, set()),
        ({"MUSA_KERNELS": "1"}, {"libmusa_kernels"}),
        ({"MUSA_KERNELS": "1", "USE_MUDNN": "1"}, {"libmusa_kernels", "libmusa_mudnn"}),
    ],
    ids=["neither", "kernels", "kernels and muDNN"],
)
def test_only_the_chosen_libraries_are_installed(tmp_path: Path, environment: dict[str, str], chosen: set[str]) -> None:
    # libraries of an earlier build in the same folder are installed, too
    folder = tmp_path / "torch_musa" / "lib"
    folder.mkdir(parents=True)
    always, optional = {"libtorch_musa", "libmusa_python"}, {"libmusa_kernels", "libmusa_mudnn"}
    for name in always | optional:
        (folder / f"{name}.so").touch()
    assert set(read(LIBRARIES, environment, str(tmp_path))) == always | chosen
    assert {path.stem for path in folder.iterdir()} == always | chosen
