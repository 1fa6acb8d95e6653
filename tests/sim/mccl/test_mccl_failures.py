"""Ranks that end, differ or do not come: an error in every rank that is left, in time."""

from __future__ import annotations

import platform
import re
import time

import pytest
from mccl_programs import Build, Result

REMOTE, USAGE, MUSA = "6", "5", "1"


def heard(result: Result, rank: int) -> tuple[str, str, str]:
    """The errors of a rank's stream, its communicator and its next call."""
    sync, state, again = (result.facts.get(f"{what}{rank}", "nothing") for what in ("sync", "state", "again"))
    return sync, state, again


def run(build: Build, *arguments: object, timeout: float = 60) -> Result:
    env = {"MUSA_SIM_DEVICES": "3", "MUSA_SIM_MCCL_TIMEOUT": str(timeout)}
    program = build("failures.mu")
    began = time.monotonic()
    result = program(*arguments, env=env)
    assert time.monotonic() - began < 30  # of 60: no rank waited for the timeout
    assert result.status == 0, result.stderr
    return result


@pytest.mark.parametrize("after", [0, 5])
def test_rank_that_is_killed_between_collectives(build: Build, after: int) -> None:
    result = run(build, "killed", after)
    assert heard(result, 0) == heard(result, 2) == ("0", REMOTE, REMOTE)
    assert len(re.findall(r"rank 1 \(process \d+\) has ended", result.stderr)) == 2


def test_rank_that_is_killed_somewhere(build: Build) -> None:
    for _ in range(5):
        result = run(build, "killed_somewhere")
        assert heard(result, 0) == heard(result, 2) == ("0", REMOTE, REMOTE)


def test_rank_that_is_killed_before_it_joins(build: Build) -> None:
    result = run(build, "killed", -1, timeout=2)
    assert (result.facts["state0"], result.facts["state2"]) == (REMOTE, REMOTE)
    assert "has waited 2 s (MUSA_SIM_MCCL_TIMEOUT) for rank 1, which has not joined" in result.stderr


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (
            "sizes",
            r"the ranks differ: rank \d called AllReduce \(sum\) of 1[01] float32; "
            r"rank \d called AllReduce \(sum\) of 1[12] float32",
        ),
        (
            "kinds",
            r"the ranks differ: rank 0 called Broadcast of 10 float32 with root 1; "
            r"rank 1 called AllReduce \(prod\) of 10 float32",
        ),
        ("message_sizes", "the ranks differ: rank 0 sends 40 bytes to rank 1, which receives 44"),
    ],
)
def test_ranks_that_differ_hear_the_same(build: Build, case: str, text: str) -> None:
    result = run(build, case)
    ranks = 3 if case == "sizes" else 2
    for rank in range(ranks):
        assert heard(result, rank) == ("0", USAGE, USAGE)
    assert len({line.partition(": the ranks")[2] for line in result.stderr.splitlines()}) == 1
    assert len(re.findall(text, result.stderr)) == ranks


def test_rank_that_does_something_else_ends_after_the_timeout(build: Build) -> None:
    result = run(build, "too_late", timeout=2)
    for rank in range(2):
        assert heard(result, rank) == ("0", REMOTE, REMOTE)
    assert re.search(r"has waited 2 s \(MUSA_SIM_MCCL_TIMEOUT\) for rank \d, whose last call was", result.stderr)


@pytest.mark.parametrize(("case", "verb"), [("aborted", "aborted"), ("left", "destroyed")])
def test_rank_that_leaves(build: Build, case: str, verb: str) -> None:
    result = run(build, case)
    assert heard(result, 0) == ("0", REMOTE, REMOTE)
    assert re.search(rf"rank 1 \(process \d+\) has {verb} its communicator", result.stderr)


