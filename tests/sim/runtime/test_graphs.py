"""Streams captured into graphs: what launches compute, what is refused and how, what profilers and checks see."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sim_programs import SOURCES, Build, Program

OK = "musaSuccess"
INVALIDATED = "musaErrorStreamCaptureInvalidated"
UNSUPPORTED = "musaErrorStreamCaptureUnsupported"
IMPLICIT = "musaErrorStreamCaptureImplicit"
ISOLATION = "musaErrorStreamCaptureIsolation"
CAPTURED_EVENT = "musaErrorCapturedEvent"
INVALID = "musaErrorInvalidValue"
ADD = "add(unsigned int*, unsigned int const*, unsigned int const*, unsigned int)"
KERNEL, COPY, FILL, HOST, ALLOCATE, FREE = 0, 1, 2, 3, 10, 11


@pytest.fixture(scope="module")
def graphs(build: Build) -> Program:
    return build("graphs.mu", flags=("-pthread",))


@pytest.mark.parametrize(
    "env", [{}, {"MUSA_SIM_THREADS": "4"}, {"MUSA_SIM_ASYNC": "0"}, {"MUSA_LAUNCH_BLOCKING": "1"}], ids=str
)
@pytest.mark.parametrize("n", [1, 1000, 40_001])
def test_launches_compute_what_the_streams_would(
    graphs: Program, rng: np.random.Generator, n: int, env: dict[str, str]
) -> None:
    """Two streams that fork and join; four launches of one graph for each of three random inputs."""
    x = rng.integers(0, 2**32, 3 * n, dtype=np.uint32)
    plain = graphs.array(np.uint32, "plain", n, 3, 4, inputs=[x], env=env)
    assert len(set(plain.reshape(3, n)[:, 0])) == 3
    np.testing.assert_array_equal(graphs.array(np.uint32, "graph", n, 3, 4, inputs=[x], env=env), plain)


def test_launches_of_a_graph_in_several_streams_come_one_after_the_other(graphs: Program) -> None:
    value = 0x01010101
    for _ in range(50):
        value = (value * 3 + 1) * 5 + 2
    expected = np.full(1 << 14, value % 2**32, np.uint32)
    np.testing.assert_array_equal(graphs.array(np.uint32, "order", 50), expected)


def test_a_graph_keeps_values_of_arguments_and_addresses_of_buffers(graphs: Program) -> None:
    facts = graphs("buffers").facts
    assert facts == {
        "freed": INVALID,
        "nothing ran": "0",
        **{f"launch {i}": str(10 * i + 1) for i in (1, 2, 3)},
        **{f"pageable {i}": str(10 * i) for i in (1, 2, 3)},
        "memory comes back": "1",
    }


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_ASYNC": "0"}], ids=str)
def test_kernels_of_graphs_get_other_parameters(graphs: Program, env: dict[str, str]) -> None:
    result = graphs("parameters", env=env)
    assert result.facts == {
        "as captured": "16 0",
        "found": "1 2 64 0, 3 1",
        "another argument": "51 0",
        "the node's own again": "16 0",
        "executable of before": "16 0",
        "made of the changed graph": "1 7",
        "kept": "7",
        "another kernel": "5 12",
        "too many threads": INVALID,
        "extra": INVALID,
        "no kernel": "musaErrorInvalidDeviceFunction",
        **dict.fromkeys(("no parameters", "a fill", "node of another graph", "destroyed"), INVALID),
        "all refused": "5 17",
    }
    refusal = "blockDim.x is 2048; mp_22 allows 1 to 1024"
    assert result.stderr.splitlines() == [f"[musa-sim] kernel {ADD} cannot be launched: {refusal}"]


def test_executable_graphs_take_over_graphs_of_the_same_form(graphs: Program) -> None:
    failure = "musaErrorGraphExecUpdateFailure"
    topology, node_type = 2, 3
    assert graphs("updates").facts == {
        "as captured": "7",
        "same": f"{OK} 0 -1",
        "updated": "37",
        "fewer nodes": f"{failure} {topology} -1",
        "another type": f"{failure} {node_type} 1",
        "another edge": f"{failure} {topology} 1",
        "all refused": "37",
        "child": OK,
        "updated child": "8",
        "two children": failure,
        "another child": failure,
    }


def test_what_cannot_be_captured_is_refused_and_ends_the_capture(graphs: Program) -> None:
    result = graphs("refused")
    answers = {name: tuple(answer.split(", ")) for name, answer in result.facts.items()}
    assert answers.pop("value") == ("0",)
    expected = {
        **dict.fromkeys(("synchronise stream", "query stream", "synchronise other", "synchronise device"), UNSUPPORTED),
        **dict.fromkeys(("reset", "query event", "synchronise event", "callback"), UNSUPPORTED),
        **dict.fromkeys(("malloc", "malloc managed", "malloc host", "host alloc", "register", "free"), UNSUPPORTED),
        **dict.fromkeys(("memcpy", "memset", "to symbol"), UNSUPPORTED),
        **dict.fromkeys(("wait for event", "wait for no event"), ISOLATION),
        **dict.fromkeys(("captured event", "time of captured event"), CAPTURED_EVENT),
        "free async": INVALID,
        "after an error": INVALIDATED,
        "destroy": OK,
    }
    good = {"create": OK, "begin": "musaErrorIllegalState", "malloc without free": OK, "destroy joined": OK}
    assert answers == {
        **{name: (error, INVALIDATED) for name, error in expected.items()},
        **{name: (error, OK) for name, error in good.items()},
    }


def test_the_default_stream_beside_a_capture(graphs: Program) -> None:
    assert graphs("legacy").facts == {
        **dict.fromkeys(("begin", "begin legacy"), UNSUPPORTED),
        **dict.fromkeys(("launch", "memcpy", "synchronise", "record", "wait"), f"{IMPLICIT}, {INVALIDATED}"),
        "status": f"{IMPLICIT}, {OK}",
        **dict.fromkeys(("launch beside", "status beside", "per thread"), f"{OK}, {OK}"),
        "value": "6",
    }


def forbidden(mine: bool, of_capture: int, of_thread: int) -> bool:
    """The rule of CUDA's manual: 0 is global, 1 thread-local, 2 relaxed."""
    if of_thread == 2:
        return False
    return of_capture != 2 if mine else of_thread == 0 and of_capture == 0


