"""Calls of CUDA's host code besides launches and plain copies: good cases, each error, in streams and in graphs."""

from __future__ import annotations

import pytest
from sim_programs import Build, Program

OK = "musaSuccess"
INVALID = "musaErrorInvalidValue"
KERNEL = "kernel (anonymous namespace)::is_cooperative(int*) cannot be launched"
TWO = {"MUSA_SIM_DEVICES": "2"}


@pytest.fixture(scope="module")
def calls(build: Build) -> Program:
    return build("host_calls.mu")


def agrees(calls: Program, case: str, refused: tuple[str, ...] = (), *, but: dict[str, str]) -> None:
    """Check the answers that are not `musaSuccess`, and the sentences about what is not simulated."""
    result = calls(case)
    assert result.status == 0
    found = {question: answer for question, answer in result.facts.items() if answer != OK}
    assert found == but
    assert [line.removeprefix("[musa-sim] ") for line in result.stderr.splitlines()] == list(refused)


def test_launches_with_attributes(calls: Program) -> None:
    agrees(
        calls,
        "launches",
        refused=(
            f"{KERNEL}: the cooperative launch has 1048576 blocks; mp_22 runs 896 of them at a time, "
            "16 on each of 56 multiprocessors",
            "launches of clusters of blocks are not simulated",
            "clusterDim is (0,1,1); each of them is at least 1",
            "events that kernels trigger (musaLaunchAttributeProgrammaticEvent) are not simulated",
            f"{KERNEL}: blockDim.x is 0; mp_22 allows 1 to 1024",
        ),
        but={
            "sum": "23",
            "grid": "1",
            "too large": "musaErrorCooperativeLaunchTooLarge",
            "cluster": "musaErrorNotSupported",
            "empty cluster": INVALID,
            "event": "musaErrorNotSupported",
            "unknown": INVALID,
            "no configuration": INVALID,
            "no attributes": INVALID,
            "no threads": "musaErrorInvalidConfiguration",
            "after capture": "123",
        },
    )


def test_boxes(calls: Program) -> None:
    agrees(
        calls,
        "boxes",
        but={
            "pitch is enough": "1",
            "wrong kind": INVALID,
            "no kind": "musaErrorInvalidMemcpyDirection",
            "wider than its pitch": "musaErrorInvalidPitchValue",
            "beyond the end": INVALID,
            "to nowhere": INVALID,
            "nothing": INVALID,
            "fill beyond": INVALID,
            "filled": "7977",
            "capture ends": "musaErrorStreamCaptureInvalidated",
            "synchronous in a graph": "musaErrorStreamCaptureUnsupported",
        },
    )
    numbers = [line.rstrip() for line in calls("boxes").text.splitlines() if "=" not in line]
    assert numbers == [
        "9 9 9 9 9 9 1 2 3 4 9 6 7 8 9 9 9 9 9 9 9 16 17 18 19 9 21 22 23 24",
    ]


def test_arrays(calls: Program) -> None:
    agrees(
        calls,
        "arrays",
        but={
            "line": "1004",
            "capture ends": "musaErrorStreamCaptureInvalidated",
            "allocation in a graph": "musaErrorStreamCaptureUnsupported",
            "wrong kind": "musaErrorInvalidMemcpyDirection",
            "two targets": INVALID,
            "too wide": INVALID,
            "too high": INVALID,
            "no width": INVALID,
            "three components": "musaErrorInvalidChannelDescriptor",
            "floats of 8 bits": "musaErrorInvalidChannelDescriptor",
            "free again": "musaErrorInvalidResourceHandle",
            "freed": "musaErrorInvalidResourceHandle",
        },
    )
    numbers = [line.rstrip() for line in calls("arrays").text.splitlines() if "=" not in line]
    assert numbers == [
        "16 16 0 0 0, 4 3 0, 0",
        "1 2 3 4 5 6 7 8 9 10 1 2 3 4 15 16 17 18 5 6 7 8 23 24",
        "5 6 1 2 3 4 15 16",
    ]


def test_prefetching_and_advice(calls: Program) -> None:
    agrees(
        calls,
        "managed",
        but={
            "first half": "0",
            "second half": "-1",
            "both": "-2",
            "half is read mostly": "1",
            "all is not": "0",
            "preferred where": "0",
            "accessed by": "-12",
            "unset": "-22",
            "wrong size": INVALID,
            "no such device": "musaErrorInvalidDevice",
            "no bytes": INVALID,
            "beyond": INVALID,
            "device memory": INVALID,
            "advice about device memory": INVALID,
            "no advice": INVALID,
            "no such place": "musaErrorInvalidDevice",
            "capture ends": "musaErrorStreamCaptureInvalidated",
            "in a graph": "musaErrorStreamCaptureUnsupported",
        },
    )


def test_memory_pools(calls: Program) -> None:
    agrees(
        calls,
        "pools",
        but={
            "is default": "1",
            "no such device": "musaErrorInvalidDevice",
            "used": "2",
            "used after a free": "1",
            "reserved without a threshold": "1",
            "threshold is": "3",
            "kept": "1",
            "device's": "1",
            "device's after trimming": "0",
            "high": "2",
            "high after": "0",
            "read only": INVALID,
            "reuse is": "0",
            "no attribute": INVALID,
            "no kind": INVALID,
            "in mine": "2",
            "destroy again": INVALID,
            "default again": "1",
            "destroy the default": INVALID,
            "all given back": "0",
            "access is": "3",
            "take the owner's": INVALID,
            "result": "5",
            "pool of nothing": INVALID,
        },
    )


def test_the_profiler_is_switched(calls: Program) -> None:
    agrees(
        calls,
        "profiler",
        but={},
    )


@pytest.mark.parametrize("environment", [{"MUSA_SIM_ASYNC": "0"}, {"MUSA_SIM_CHECK": "host"}], ids=str)
@pytest.mark.parametrize("case", ["launches", "boxes", "arrays", "managed"])
def test_the_same_in_other_modes(calls: Program, case: str, environment: dict[str, str]) -> None:
    assert calls(case, env=environment).text == calls(case).text


def test_memory_of_a_pool_is_reached_as_the_pool_says(calls: Program) -> None:
    refused = calls("pool of peer", env=TWO)
    assert refused.facts == {"result": "musaErrorIllegalAddress", "value": "0"}
    assert "device 1 was not given access to its memory pool by musaMemPoolSetAccess" in refused.stderr
    allowed = calls("allowed pool of peer", env=TWO)
    assert (allowed.facts, allowed.stderr) == ({"result": OK, "value": "33"}, "")