def test_kernel_that_fails_before_a_collective(build: Build) -> None:
    result = run(build, "failed_kernel")
    assert heard(result, 0) == ("0", REMOTE, REMOTE)
    assert heard(result, 1) == ("1", MUSA, MUSA)
    assert "rank 1 of 2 failed: a kernel had failed on its device: unspecified launch failure" in result.stderr


def test_abort_does_not_wait(build: Build) -> None:
    assert run(build, "abort_waiting").facts == {"synchronised": "0"}


def test_arguments(build: Build) -> None:
    result = run(build, "arguments")
    assert result.stderr == ""
    assert result.facts == {
        "no_communicator": "4 this is no communicator (any more)",
        "null": "4 AllReduce: the buffer to send is NULL",
        "host": "4 AllReduce: the buffer to send is no memory of a device",
        "elsewhere": "4 AllReduce: the buffer to send is memory of device 0; rank 1 is on device 1",
        "too_small": "4 AllReduce: the buffer to send needs 4004 bytes; its allocation ends after 4000",
        "too_many": "4 AllReduce: too many elements",
        "type": "4 AllReduce: there is no data type 10",
        "op": "4 there is no operation 5 for this communicator",
        "root": "4 Broadcast: the root is 2; the ranks are 0 to 1",
        "peer": "4 Send: the other rank is -1; the ranks are 0 to 1",
        "op_of_type": "4 the operation was made for float32, not for int32",
        "op_of_other": "4 there is no operation 5 for this communicator",
        "gather": "4 AllGather: the buffer to receive needs 8000 bytes; its allocation ends after 4000",
        "group_end": "5 mcclGroupEnd without mcclGroupStart",
        "group": "4 AllReduce: the buffer to send is NULL",
        "in_group": "4",
        "stream": "1 mcclAllReduce: invalid resource handle",
        "captured": "5 mcclAllReduce in a stream that is being captured: the simulator does not put collectives "
        "into graphs",
        "sum": "2",
        "forked": "5 a communicator cannot be used in a child of fork()",
    }


def test_joining(build: Build) -> None:
    facts = run(build, "joining", timeout=1).facts
    gone = "which made the unique id, has ended or has left the communicator"
    device = "are both on device 0000:02:00.0; give each rank its own (musaSetDevice, torch.musa.set_device, "
    device += "MUSA_SIM_DEVICES), or set"
    wanted = {
        "rank": "4 rank 2 of 2: must be 0 to 1",
        "ranks": "4 0 ranks: must be 1 to 64",
        "late": "6 joining failed in rank 0 of 2: rank 0 has waited 1 s (MUSA_SIM_MCCL_TIMEOUT) for rank 1, "
        "which has not joined",
        "handle": "NULL",
        "twice": "5 rank 0 has joined with this unique id already",
        "other_number": "4 rank 1 was told of 3 ranks, another one of 2",
        "garbage": "4 the unique id is not from mcclGetUniqueId of this library",
        "config": "4 the configuration was not set to MCCL_CONFIG_INITIALIZER first",
        "no_device": "4 there is no device 99",
        "ended": f"6 process PID, {gone}",
        "elsewhere": f"5 the unique id was made on host {platform.node()}, in another machine or container; the "
        "simulator's ranks share memory, so all of them must be in one",
    }
    same = facts.pop("same_device")
    assert re.fullmatch(rf"5 joining failed in rank \d of 2: ranks 0 and 1 {re.escape(device)} MUSA_\w+=1", same)
    assert {name: re.sub(r"process \d+", "process PID", text) for name, text in facts.items()} == wanted


@pytest.mark.parametrize("value", ["soon", "0", "-1"])
def test_setting_that_is_no_time(build: Build, value: str) -> None:
    env = {"MUSA_SIM_MCCL_TIMEOUT": value, "MUSA_SIM_DEVICES": "2"}
    result = build("failures.mu")("arguments", env=env)
    assert result.status == 1
    assert f"MUSA_SIM_MCCL_TIMEOUT is '{value}', not a positive number of seconds" in result.stderr
