"""Undefined names in device code are an error of mcc; names that the program's libraries define are not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from musa_sim.mcc.image import link

UNDEFINED = """
__device__ int ext(int);
extern __device__ float table[4];
__device__ int helper(int x) { return ext(x) + 1; }
__global__ void k(int* p) { p[0] = helper(3) + table[1]; }
"""

PROGRAMS = Path(__file__).with_name("programs")
DEFINED_ELSEWHERE = (PROGRAMS / "defined_elsewhere.mu").read_text(encoding="utf-8")


SAID = """\
/usr/bin/ld: k.o: in function `f':
k.mu:(.text+0x3): warning: undefined reference to `__tls_get_addr'
/usr/bin/ld: k.o:k.mu:(.text.f+0x22): warning: more undefined references to `__tls_get_addr' follow
/usr/bin/ld: warning: something else
"""


def test_only_other_words_of_the_linker_are_passed_on() -> None:
    assert link.references(SAID) == {"__tls_get_addr"}
    assert link.without_references(SAID) == "/usr/bin/ld: warning: something else\n"


def mcc(root: Path, folder: Path, source: str, *args: str) -> subprocess.CompletedProcess[str]:
    (folder / "k.mu").write_text(source)
    return subprocess.run(
        [root / "bin/mcc", "k.mu", *args], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("level", ["-O0", "-O2", "-g"])
def test_an_undefined_function_and_variable_are_named(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    run = mcc(sim_sdk_root, tmp_path, UNDEFINED, level, "--offload-arch=mp_31", "-c")
    assert run.returncode == 1
    lines = run.stderr.splitlines()
    assert sorted(lines[:2]) == [
        "error: undefined reference to 'ext(int)', used by helper(int)",
        "error: undefined reference to 'table', used by k(int*)",
    ]
    assert lines[2].startswith("note: a __device__ function or variable must be defined in the file that uses it")
    assert lines[3:] == ["2 errors generated when compiling for mp_31."]
    assert not (tmp_path / "k.o").exists()


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_libraries_managed_variables_and_unused_functions_are_no_error(
    sim_sdk_root: Path, tmp_path: Path, level: str
) -> None:
    built = mcc(sim_sdk_root, tmp_path, DEFINED_ELSEWHERE, level, "-lmusart", "-o", "k")
    assert (built.returncode, built.stderr) == (0, "")
    run = subprocess.run([tmp_path / "k"], capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stdout) == (0, "8 24\n"), run.stderr
