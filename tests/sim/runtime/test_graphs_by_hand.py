"""Graphs that are made node by node: what launches compute, what changes, what is refused."""

from __future__ import annotations

import pytest
from sim_programs import Build, Program

OK = "musaSuccess"
INVALID = "musaErrorInvalidValue"
HANDLE = "musaErrorInvalidResourceHandle"


@pytest.fixture(scope="module")
def graphs(build: Build) -> Program:
    return build("graphs_by_hand.mu")


def facts(graphs: Program, case: str, **env: str) -> dict[str, str]:
    result = graphs(case, env=env)
    assert result.status == 0, result.stderr
    return result.facts


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_THREADS": "4"}, {"MUSA_SIM_ASYNC": "0"}], ids=str)
def test_a_diamond_of_all_kinds_of_work(graphs: Program, env: dict[str, str]) -> None:
    y = 0x01020102 * 2
    assert facts(graphs, "diamond", **env) == {
        "sum": str(7 * 3 + y),
        "calls": "3",
        "depends on": "1",
        "dependent": "1",
        "edges": "7",
        "roots": "2",
        "type of empty": "5",
        "changed": str(1 * 5 + y),
        "left alone": "0",
        "calls after": "5",
        "graph's own": str(7 * 3 + y),
        "calls of both": "6",
        "update": OK,
        "updated": str(1 * 5 + y),
        "another edge": "musaErrorGraphExecUpdateFailure",
        "which": "1",
        "twice the edge": INVALID,
        "no such edge": INVALID,
        "as before": OK,
        "circle": INVALID,
        "without the sum": "0",
        "node is gone": INVALID,
        "executable keeps it": str(1 * 5 + y),
    }


def test_branches_run_at_the_same_time_whatever_order_they_were_made_in(graphs: Program) -> None:
    found = facts(graphs, "branches", MUSA_SIM_THREADS="1", MUSA_SIM_WATCHDOG="20")
    assert found == {"met": "2", "two to the twentieth": str(2**20)}


def test_rectangles_and_arrays(graphs: Program) -> None:
    good = ("same", "given back", "fill", "captured")
    bad = ("too many rows", "elements of three bytes", "no copy")
    assert facts(graphs, "rectangles") == {**dict.fromkeys(good, "1"), **dict.fromkeys(bad, INVALID)}


def test_variables_of_the_device(graphs: Program) -> None:
    assert facts(graphs, "symbols") == {
        "kernel": "42",
        "from": "2",
        "kernel after": "78",
        "from after": "7",
        "past the end": INVALID,
        "wrong way": "musaErrorInvalidMemcpyDirection",
    }


def test_graphs_in_graphs_and_clones(graphs: Program) -> None:
    found = facts(graphs, "children")
    for product in [name for name in found if "*" in name]:
        assert found.pop(product) == str(eval(product))
    assert found == {
        "its own": "1",
        "found in clone": "1",
        "destroying it": INVALID,
        "another form": INVALID,
        "not a clone's": INVALID,
        "clone": str(10 * 3 * 2 * 2 * 2 * 3),
        "captured nodes": "4",
        "captured": str(2 * 3 * 3 * 2 * 3),
    }


def test_events_are_recorded_and_awaited_by_each_launch(graphs: Program) -> None:
    assert facts(graphs, "events") == {
        "time passes": "1",
        "its event": "1",
        "no wait": INVALID,
        "before": HANDLE,
        "after": OK,
        "waits": "musaErrorNotReady",
        "saw": str(0x02020202),
        "captured": "67",
        "outside": "musaErrorIllegalState",
    }


def test_attributes_of_kernels(graphs: Program) -> None:
    ones = dict.fromkeys(("window", "copied", "kept"), "1")
    assert facts(graphs, "attributes") == {"cooperative": "0", **ones, "no attribute": INVALID}


def test_memory_of_graphs(graphs: Program) -> None:
    result = graphs("memory")
    assert result.facts == {
        "never freed": OK,
        "freed twice": INVALID,
        "result": "18",
        "given": "1",
        "used": "4000",
        "clone": "musaErrorNotSupported",
        "destroy node": "musaErrorNotSupported",
        "used after": "0",
        "high": "4000",
        "high after": "0",
        "comes back": "1",
    }


def test_memory_that_launches_leave_allocated(graphs: Program) -> None:
    assert facts(graphs, "left memory") == {
        "free before": INVALID,
        "freeing graph before": INVALID,
        "launch": OK,
        "value": "18",
        "launch again": INVALID,
        "free": OK,
        "free twice": INVALID,
        "launch after free": OK,
        "free in stream": OK,
        "free in stream twice": INVALID,
        "launch after that": OK,
        "freeing graph": OK,
        "freeing graph twice": INVALID,
        "first launch that frees": OK,
        "second launch that frees": OK,
        "launch that does not": INVALID,
        "value without the graph": "18",
        "free without the graph": OK,
        "free that twice": INVALID,
        "comes back": "1",
    }


def test_objects_live_as_long_as_what_uses_them(graphs: Program) -> None:
    assert facts(graphs, "objects") == {
        "without the flag": INVALID,
        "alive": "0",
        "executable keeps them": "0",
        "gone": "11",
        "calls inside": "musaErrorNotPermitted",
        "stale": INVALID,
        "more than it has": INVALID,
        "own reference is left": "11",
        "last": "12",
    }


def test_nodes_made_by_hand_in_a_capture(graphs: Program) -> None:
    assert facts(graphs, "capture") == {"mixed": "20", "edges": "2", "not captured": "musaErrorIllegalState"}


def test_refused(graphs: Program) -> None:
    found = facts(graphs, "refused")
    assert found.pop("no event") == HANDLE
    assert set(found.values()) == {INVALID}, found
