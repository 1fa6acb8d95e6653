"""Nodes by one structure, graphs that depend on a value, disabled nodes, captures into a graph, kernels' parameters."""

from __future__ import annotations

import pytest
from sim_programs import Build, Program

OK = "musaSuccess"
INVALID = "musaErrorInvalidValue"
REFUSED = "musaErrorNotSupported"
ENVIRONMENTS = [{}, {"MUSA_SIM_THREADS": "1"}, {"MUSA_SIM_THREADS": "4"}, {"MUSA_SIM_ASYNC": "0"}]


@pytest.fixture(scope="module")
def graphs(build: Build) -> Program:
    return build("graph_conditions.mu")


def facts(graphs: Program, case: str, **env: str) -> dict[str, str]:
    result = graphs(case, env=env)
    assert result.status == 0, result.stderr
    return result.facts


def collatz_steps(number: int) -> int:
    """The iterations until 1, of a loop that begins with a step."""
    steps = 0
    while steps == 0 or number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return steps


def test_every_kind_of_node_by_one_structure_and_disabled_nodes(graphs: Program) -> None:
    bad = ("a graph cannot be", "a call cannot be", "of another graph", "nothing", "reserved", "flags of a copy")
    assert facts(graphs, "kinds") == {
        "product": "15",
        "calls": "2",
        "recorded": OK,
        "another factor": "21",
        "the graph's": "15",
        "another fill": "10",
        "the executable's": "21",
        "enabled": "1",
        "disabled": "0",
        "without the product": "3",
        "still without": "3",
        "again": "21",
        **dict.fromkeys((*bad, "no such kind", "another kind", "no such edge"), INVALID),
        "an early edge": OK,
    }


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
def test_a_loop_runs_until_its_kernels_end_it(graphs: Program, env: dict[str, str]) -> None:
    assert facts(graphs, "loop", **env) == {
        **{f"steps from {number}": str(collatz_steps(number)) for number in (27, 97, 2)},
        "after each": "3",
        "type": "13",
        "clone": REFUSED,
        "child": REFUSED,
        "destroy the body": INVALID,
        "captured": "musaErrorStreamCaptureUnsupported",
        "and then": "musaErrorStreamCaptureInvalidated",
        "after its end": str(collatz_steps(8)),
    }


def test_if_else_and_switch(graphs: Program) -> None:
    # twice 1 and 7, with and without another graph, which 0 chooses; switch: 0, 1, 1, 2, and two numbers beyond
    assert facts(graphs, "branches") == {"if": "4", "else": "2", "switch": str(1 + 10 + 10 + 100)}


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
def test_loops_in_loops_and_changes_of_their_nodes(graphs: Program, env: dict[str, str]) -> None:
    assert facts(graphs, "nested", **env) == {
        "additions": str(3 * 4),
        "hundreds": str(2 * 4 * 100),
        "none added": str(2 * 4 * 100),
        "update": OK,
        "sevens": str(4 * 7),
        "a body grew": "musaErrorGraphExecUpdateFailure",
        "topology": "1",
    }


def test_streams_are_captured_into_a_graph(graphs: Program) -> None:
    assert facts(graphs, "captured") == {
        "the same graph": "1",
        "twice five": "10",
        "depends on": "1",
        "too early": INVALID,
        "twice": INVALID,
        "ten times three": "30",
        "nodes": "3",
        "unjoined": "musaErrorStreamCaptureUnjoined",
        "no graph": "1",
        "still there": OK,
        "of another graph": INVALID,
    }


def test_what_cannot_become_executable_says_why(graphs: Program) -> None:
    bad = (
        "no graph",
        "no such flag",
        "unused",
        "two loops",
        "of another graph",
        "no handle",
        "a call inside",
        "circle",
    )
    result = graphs("refused")
    assert result.facts == {
        **dict.fromkeys((*bad, "upload alone", "of nothing"), INVALID),
        **dict.fromkeys(("why", "which", "in the circle", "success"), "1"),
        "with flags": OK,
        "flags": "3",
        "from kernels": REFUSED,
    }
    assert "a graph of a conditional node has a node of type HOST; it may have kernels, copies" in result.stderr
    assert "launches of graphs from kernels (musaGraphInstantiateFlagDeviceLaunch)" in result.stderr


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
def test_a_failing_kernel_ends_the_loop(graphs: Program, env: dict[str, str]) -> None:
    assert facts(graphs, "failure", **env) == {"ends": "musaErrorIllegalAddress"}


def test_parameters_of_kernels_clusters_entry_points_and_locations(graphs: Program) -> None:
    result = graphs("parameters")
    assert result.facts == {
        "places": "7",
        **dict.fromkeys(("beyond", "no place wanted", "flags"), INVALID),
        "no size wanted": OK,
        "no kernel": "musaErrorInvalidDeviceFunction",
        "clusters of one": "1",
        "largest": "1",
        "clusters of two": REFUSED,
        "found": "1",
        "not found": "1",
        "to the device": "0",
        "to the host": "-1",
        "prefers the host": "-1",
        "nowhere": "musaErrorInvalidDevice",
    }
