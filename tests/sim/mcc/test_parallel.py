"""Two things at a time, and their failures."""

from __future__ import annotations

import threading

import pytest

from musa_sim.mcc.commands import two_at_a_time


def test_two_jobs_run_together_and_results_keep_the_order_of_the_jobs() -> None:
    meet = threading.Barrier(2, timeout=60)
    # each waits for the other: one after another they would never end
    assert list(two_at_a_time({"b": meet.wait, "a": meet.wait})) == ["b", "a"]
    assert two_at_a_time({at: lambda at=at: at * at for at in range(5)}) == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}
    assert two_at_a_time({}) == {}


def test_the_failure_of_the_first_job_is_raised() -> None:
    meet = threading.Barrier(2, timeout=60)

    def fail(error: Exception) -> None:
        meet.wait()
        raise error

    with pytest.raises(KeyError):
        two_at_a_time({1: lambda: fail(KeyError()), 2: lambda: fail(ValueError())})
    with pytest.raises(ValueError, match="alone"):
        two_at_a_time({1: lambda: fail(ValueError("alone"))} | {2: meet.wait})
