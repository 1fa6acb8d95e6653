"""The driver's functions for the default stream of each thread: by name, and beside the work of another thread."""

from __future__ import annotations

from sim_programs import Build


def test_functions_of_the_driver_work_in_the_threads_stream(build: Build) -> None:
    program = build(
        "per_thread_names.cpp", libraries=["musa"], flags=["-DMUSA_API_PER_THREAD_DEFAULT_STREAM", "-pthread"]
    )
    result = program(env={"MUSA_SIM_WATCHDOG": "20"})
    assert result.status == 0, result.stderr
    assert result.facts == {
        "bytes": "1333" + "1133" + "1111" * 4 + "3333" * 9 + "2222",
        "failures": "0",
    }