def test_modes_of_captures_and_threads(graphs: Program) -> None:
    facts = graphs("thread_modes").facts
    for mine, of_capture, of_thread in product((True, False), range(3), range(3)):
        name = f"{'mine' if mine else 'other'} {of_capture} {of_thread}"
        assert facts.pop(name) == ("900 901" if forbidden(mine, of_capture, of_thread) else "0 0"), name
    # Only a relaxed capture can be ended by another thread; the others are over then, too.
    assert facts == {"end 0": "908 0", "end 1": "908 0", "end 2": "0 0"}


def test_streams_join_by_events(graphs: Program) -> None:
    facts = graphs("forks", env={"MUSA_SIM_THREADS": "1", "MUSA_SIM_WATCHDOG": "20"}).facts
    assert facts == {
        "joins": "1",
        "without work": OK,
        "unjoined": "musaErrorStreamCaptureUnjoined",
        "is over": "0",
        "ended in the fork": "musaErrorStreamCaptureUnmatched",
        "then in the origin": INVALIDATED,
        "merge": "musaErrorStreamCaptureMerge",
        "merged a": INVALIDATED,
        "merged b": INVALIDATED,
        "over": OK,
        "event of the past": INVALID,
        "query it": INVALID,
        "recorded anew": OK,
        "no capture": "musaErrorIllegalState",
        "none": "musaErrorIllegalState",
        "meet": OK,
    }


