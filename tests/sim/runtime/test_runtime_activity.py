"""The events that libmusart reports to a profiler (musa_sim_activity.h): kernels, copies, fills and their calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from sim_programs import Build, Program

CALL, KERNEL, COPY, FILL, LIBRARY, OPERATOR = range(1, 7)
SCALE = "void shapes::scale<float>(float*, unsigned int, float)"
Fact = dict[str, Any]


@dataclass(frozen=True)
class Events:
    activities: list[Fact]
    facts: list[Fact]

    def of(self, *kinds: int) -> list[Fact]:
        return sorted((a for a in self.activities if a["kind"] in kinds), key=lambda a: a["correlation"])


def events(program: Program, case: str, **env: str) -> Events:
    result = program(case, env=env)
    assert result.status == 0, result.stderr
    lines = [json.loads(line) for line in result.text.splitlines()]
    return Events([line for line in lines if "kind" in line], [line for line in lines if "kind" not in line])


@pytest.fixture(scope="module")
def activity(build: Build) -> Program:
    return build("activity.mu")


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_ASYNC": "0"}, {"MUSA_SIM_THREADS": "4"}], ids=str)
def test_events_hold_all_facts_of_the_work(activity: Program, env: dict[str, str]) -> None:
    seen = events(activity, "everything", **env)
    columns = ("kind", "name", "stream", "grid", "block", "static", "dynamic", "bytes")
    none = [0, 0, 0]
    assert [tuple(a[c] for c in columns) for a in seen.of(KERNEL, COPY, FILL)] == [
        (KERNEL, SCALE, 0, [4096, 1, 1], [256, 1, 1], 0, 0, 0),
        (KERNEL, "reverse(float*)", 1, [1, 1, 1], [64, 2, 2], 1024, 4096, 0),
        (COPY, "Memcpy HtoD (Pageable -> Device)", 0, none, none, 0, 0, 4 << 20),
        (COPY, "Memcpy DtoH (Device -> Pinned)", 1, none, none, 0, 0, 4000),
        (COPY, "Memcpy DtoD (Device -> Device)", 1, none, none, 0, 0, 400),
        (COPY, "Memcpy HtoH (Pageable -> Managed)", 0, none, none, 0, 0, 12),
        (FILL, "Memset (Device)", 1, none, none, 0, 0, 12),
    ]
    assert seen.facts[0] == {"unfinished": 0}


def test_calls_have_the_numbers_of_their_work(activity: Program) -> None:
    seen = events(activity, "everything")
    calls = {a["correlation"]: a for a in seen.of(CALL)}
    assert [call["name"] for call in calls.values()] == [
        *("musaLaunchKernel", "musaLaunchKernel", "musaMemcpy", "musaMemcpyAsync", "musaMemcpyAsync", "musaMemcpy2D"),
        *("musaMemsetAsync", "musaStreamSynchronize", "musaDeviceSynchronize"),
    ]
    assert {call["thread"] for call in calls.values()} == {seen.facts[1]["thread"]}
    work = seen.of(KERNEL, COPY, FILL)
    assert len({a["correlation"] for a in work}) == len(work)
    for a in work:
        call = calls[a["correlation"]]
        assert call["begin"] < a["begin"] <= a["end"]
        assert call["end"] > a["end"] or call["name"] in ("musaLaunchKernel", "musaMemcpyAsync", "musaMemsetAsync")


@pytest.mark.parametrize("threads", ["1", "4"])
def test_streams_do_one_thing_at_a_time(activity: Program, threads: str) -> None:
    """So the time of all work is at most the time that went by, times the number of streams."""
    seen = events(activity, "everything", MUSA_SIM_THREADS=threads)
    work = seen.of(KERNEL, COPY, FILL)
    begin, end = seen.facts[1]["begin"], seen.facts[1]["end"]
    assert all(begin < a["begin"] and a["end"] < end for a in work)
    for stream in (0, 1):
        mine = sorted((a["begin"], a["end"]) for a in work if a["stream"] == stream)
        assert len(mine) >= 3
        assert all(before[1] <= after[0] for before, after in zip(mine, mine[1:]))
    assert 0 < sum(a["end"] - a["begin"] for a in work) <= 2 * (end - begin)


def test_ended_activities_are_visited_once_while_the_profiler_continues(activity: Program) -> None:
    seen = events(activity, "drain")
    first, second, third = SCALE, "wait_for(int const volatile*)", SCALE
    assert [(a["name"], a["grid"][0]) for a in seen.of(KERNEL)] == [(first, 1), (second, 2), (third, 3)]
    numbers = [a["correlation"] for a in seen.of(CALL)]
    assert len(numbers) == len(set(numbers)) == 6
    assert seen.facts == [{"active": 1}, {"active": 1}, {"unfinished": 0}]


def test_the_ends_of_copies_and_fills(activity: Program) -> None:
    pageable, pinned, device, managed = 1, 2, 3, 4
    here, peer, no_device = [device, 1, 0], [device, 1, 1], -1
    assert events(activity, "ends", MUSA_SIM_DEVICES="2").facts == [
        {"bytes": 1, "from": [pageable, 0, no_device], "to": here, "value": 0},
        {"bytes": 2, "from": here, "to": [pinned, 0, no_device], "value": 0},
        {"bytes": 3, "from": [pinned, 0, no_device], "to": [managed, 1, no_device], "value": 0},
        {"bytes": 4, "from": here, "to": peer, "value": 0},
        {"bytes": 5, "from": [managed, 0, no_device], "to": [pageable, 0, no_device], "value": 0},
        {"bytes": 6, "from": [0, 0, 0], "to": here, "value": 9},
    ]


def test_an_observer_hears_of_calls_with_a_profiler_and_without(activity: Program) -> None:
    seen = events(activity, "observer")
    assert seen.facts[:2] == [{"streams": [0, 1]}, {"second": "musaErrorNotPermitted"}]
    heard = [fact for fact in seen.facts if "heard" in fact]
    launch, wait = "musaLaunchKernel", "musaDeviceSynchronize"
    assert [(fact["heard"], fact["entered"]) for fact in heard] == [
        (name, entered) for name in (launch, "musaStreamSynchronize", launch, wait) for entered in (1, 0)
    ]
    assert [fact["number"] for fact in heard[::2]] == [fact["number"] for fact in heard[1::2]]
    assert [fact["stream"] for fact in heard] == [-1, -1, -1, 1, -1, -1, -1, -1]
    assert [fact["ended"] for fact in heard] == [0, 1] * 4
    assert {fact["data"] for fact in heard} == {5}
    assert [a["grid"][0] for a in seen.of(KERNEL)] == [2, 3]
    assert [a["correlation"] for a in seen.of(CALL)[:2]] == [fact["number"] for fact in heard[4::2]]


def test_correlation_with_what_the_caller_does(activity: Program) -> None:
    seen = events(activity, "external")
    assert [(a["grid"][0], a["external"]) for a in seen.of(KERNEL)] == [(1, 0), (2, 8), (3, 7), (4, 0), (5, 0)]
    numbers = [a["correlation"] for a in seen.of(KERNEL)]
    assert len(set(numbers)) == 5  # the fifth is of another session
    (operator,) = seen.of(OPERATOR)
    (call,) = (a for a in seen.of(CALL) if a["name"] == "turn to it")
    assert (operator["name"], operator["stream"], operator["external"]) == ("stands in", 0, 7)
    assert (call["correlation"], call["external"]) == (operator["correlation"], 7)
    assert call["end"] <= operator["begin"] <= operator["end"] - 20_000_000


def test_work_in_flight_belongs_to_no_profile(activity: Program) -> None:
    seen = events(activity, "cut")
    assert [a["name"] for a in seen.activities] == ["musaMemset", "musaLaunchKernel"]
    assert seen.facts == [{"unfinished": 2}, {"unfinished": 0}]


def test_misuse_is_refused(activity: Program) -> None:
    assert events(activity, "refused").facts == [
        {"version": "musaErrorInvalidValue"},
        {"second": "musaErrorNotPermitted"},
        {"unfinished": 0},
        {"active": 0},
        {"operator": 0},
    ]


def test_a_kernel_that_fails_ran_and_the_next_one_did_not(activity: Program) -> None:
    seen = events(activity, "failure")
    assert [a["name"] for a in seen.of(KERNEL)] == ["fault()"]
    assert seen.facts == [{"unfinished": 1}]


def test_a_forked_process_is_not_profiled_until_it_asks(activity: Program) -> None:
    seen = events(activity, "child")
    unfinished = [{"unfinished": 0}]
    assert seen.facts == [*unfinished * 2, {"child": 0}, *unfinished]
    assert [a["grid"][0] for a in seen.activities if a["kind"] == KERNEL] == [3, 1]
