"""While a program ends, the API and kernels go on working, and nothing hangs or crashes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sim_programs import Build, Program, run

PROGRAMS = Path(__file__).parent / "programs"
OK = "musaSuccess"
TIMES = pytest.mark.parametrize("time", ["local", "atexit", "thread_local"])
KERNELS = {"launch": OK, "kernels": OK, "sum": str(64 * 2), "many blocks": OK, "count": str(200 * 64), "late": "done"}
API = dict.fromkeys(
    ("malloc", "stream", "memset", "per thread", "synchronise", "destroy", "free", "properties"), OK
) | {"late": "done"}
SPIN = {"MUSA_SIM_WATCHDOG": "1"}


@pytest.fixture(scope="module")
def at_exit(build: Build) -> Program:
    return build("at_exit.mu", flags=("-pthread",))


@TIMES
@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_ASYNC": "0"}, {"MUSA_SIM_THREADS": "1"}], ids=str)
def test_kernels(at_exit: Program, time: str, env: dict[str, str]) -> None:
    result = at_exit(f"{time} kernels", env=env)
    assert (result.status, result.facts, result.stderr) == (0, KERNELS, "")


@TIMES
@pytest.mark.parametrize("what", ["in a thread", "in a child", "streams"])
def test_kernels_beside_others(at_exit: Program, time: str, what: str) -> None:
    extra = {"in a child": {"child": "7"}, "streams": {"pending": OK}}.get(what, {})
    result = at_exit(f"{time} {what}")
    assert (result.status, result.facts, result.stderr) == (0, KERNELS | extra, "")


@pytest.mark.parametrize(
    ("when", "line"),
    [
        ("local spinning", "kernel spin("),
        ("atexit spinning politely", "kernel spin_politely("),
        ("thread_local spinning", "kernel spin("),
    ],
)
def test_the_watchdog_ends_a_kernel(at_exit: Program, when: str, line: str) -> None:
    result = at_exit(when, env=SPIN)
    assert (result.status, result.facts) == (0, {"spinning": "musaErrorLaunchTimeout", "late": "done"})
    assert line in result.stderr and "no progress for 1 s, the launch is ended" in result.stderr


@TIMES
def test_faults(at_exit: Program, time: str) -> None:
    result = at_exit(f"{time} faults")
    fault = "musaErrorIllegalAddress"
    assert (result.status, result.facts) == (0, {"overflow": fault, "wild": fault, "after": OK, "late": "done"})
    assert "kernel overflow(int*)" in result.stderr and "stack overflow" in result.stderr


@pytest.mark.parametrize("time", ["static", "local", "atexit", "thread_local"])
@pytest.mark.parametrize("first", [(), ("first",)], ids=["used before", "first call"])
def test_the_api(at_exit: Program, time: str, first: tuple[str, ...]) -> None:
    result = at_exit(f"{time} api", *first)
    assert (result.status, result.facts, result.stderr) == (0, API, "")


@pytest.mark.parametrize("time", ["static", "local", "thread_local"])
def test_first_calls_of_many_threads(at_exit: Program, time: str) -> None:
    result = at_exit(f"{time} many threads", "first")
    assert (result.status, result.facts, result.stderr) == (0, {"wrong": "0", "late": "done"}, "")


def test_kernels_that_are_unregistered_are_refused(at_exit: Program) -> None:
    """A global object of the program goes after its kernels, as with clang's CUDA."""
    result = at_exit("static kernels")
    assert (result.status, result.stderr) == (0, "")
    assert result.facts["launch"] == "musaErrorInvalidDeviceFunction"
    assert result.facts["late"] == "done"


@pytest.mark.parametrize("case", ["vectors", "detached", "pending spin", "thread"])
def test_what_is_left_behind(at_exit: Program, case: str) -> None:
    """A global device_vector, a thread that continues to launch, a kernel that never ends, a thread's own objects."""
    result = at_exit(case)
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == (KERNELS if case == "thread" else {"late": "done"} if case == "pending spin" else {})


def test_another_thread_ends_the_program(at_exit: Program) -> None:
    result = at_exit("other")
    assert (result.status, result.facts, result.stderr) == (6, KERNELS, "")


@pytest.mark.parametrize("case", ["leave", "leave while waiting"])
def test_a_host_function_ends_the_program(at_exit: Program, case: str) -> None:
    """Destructors then run inside the host function, where the API is refused, and do not wait for it."""
    result = at_exit(case)
    assert (result.status, result.stderr) == (5, "")
    if case == "leave while waiting":
        assert (result.facts["synchronise"], result.facts["late"]) == ("musaErrorNotPermitted", "done")


@pytest.mark.parametrize("case", ["throw", "throw while waiting"])
def test_an_exception_of_a_host_function_ends_the_program(at_exit: Program, case: str) -> None:
    result = at_exit(case)
    assert (result.status, result.text) == (-signal.SIGABRT, "")
    assert "[musa-sim] a host function of a stream threw an exception: of the host function\n" in result.stderr


def test_the_library_stays_loaded(sim_sdk_root: Path) -> None:
    """Its threads, and what ends with the program's threads, need its code."""
    result = run([sys.executable, PROGRAMS / "unload.py", sim_sdk_root / "lib/libmusart.so"])
    assert (result.status, result.text, result.stderr) == (0, "alive\n", "")


def test_nothing_of_the_libraries_is_destroyed_at_exit(sim_sdk_root: Path) -> None:
    """Static and thread_local objects with destructors would register them (runtime/base/lifetime.h)."""
    libraries = sorted((sim_sdk_root / "lib").glob("lib*.so"))
    assert "libmusart.so" in [path.name for path in libraries]
    names = subprocess.run(
        ["nm", "-D", "-A", "--undefined-only", *libraries], capture_output=True, text=True, check=True
    ).stdout
    assert "pthread_key_create" in names  # of PerThread: so the list is not empty
    assert [line for line in names.splitlines() if "atexit" in line and "pthread_atfork" not in line] == []


@pytest.mark.parametrize(("kernel", "output"), [(0, "unloaded\n0 4\n"), (1, "loaded\n0 3\n")], ids=["plain", "managed"])
def test_a_library_is_unloaded_while_its_kernels_run(
    build: Build, sim_sdk_root: Path, kernel: int, output: str
) -> None:
    """Device code stays; a library with managed variables, which are its own memory, is not unloaded."""
    flags = ["-shared", "-fPIC", *(["-DNO_MANAGED"] if kernel == 0 else [])]
    library = build("unloaded.mu", flags=flags)
    result = run(
        [sys.executable, PROGRAMS / "unload_with_work.py", sim_sdk_root / "lib/libmusart.so", library.path, kernel]
    )
    assert (result.status, result.text, result.stderr) == (0, output, "")
