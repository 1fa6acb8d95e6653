"""`-Wall -Wextra` has nothing to say about the programs of the simulator's tests. They are parsed, not compiled."""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
FOLDERS = (
    *(f"tests/sim/{suite}/programs" for suite in ("runtime", "checks", "idioms", "libraries", "mccl", "stdlib", "mcc")),
    *("tests/sim/mcc", "tests/sim/mcc/relocatable", "tests/sim/programs"),
    *("tests/build/programs", "tests/nvidia_card", "tests/nvidia_card/programs", "simulator/tests/programs"),
)
FLAGS = (
    *("-std=c++17", "-Wall", "-Wextra", "-Werror"),
    "-Wno-sign-compare",  # `threadIdx.x < n` is how kernels are written
    "-Wno-missing-field-initializers",  # the fields that are left out are zero
)
HEADERS_OF_MUSA_BUILD = "-isystemmusa_build/toolchain/cxx_headers"
OF_PYTHON = (f"-isystem{sysconfig.get_path('include')}", "-Itests/build/programs")
#: flags of single files
MORE_FLAGS: Mapping[str, tuple[str, ...]] = {
    "tests/build/programs/demo_bindings.cpp": OF_PYTHON,
    "tests/build/programs/special_values.mu": OF_PYTHON,
    "tests/sim/libraries/programs/older_algorithms.mu": (HEADERS_OF_MUSA_BUILD,),
    "tests/sim/libraries/programs/shared_addresses.mu": (HEADERS_OF_MUSA_BUILD,),
    # a kernel's body is there for the device alone
    "tests/sim/mcc/programs/compiled_elsewhere.mu": ("-DOTHER=2", "-Wno-unused-parameter", "-Wno-unused-variable"),
    "tests/sim/mcc/programs/templates_of_objects.mu": ("-std=c++20",),
    "tests/sim/runtime/programs/capacity.cpp": ("-Isimulator/musa_sim/runtime",),
    "tests/sim/runtime/programs/whole_accesses.mu": (HEADERS_OF_MUSA_BUILD,),
    # one lane sets the variable, and the others get its value from there
    "tests/sim/idioms/programs/lanes.mu": ("-Wno-sometimes-uninitialized",),
    # undefined behaviour is the subject
    "tests/sim/runtime/programs/undefined.mu": (
        *("-Wno-return-type", "-Wno-sometimes-uninitialized", "-Wno-tautological-undefined-compare"),
    ),
}
LEFT_OUT = {
    "tests/sim/runtime/programs/device_functions.mu": "its test writes a header that it includes",
}
SOURCES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for folder in FOLDERS
    for path in (REPOSITORY / folder).iterdir()
    if path.suffix in (".mu", ".cu", ".cpp", ".c")
)


def test_the_lists_name_files() -> None:
    assert len(SOURCES) > 130
    assert {*MORE_FLAGS, *LEFT_OUT} <= set(SOURCES)


@pytest.mark.slow
@pytest.mark.parametrize("source", [name for name in SOURCES if name not in LEFT_OUT])
def test_a_program_has_no_warnings(source: str, sim_sdk_root: Path) -> None:
    language = ("-x", "musa") if source.endswith((".mu", ".cu")) else ()
    flags = (*FLAGS, *MORE_FLAGS.get(source, ()), "-Itests/sim/runtime/programs")
    command = [sim_sdk_root / "bin/mcc", *flags, "-fsyntax-only", *language, source]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
