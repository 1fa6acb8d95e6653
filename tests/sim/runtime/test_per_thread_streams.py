"""The default stream of each thread: launches, copies, graphs, and the second names of the API's functions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from sim_programs import Build, Program, run

OK = "musaSuccess"
NOT_READY = "musaErrorNotReady"
PER_THREAD = "-fgpu-default-stream=per-thread"
MACRO = "MUSA_API_PER_THREAD_DEFAULT_STREAM"
#: the ways to ask for it: clang's flag, and the macro on the command line, which is for launches too
WAYS = ((PER_THREAD,), (f"-D{MACRO}",), ("-fgpu-default-stream=legacy", "-D", f"{MACRO}=1"))
#: the ways not to
LEGACY = ((), (PER_THREAD, "-fgpu-default-stream=null"), (f"-D{MACRO}", f"-U{MACRO}"))
WATCHDOG = {"MUSA_SIM_WATCHDOG": "20"}

WITHOUT_SECOND_NAME = {
    *("musaStreamDestroy", "muStreamDestroy_v2"),  # of streams that the program made
    *("musaMemcpyPeerAsync", "muLaunchGridAsync"),  # CUDA has none
    "muMemoryTransferBatchAsync",  # MUSA's own
}


@pytest.fixture(scope="module", params=WAYS, ids=" ".join)
def program(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("per_thread_streams.mu", flags=("-pthread", *request.param))


@pytest.fixture(scope="module", params=LEGACY, ids=" ".join)
def legacy(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("per_thread_streams.mu", flags=("-pthread", *request.param))


def test_work_of_another_thread_is_independent(program: Program) -> None:
    assert program("independent", env=WATCHDOG).facts == {
        "memcpy": OK,
        "copied": "5",
        "memset": OK,
        "to symbol": OK,
        "from symbol": OK,
        "symbol": "7",
        "synchronise": OK,
        "in order": "123",
        "the other thread's": NOT_READY,
        "open": "0",
    }


def test_kernels_of_two_threads_meet(program: Program) -> None:
    assert program("overlap", env=WATCHDOG).facts == {"errors": "0"}


def test_the_device_has_one_default_stream_without_the_flag(legacy: Program) -> None:
    facts = legacy("beside", env=WATCHDOG).facts
    assert facts == {"query": NOT_READY, "stream of the thread": OK, "legacy stream": NOT_READY, "done": "3"}
    assert legacy("capture", env=WATCHDOG).facts == {"begin": "musaErrorStreamCaptureUnsupported"}


def test_the_legacy_stream_waits(program: Program) -> None:
    assert program("legacy", env=WATCHDOG).facts == {
        "legacy behind a thread's": NOT_READY,
        "then": "1",
        "a thread's behind legacy": NOT_READY,
        "and then": "2",
    }


def test_a_thread_keeps_its_order(program: Program, legacy: Program) -> None:
    for each in (program, legacy):
        facts = each("order", env=WATCHDOG).facts
        assert facts == {"copied": "9", "event": NOT_READY, "waits for the event": NOT_READY, "after it": "8"}


def test_the_stream_of_a_thread_is_captured(program: Program) -> None:
    assert program("capture", env=WATCHDOG).facts == {
        "begin": OK,
        "captures": "1",
        "of another thread": "13",
        "nodes": "2",
        "upload stream is as it was": "1",
        "launched": "12",
    }


def test_the_value_of_the_flag_is_checked(sim_sdk_root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.mu").write_text("")
    done = run([sim_sdk_root / "bin/mcc", "-c", tmp_path / "k.mu", "-fgpu-default-stream=mine"])
    assert done.status and "the default stream is one of legacy, per-thread, null" in done.stderr


def test_objects_of_both_kinds_are_linked(sim_sdk_root: Path, tmp_path: Path) -> None:
    """Each calls the functions that its own flag chose."""
    body = "__global__ void {0}_k() {{}}\nvoid {0}() {{ {0}_k<<<1, 1>>>(); musaMemset(nullptr, 0, 0); }}\n"
    for name, flags in (("one", ()), ("each", (PER_THREAD,))):
        (tmp_path / f"{name}.mu").write_text(body.format(name))
        done = run([sim_sdk_root / "bin/mcc", "-c", tmp_path / f"{name}.mu", "-o", tmp_path / f"{name}.o", *flags])
        assert done.status == 0, done.stderr
    called = {name: _symbols(tmp_path / f"{name}.o", "U") for name in ("one", "each")}
    assert {"musaLaunchKernel", "musaMemset"} <= called["one"]
    assert {"musaLaunchKernel_ptsz", "musaMemset_ptds"} <= called["each"]
    assert not {"musaLaunchKernel", "musaMemset"} & called["each"]


@pytest.mark.parametrize(
    ("library", "header", "second"),
    [("musart", "musa_runtime_api.h", "runtime_per_thread.h"), ("musa", "musa.h", "driver_per_thread.h")],
)
def test_headers_and_libraries_agree(sim_sdk_root: Path, library: str, header: str, second: str) -> None:
    """The macros name what the library has, no more and no less; each function with a stream has a second name."""
    folder = sim_sdk_root / "include"
    renamed = dict(re.findall(r"^#define (\w+) (\w+_pts?d?[sz])$", (folder / "musa_sim" / second).read_text(), re.M))
    assert all(name == f"{old}_{name.rpartition('_')[2]}" for old, name in renamed.items())
    exported = _symbols(sim_sdk_root / f"lib/lib{library}.so", "T")
    assert {name for name in exported if name.endswith(("_ptsz", "_ptds"))} == set(renamed.values())
    source = f'#include "{folder / header}"\n'
    command = ["g++", "-E", "-P", "-x", "c++", f"-I{folder}", "-DMUSA_SIM_REFUSED(name, parameters)=", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    kind = "musaStream_t|MUstream"
    with_stream = {
        found[1] for found in re.finditer(rf"\b(mu\w+)\s*\(([^;{{}}]*\b(?:{kind})\s+\w+[^;{{}}]*)\)\s*;", text)
    }
    assert with_stream - set(renamed) - WITHOUT_SECOND_NAME == set()


def _symbols(path: Path, kind: str) -> set[str]:
    """Return the functions that an object needs (U) or a library has (T)."""
    dynamic = ["-D"] if ".so" in path.name else []
    done = subprocess.run(["nm", *dynamic, str(path)], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines() if f" {kind} " in line}
