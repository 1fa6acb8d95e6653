"""A fault inside a kernel becomes an error code and one readable line, and the process continues."""

from __future__ import annotations

import signal
import sys

import pytest
from sim_programs import MATRIX_FLAGS, Build, Program, run

FIBERS = {"MUSA_SIM_FIBERS": "1"}


@pytest.fixture(scope="module")
def faults(build: Build) -> Program:
    return build("faults.mu")


CASES = {
    "null_pointer": (
        "musaErrorIllegalAddress",
        "kernel null_pointer(int*), block (1,0,0), thread (3,0,0): illegal memory access at address (nil)",
    ),
    "wild_pointer": (
        "musaErrorIllegalAddress",
        "kernel wild_pointer(int*), block (0,0,0), thread (0,0,0): illegal memory access at address 0x",
    ),
    "impossible_pointer": (
        "musaErrorIllegalAddress",
        "kernel impossible_pointer(int*), block (0,0,0), thread (0,0,0): illegal memory access: an impossible address",
    ),
    "trap": ("musaErrorLaunchFailure", "kernel trap(int*), block (0,0,0), thread (0,0,0): trap"),
    "breakpoint": ("musaErrorLaunchFailure", "kernel breakpoint(int*), block (0,0,0), thread (0,0,0): trap"),
    "past_shared": (
        "musaErrorIllegalAddress",
        "thread (64,0,0): illegal memory access: outside the block's 1024 bytes of dynamic shared memory",
    ),
    "overflow": ("musaErrorIllegalAddress", "kernel overflow(int*), block (0,0,0), thread (0,0,0): stack overflow"),
    "failed_assert": (
        "musaErrorAssert",
        'assertion `out[1] == 42 && "the answer"` failed',
    ),
    "deadlock": (
        "musaErrorLaunchFailure",
        "kernel deadlock(int*), block (0,0,0): deadlock: 16 threads wait at __shfl_sync, "
        "48 threads wait at __syncthreads, 0 have exited",
    ),
    "wrong_mask": ("musaErrorLaunchFailure", "mask 0x0000ffff does not contain the calling lane 16"),
}


@pytest.mark.parametrize("env", [FIBERS, {}], ids=["fibers", "default"])
@pytest.mark.parametrize("case", CASES)
def test_fault(faults: Program, case: str, env: dict[str, str]) -> None:
    code, line = CASES[case]
    result = faults(case, env={**env, "MUSA_SIM_WARP": "32"})
    assert result.status == 0
    assert line in result.stderr
    assert f"[musa-sim] kernel {case}(" in result.stderr
    assert result.stderr.count("\n") == 1
    # The error stays, as on a GPU, until the device is reset.
    assert result.facts == {
        "synchronize": code,
        "last": code,
        "last_again": code,
        "malloc": code,
        "launch": code,
        "after_reset": "7",
    }


@pytest.mark.parametrize("env", [FIBERS, {}], ids=["fibers", "default"])
@pytest.mark.parametrize("case", ["past_shared", "deadlock", "wrong_mask", "wild_pointer", "trap"])
def test_a_fault_with_wide_warps_names_the_setting(faults: Program, case: str, env: dict[str, str]) -> None:
    """Code for warps of 32 lanes has too little shared memory, or waits for lanes that never come."""
    code, line = CASES[case]
    result = faults(case, env={**env, "MUSA_SIM_WARP": "128"})
    assert (result.status, result.facts["synchronize"]) == (0, code)
    assert line in result.stderr
    assert result.stderr.endswith(
        "; with MUSA_SIM_WARP=128 a warp has that many lanes, and this kernel may be written for 32\n"
    )
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("lanes", ["32", "128"])
def test_a_long_name_hides_nothing(faults: Program, lanes: str) -> None:
    result = faults("long_name", env={"MUSA_SIM_WARP": lanes})
    assert result.stderr.startswith("[musa-sim] kernel void long_name<Both<Both<")
    assert "..., block (0,0,0), thread (0,0,0): illegal memory access at address 0x" in result.stderr
    assert ("MUSA_SIM_WARP=128" in result.stderr) == (lanes == "128")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("env", [FIBERS, {}], ids=["fibers", "loop"])
@pytest.mark.parametrize("case", ["failed_assert", "failed_assert_behind_barrier"])
def test_a_failed_assert_names_line_and_thread(faults: Program, case: str, env: dict[str, str]) -> None:
    stderr = faults(case, env=env).stderr
    assert "block (0,0,0), thread (7,0,0): " in stderr
    assert "faults.mu:" in stderr


@pytest.mark.parametrize("env", [FIBERS, {}], ids=["fibers", "loop"])
def test_a_trap_names_the_thread(faults: Program, env: dict[str, str]) -> None:
    assert "block (0,0,0), thread (5,0,0): trap or illegal instruction" in faults("trap_of_one", env=env).stderr


@pytest.mark.parametrize("env", [FIBERS, {}], ids=["fibers", "loop"])
def test_a_fault_names_the_thread(faults: Program, env: dict[str, str]) -> None:
    """A loop over threads does not know it: the block runs again, each thread on its own."""
    assert ", thread (7,2,0): illegal memory access" in faults("out_of_many", env=env).stderr
    assert "block (0,0,0), thread (19,0,0): illegal memory access" in faults("behind_barrier", env=env).stderr


@pytest.mark.skipif("-O0" in MATRIX_FLAGS, reason="without optimisation every thread has its fiber, and is known")
def test_a_loop_does_not_pretend_to_know_the_thread(faults: Program) -> None:
    """The second run does not fault, or would print again what the first has printed."""
    once, printed = faults("once"), faults("after_printing")
    for result in (once, printed):
        assert "thread unknown (MUSA_SIM_FIBERS=1 tells it): illegal memory access at address 0x" in result.stderr
        assert result.facts["synchronize"] == "musaErrorIllegalAddress"
        assert result.stderr.count("\n") == 1
    assert printed.text.count("printed=2\n") == 1


@pytest.mark.parametrize("flags", [(), ("-DNDEBUG",), ("-U__CUDA__",), ("-U__CUDA__", "-DNDEBUG")])
def test_the_assert_that_torch_declares(build: Build, flags: tuple[str, ...]) -> None:
    result = build("redeclared_assert.mu", flags=flags)()
    assert result.facts == {"error": "musaErrorAssert"}
    assert "somewhere.h:12: check_value: assertion `*p == 1` failed" in result.stderr


def test_faults_of_the_host_program_stay_its_own(build: Build) -> None:
    host = build("host_fault.mu")
    assert host("crash").status == -signal.SIGSEGV
    assert host("handled").text == "own handler\n"
    assert host("raised").status == -signal.SIGSEGV


def test_python_survives(build: Build) -> None:
    """Not only a C++ program: faulthandler, too, has handlers for these signals."""
    code = (
        "import ctypes, faulthandler, sys; faulthandler.enable();"
        "library = ctypes.CDLL(sys.argv[1]); print(library.crash_kernel(), library.crash_kernel(), flush=True)"
    )
    library = build("python_fault.mu", flags=("-shared", "-fPIC"))
    result = run([sys.executable, "-c", code, library.path])
    assert (result.status, result.text) == (0, "700 700\n")
