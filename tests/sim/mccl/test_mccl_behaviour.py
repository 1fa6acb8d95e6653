"""Programs may rely on more than the numbers: order, groups, messages, several communicators."""

from __future__ import annotations

import pytest
from mccl_programs import Build

FACTS = {
    "init_all": {"device": "0", "correct": "4", "ranks": "400 411 422 433 "},
    "init_in_group": {"ranks": "1/2 0/1 0/2 ", "last": "none", "correct": "1"},
    "nothing_else_waits": {"waiting": "1", "still_waiting": "1", "correct": "80"},
    "order": {"correct": "6"},
    "several": {"correct": "4"},
    "messages": {"processes": "0", "threads": "0"},
    "messages_apart": {"correct": "6"},
    "factors": {"correct": "6"},
    # 7: in progress; 4: invalid argument; 5: invalid usage
    "not_blocking": {"first": "7", "too_early": "4", "second": "1", "correct": "1", "finalized": "5"},
    "profiled": {"seen": "mcclBroadcast mcclBroadcast ", "unfinished": "0"},
    "rest": {"version": "1", "no_error": "no error", "last": "", "gone": "4"},
}


@pytest.mark.parametrize("case", FACTS)
def test_facts(build: Build, case: str) -> None:
    run = build("behaviour.cpp")(case, env={"MUSA_SIM_DEVICES": "4", "MUSA_SIM_MCCL_TIMEOUT": "20"})
    assert (run.status, run.stderr) == (0, "")
    assert run.facts == FACTS[case]


@pytest.mark.parametrize("case", ["init_all", "init_in_group", "order", "messages", "factors"])
def test_facts_when_calls_wait_for_their_work(build: Build, case: str) -> None:
    """MUSA_SIM_ASYNC=0; only what is in one group can then be called by one thread."""
    env = {"MUSA_SIM_DEVICES": "4", "MUSA_SIM_MCCL_TIMEOUT": "20", "MUSA_SIM_ASYNC": "0"}
    run = build("behaviour.cpp")(case, env=env)
    assert (run.status, run.stderr) == (0, "")
    assert run.facts == FACTS[case]