def test_what_is_known_of_a_capture(graphs: Program) -> None:
    assert graphs("info").facts == {
        "none": "0",
        "untouched": "77",
        "active": "1",
        "last nodes": "1",
        "last is": str(FILL),
        "not yet": INVALID,
        "nor this": INVALID,
        "invalidated": "2",
        "end": INVALIDATED,
        "another id": "1",
        "empty": OK,
        "no mode": INVALID,
        "no thread mode": INVALID,
        "no stream": "musaErrorInvalidResourceHandle",
    }


def test_nodes(graphs: Program, tmp_path: Path) -> None:
    """Their types, a drawing of them, stale handles, graphs in graphs, and what outlives what."""
    types = [KERNEL, COPY, COPY, FILL, HOST, HOST, ALLOCATE, FREE]
    drawing = tmp_path / "graph.dot"
    assert graphs("nodes", drawing).facts == {
        "nodes": "8",
        "given": "8",
        "rest is null": "1",
        **{f"type {i}": str(kind) for i, kind in enumerate(types)},
        "roots": "1",
        "edges": "7",
        "no directory": "musaErrorOperatingSystem",
        **dict.fromkeys(("stale node", "destroyed twice", "stale graph"), INVALID),
        "copied": "1",
        "called": "4",  # two launches of a graph that has the graph twice
        "destroyed": INVALID,
        "launched": INVALID,
    }
    text = drawing.read_text()
    assert text.startswith("digraph ") and "node_0 -> node_1;" in text and "KERNEL set(int*, int)" in text


def test_a_kernel_that_fails_in_a_graph(graphs: Program) -> None:
    fault = "musaErrorIllegalAddress"
    result = graphs("failure")
    assert result.facts == {"launch": OK, "synchronise": fault, "again": fault, "not done": "0"}
    assert "kernel crash(int*), block (0,0,0)" in result.stderr


def test_streams_of_two_devices(graphs: Program) -> None:
    assert graphs("devices", env={"MUSA_SIM_DEVICES": "2"}).facts == {"first": "5", "second": "6"}


def test_fork(graphs: Program) -> None:
    value = ((0 * 2 + 1) * 2 + 1) * 10
    assert graphs("fork").facts == {"child": str(value), "parent": str(value), "child ended": "0"}


def test_launched_work_is_reported_to_profilers(graphs: Program) -> None:
    """As if it were launched by itself, with the number of the call that launched the graph."""
    lines = graphs("profile").text.splitlines()
    assert lines.pop() == "unfinished 0"
    seen = [(int(kind), int(number), name) for kind, number, _, name in (line.split(" ", 3) for line in lines)]
    launches = [number for kind, number, name in seen if kind == 1 and name == "musaGraphLaunch"]
    assert len(launches) == 2
    work = Counter((number, name) for kind, number, name in seen if kind != 1)
    names = Counter(
        {
            "scale(unsigned int*, unsigned int, unsigned int, unsigned int)": 2,
            "rotate(unsigned int*, unsigned int const*, unsigned int)": 1,
            "add(unsigned int*, unsigned int const*, unsigned int const*, unsigned int)": 1,
            "Memset (Device)": 1,
            "Memcpy DtoD (Device -> Device)": 1,
            "Memcpy DtoH (Device -> Pinned)": 1,
        }
    )
    assert work == Counter({(number, name): times for number in launches for name, times in names.items()})


def test_checks_find_in_a_graph_what_they_find_outside(build: Build) -> None:
    program = build("graphs.mu", flags=("-pthread", "--sim-check=all"))
    marked = {str(i) for i, line in enumerate((SOURCES / "graphs.mu").read_text().splitlines(), 1) if "// BUG" in line}
    found = []
    for by_graph in (0, 1):
        text = program("defects", by_graph, env={"MUSA_SIM_CHECK": "memory,race,init"}).stderr
        # Launches and threads have numbers, which differ.
        found.append(sorted(re.findall(r"(?:\w+): [^\n]*graphs\.mu:\d+:\d+", text)))
        assert set(re.findall(r"graphs\.mu:(\d+):", text)) >= marked, text
    assert found[0] == found[1]
