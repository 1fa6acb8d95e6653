"""MUPTI gives a profiler the records of what programs/mupti.mu did: all of them, with true facts."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from library_programs import RUNTIME_TESTS, Build
from sim_programs import Program

Fact = dict[str, Any]
KERNEL = "add_one(float*)"
LAUNCH, WAIT = "musaLaunchKernel", "musaDeviceSynchronize"
# Results of MUPTI's functions, and what they stand for.
INVALID_PARAMETER, QUEUE_EMPTY, INVALID_KIND, NOT_SUPPORTED, SECOND_SUBSCRIBER = 1, 18, 21, 27, 39


@pytest.fixture(scope="module")
def program(build: Build) -> Program:
    return build("mupti.mu", libraries=("mupti", "musa"))


def facts(program: Program, case: str, **env: str) -> list[Fact]:
    result = program(case, env=env)
    assert result.status == 0, result.stderr
    lines: list[Fact] = [json.loads(line) for line in result.text.splitlines()]
    assert [line for line in lines if "failed" in line] == []
    return lines


def of(lines: list[Fact], kind: str) -> list[Fact]:
    """Return the records of a kind in the order of the calls that they belong to."""
    return sorted((line for line in lines if line.get("kind") == kind), key=lambda record: record["correlation"])


def grids(lines: list[Fact]) -> list[int]:
    return [record["grid"][0] for record in of(lines, "kernel")]


def columns(records: list[Fact], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(record[name] for name in names) for record in records]


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_ASYNC": "0"}, {"MUSA_SIM_THREADS": "4"}], ids=str)
def test_records_hold_the_facts_of_the_work(program: Program, env: dict[str, str]) -> None:
    lines = facts(program, "trace", **env)
    (whole,) = (line for line in lines if "streams" in line)
    default, first, second = whole["streams"]
    assert len({default, first, second}) == 3
    assert columns(of(lines, "kernel"), "name", "grid", "block", "static", "dynamic", "stream", "device") == [
        (KERNEL, [4, 2, 1], [32, 1, 1], 0, 0, first, 0),
        ("reverse(float*)", [1, 1, 1], [64, 1, 1], 256, 512, second, 0),
    ]
    pageable, pinned, device, managed = 1, 2, 3, 5
    assert columns(of(lines, "copy"), "ends", "bytes", "stream") == [
        ([1, pageable, device], 4096, default),
        ([2, device, pinned], 4000, first),
        ([8, device, device], 400, first),
        ([9, pinned, pageable], 40, default),
        ([2, device, managed], 20, second),
    ]
    assert columns(of(lines, "fill"), "value", "memory", "bytes", "stream") == [(7, device, 96, second)]
    assert columns(of(lines, "wait"), "type", "stream", "context") == [
        (4, -1, whole["context"]),
        (3, second, whole["context"]),
        (1, -1, whole["context"]),
        (4, -1, whole["context"]),
    ]
    assert lines[-1] == {"dropped": 0}


def test_calls_have_the_numbers_of_their_work(program: Program) -> None:
    lines = facts(program, "trace")
    calls = of(lines, "call")
    assert [call["name"] for call in calls] == [
        *(LAUNCH, LAUNCH, WAIT, "musaMemcpy", "musaMemcpyAsync", "musaMemcpyAsync", "musaMemcpy", "musaMemcpyAsync"),
        *("musaMemsetAsync", "musaStreamSynchronize", "musaEventSynchronize", WAIT),
    ]
    (whole,) = (line for line in lines if "streams" in line)
    assert {(call["process"], call["thread"]) for call in calls} == {(whole["process"], whole["thread"])}
    of_number = {call["correlation"]: call for call in calls}
    assert len(of_number) == len(calls)
    work = [record for kind in ("kernel", "copy", "fill") for record in of(lines, kind)]
    assert len({record["correlation"] for record in work}) == len(work) == 8
    for record in work:
        assert of_number[record["correlation"]]["start"] < record["start"] <= record["end"]
    for wait in of(lines, "wait"):
        assert of_number[wait["correlation"]]["end"] == wait["end"] >= wait["start"]
    for record in (*work, *calls):
        assert whole["begin"] < record["start"] <= record["end"] < whole["end"]


def test_streams_do_one_thing_at_a_time(program: Program) -> None:
    lines = facts(program, "trace", MUSA_SIM_THREADS="4")
    work = [record for kind in ("kernel", "copy", "fill") for record in of(lines, kind)]
    for stream in {record["stream"] for record in work}:
        times = sorted((record["start"], record["end"]) for record in work if record["stream"] == stream)
        assert len(times) >= 2
        assert all(before[1] <= after[0] for before, after in zip(times, times[1:]))


def test_copies_between_devices_are_records_of_their_own(program: Program) -> None:
    lines = facts(program, "peers", MUSA_SIM_DEVICES="2")
    assert columns(of(lines, "peer copy"), "ends", "bytes", "devices", "contexts") == [([10, 3, 3], 64, [0, 1], [1, 2])]
    assert columns(of(lines, "kernel"), "device", "context") == [(1, 2)]
    assert of(lines, "copy") == []


def test_calls_are_tied_to_what_the_caller_does(program: Program) -> None:
    lines = facts(program, "external")
    assert grids(lines) == [1, 2, 3, 4, 5]
    number = {record["grid"][0]: record["correlation"] for record in of(lines, "kernel")}
    custom0, custom1 = 3, 4
    assert columns(of(lines, "external"), "correlation", "of", "id") == [
        (number[2], custom0, 71),
        (number[2], custom1, 2**40),
        (number[4], custom0, 70),  # the third kernel is another thread's
    ]
    assert lines[-1] == {"last": 71, "empty": QUEUE_EMPTY}


def test_buffers_of_any_size(program: Program) -> None:
    lines = facts(program, "buffers")
    assert [(line["buffer"], line["records"]) for line in lines if "buffer" in line] == [
        *[(176, 1)] * 3,
        (64, 0),
        *[(4096, 2), (4096, 1)],  # as many as the program allows
    ]
    assert [line["dropped"] for line in lines if "dropped" in line] == [0, 3, 3, 0, 0]
    assert grids(lines) == [1, 2, 3, 1, 2, 3]


def test_only_enabled_kinds_are_recorded(program: Program) -> None:
    lines = facts(program, "kinds")
    assert grids(lines) == [1, 2, 6]  # the fifth ended with muptiFinalize()
    assert [record["bytes"] for record in of(lines, "fill")] == [16, 32, 48]
    # the third buffer was open, and without records, at muptiFinalize()
    assert [line["records"] for line in lines if "buffer" in line] == [2, 3, 0, 1]


def test_a_subscriber_hears_of_the_calls_that_it_asked_for(program: Program) -> None:
    lines = facts(program, "callbacks")
    heard = [line for line in lines if "call" in line]
    assert [(line["call"], line["site"]) for line in heard] == [
        (name, site) for name in (LAUNCH, LAUNCH, WAIT) for site in (0, 1)
    ]
    assert {(line["domain"], line["data"]) for line in heard} == {(2, 42)}
    assert all(line["kept"] == line["correlation"] + 5 for line in heard)
    assert grids(lines) == [2, 3]
    assert of(lines, "kernel")[0]["correlation"] == heard[2]["correlation"]
    assert lines[0] == {"second": SECOND_SUBSCRIBER}
    assert lines[-2:] == [{"state": NOT_SUPPORTED}, {"again": INVALID_PARAMETER}]


def test_calls_of_the_driver_have_records(program: Program) -> None:
    lines = facts(program, "driver")
    own = lines[-1]["stream"]
    driver, runtime = of(lines, "driver call"), of(lines, "call")
    assert [call["name"] for call in driver] == [
        *("muMemsetD32_v2", "muMemcpyHtoD_v2", "muMemcpyDtoHAsync_v2", "muLaunchKernel", "muLaunchKernelEx"),
        *("muStreamSynchronize", "muEventSynchronize", "muCtxSynchronize", "muMemcpyBatchAsync"),
    ]
    # The calls of the runtime that one of the driver makes are part of it.
    assert [call["name"] for call in runtime] == [LAUNCH, WAIT]
    name_of = {call["correlation"]: call["name"] for call in (*driver, *runtime)}
    assert len(name_of) == len(driver) + len(runtime)
    work = [record for kind in ("fill", "copy", "kernel") for record in of(lines, kind)]
    assert [name_of[record["correlation"]] for record in work] == [
        *("muMemsetD32_v2", "muMemcpyHtoD_v2", "muMemcpyDtoHAsync_v2", "muMemcpyBatchAsync", "muMemcpyBatchAsync"),
        *("muLaunchKernel", "muLaunchKernelEx", LAUNCH),
    ]
    assert columns(of(lines, "copy"), "bytes", "stream")[1:] == [(4000, own), (16, own), (32, own)]
    assert grids(lines) == [2, 3, 4]
    stream, event, context = 3, 1, 4
    waits = [(name_of[record["correlation"]], record["type"], record["stream"]) for record in of(lines, "wait")]
    assert waits == [
        ("muStreamSynchronize", stream, own),
        ("muEventSynchronize", event, -1),
        ("muCtxSynchronize", context, -1),
        (WAIT, context, -1),
    ]


def test_a_subscriber_hears_of_contexts_and_of_the_driver(program: Program) -> None:
    lines = facts(program, "driver callbacks", MUSA_SIM_DEVICES="2")
    facts_of_calls = [line.get("call", line.get("resource")) for line in lines]
    launch, created = "muLaunchKernel", 1
    assert facts_of_calls == [created, *[launch] * 4, created]
    assert [line["device"] for line in lines if "device" in line] == [0, 1]
    heard = [line for line in lines if "call" in line]
    assert columns(heard, "site", "domain", "data") == [(0, 1, 7), (1, 1, 7)] * 2
    assert len({line["correlation"] for line in heard}) == 2


def test_a_buffer_is_requested_when_the_first_call_begins(program: Program) -> None:
    lines = facts(program, "early buffer")
    assert [line["requests"] for line in lines if "requests" in line] == [0, 1, 1]
    assert [line["records"] for line in lines if "buffer" in line] == [4]


def test_what_a_cpu_does_not_have_is_refused(program: Program) -> None:
    assert facts(program, "refused") == [
        {"version": 1, "text": "MUPTI_ERROR_MAX_LIMIT_REACHED"},
        {"kind": [INVALID_KIND] * 3},
        {"callbacks": INVALID_PARAMETER, "no text": INVALID_PARAMETER, "next": INVALID_PARAMETER},
        {"counters": [NOT_SUPPORTED] * 5},
    ]


def test_it_is_found_in_its_own_folder(sim_sdk_root: Path, tmp_path: Path) -> None:
    """As MooreThreads/kineto does: headers and library in extras/MUPTI."""
    folder = sim_sdk_root / "extras/MUPTI"
    source = tmp_path / "version.cpp"
    source.write_text(
        "#include <mupti.h>\n#include <cstdio>\n"
        'int main() { uint32_t v = 0; muptiGetVersion(&v); std::printf("%d\\n", v == MUPTI_API_VERSION); }\n'
    )
    command = ["g++", f"-I{folder}/include", f"-I{sim_sdk_root}/include", str(source), f"-L{folder}/lib64", "-lmupti"]
    subprocess.run([*command, f"-Wl,-rpath,{folder}/lib64", "-o", str(tmp_path / "version")], check=True)
    assert subprocess.run([tmp_path / "version"], capture_output=True, text=True, check=True).stdout == "1\n"
    assert (folder / "include/mupti_target.h").read_text() == (sim_sdk_root / "include/mupti_target.h").read_text()


def test_every_call_that_is_reported_has_a_number() -> None:
    """So that no name of the API is taken for a library's work."""
    root = RUNTIME_TESTS.parents[2] / "simulator/musa_sim"
    table = (root / "libraries/mupti/callback_ids.cpp").read_text()
    reported = names_of_calls(root / "runtime/api", r"musaError_t (musa\w+)\(", "ActivityCall call(__func__)")
    assert len(reported) > 30 and "musaMemcpyAsync" in reported
    assert [name for name in reported if f"CALL({name}, " not in table] == []
    driver = names_of_calls(
        root / "libraries/musa", r"MUSA_EXPORT MUresult (mu\w+)\(", "RecordedCall recorded(__func__)"
    )
    assert len(driver) > 50 and "muLaunchKernel" in driver
    assert [name for name in driver if not re.search(rf"CALL\({name}(_v2)?\),", table)] == []


def names_of_calls(folder: Path, definition: str, reports: str) -> set[str]:
    """Return the functions of an API that report their calls to a profiler."""
    names: set[str] = set()
    for path in folder.glob("*.cpp"):
        function = ""
        for line in path.read_text().splitlines():
            begun = re.match(definition, line)
            if begun:
                function = begun[1]
            if reports in line:
                names.add(function)
    return names
