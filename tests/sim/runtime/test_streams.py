"""Streams that run while the program runs: order, concurrency, copies, events, host functions, errors, fork, end."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sim_programs import Build, Program, run

PROGRAMS = Path(__file__).parent / "programs"
OK = "musaSuccess"
NOT_READY = "musaErrorNotReady"


@pytest.fixture(scope="module")
def streams(build: Build) -> Program:
    return build("streams.mu", flags=("-pthread",))


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_THREADS": "4"}, {"MUSA_SIM_ASYNC": "0"}], ids=str)
def test_events_order_streams(streams: Program, rng: np.random.Generator, env: dict[str, str]) -> None:
    """300 steps over four streams, each waiting for the event of the one before, as NumPy does them in a row."""
    n, steps = 1000, 300
    x = rng.integers(0, 2**32, n, dtype=np.uint32)
    table = rng.integers(0, 2**32, (steps, 4), dtype=np.uint32)
    table[:, 0] %= 4
    table[:, 1] |= 1  # an odd factor loses nothing
    table[:, 3] = rng.random(steps) < 0.05
    expected = x.copy()
    for _, factor, summand, _ in table:
        expected = expected * factor + summand
    np.testing.assert_array_equal(streams.array(np.uint32, "chain", n, steps, inputs=[x, table], env=env), expected)


def test_streams_run_at_the_same_time(streams: Program) -> None:
    """Two kernels that wait for each other; one worker is enough, because streams have threads of their own."""
    for workers in ("1", "2"):
        result = streams("overlap", env={"MUSA_SIM_THREADS": workers, "MUSA_SIM_WATCHDOG": "20"})
        assert result.facts == {"non-blocking streams meet": OK, "blocking streams meet": OK}


def test_missing_synchronisation_shows(streams: Program) -> None:
    assert streams("asynchronous").facts == {
        "before synchronising": "0",
        "query": NOT_READY,
        "synchronise": OK,
        "after": "7",
        "query after": OK,
    }


@pytest.mark.parametrize(
    ("env", "at_once"), [({}, "0"), ({"MUSA_SIM_ASYNC": "0"}, "7"), ({"MUSA_LAUNCH_BLOCKING": "1"}, "7")], ids=str
)
def test_work_is_done_without_synchronising(streams: Program, env: dict[str, str], at_once: str) -> None:
    facts = streams("at_once", env=env).facts
    assert facts["later"] == "7"
    if env:  # otherwise a thread may have been faster than the program
        assert facts["at once"] == at_once


def test_polled_work_is_done(streams: Program) -> None:
    assert streams("polled", env={"MUSA_SIM_WATCHDOG": "20"}).facts == {"value": "1000", "few threads": "1"}


def test_arguments_are_copied_at_the_launch(streams: Program) -> None:
    facts = streams("arguments").facts
    assert [float(facts[f"argument {i}"]) for i in range(8)] == [ord("x"), ord("c"), 5.5, 77, -3, 2.25, 1, 3]


def test_default_stream(streams: Program) -> None:
    """It waits for blocking streams and they for it; a non-blocking one goes its own way."""
    facts = streams("default_stream").facts
    assert facts == {
        "non-blocking": OK,
        "default": NOT_READY,
        "blocking": NOT_READY,
        "of the thread": NOT_READY,
        "first": "5",
        "synchronise default": OK,
        "then": "12",
        "all": "5",
    }


def test_copies_wait_as_documented(streams: Program) -> None:
    assert streams("copies").facts == {
        "all four are asynchronous": "1",
        "pageable source": "a",
        "pinned source": "b",
        "to pageable memory waits": "1",
        "and has copied": "a",
        "a large pageable source waits": "1",
        "within the device does not wait": "1",
        "to the host waits": "1",
    }


def test_memory_is_freed_in_order(streams: Program) -> None:
    assert streams("memory", env={"MUSA_SIM_MEMORY": "256M"}).facts == {
        "free in order": OK,
        "twice": "musaErrorInvalidValue",
        "use after": "musaErrorInvalidValue",
        "not yet free": "1",
        "free after": "1",
        "memory that is being freed can be had": OK,
        "waited": "1",
        "free waits": "1",
    }


def test_events(streams: Program) -> None:
    assert streams("events", env={"MUSA_SIM_DEVICES": "2"}).facts == {
        "query": NOT_READY,
        "elapsed": NOT_READY,
        "recorded elsewhere": OK,
        "other stream": NOT_READY,
        "synchronise": OK,
        "query after": OK,
        "took 20 ms": "1",
        "value": "5",
        "stream of another device": NOT_READY,
        "value of the other device": "6",
    }


def test_host_functions(streams: Program) -> None:
    result = streams("host_functions")
    assert result.facts == {
        "nothing yet": "1",
        "told": "one two three musaSuccess",
        "API in a host function": "musaErrorNotPermitted",
        "after a fault": " four musaErrorIllegalAddress",
    }
    assert "kernel crash(int*), block (0,0,0)" in result.stderr


def test_errors_surface_later_and_stay(streams: Program) -> None:
    fault = "musaErrorIllegalAddress"
    assert streams("errors").facts == {
        "launch": OK,
        "launch after": OK,
        "synchronise": fault,
        "again": fault,
        "last": fault,
        "launched after the fault": "0",
        "sticky": fault,
        "after reset": "3",
    }


@pytest.mark.parametrize("workers", ["1", "4"])
def test_fork_with_work_in_flight(streams: Program, workers: str) -> None:
    result = streams("fork", env={"MUSA_SIM_THREADS": workers})
    assert result.facts == {"child sees": "100", "child computes": "9", "child ended": "0", "parent": "200"}


def test_exit_with_work_in_flight(streams: Program) -> None:
    """Neither a hang, although one kernel never ends, nor a crash."""
    for _ in range(5):
        start = time.monotonic()
        result = streams("leave")
        assert (result.status, result.facts, result.stderr) == (0, {"left": "1"}, "")
        assert time.monotonic() - start < 20


def test_python_host_functions_never_deadlock_at_exit(sim_sdk_root: Path) -> None:
    """They run on other threads and need the interpreter's lock; the last ones are in flight when Python ends.

    Python then frees the callback: a thread that happens to be between two calls of it crashes, here as elsewhere.
    """
    for _ in range(3):
        result = run([sys.executable, PROGRAMS / "host_functions.py", sim_sdk_root / "lib/libmusart.so"])
        assert result.status in (0, -signal.SIGSEGV)
        assert (result.text, result.stderr) == ("done\n", "")
