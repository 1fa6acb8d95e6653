"""The driver API beside modules and launches: copies, fills, addresses, devices, streams, graphs, other processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from library_programs import Build
from sim_programs import Program

OK = "MUSA_SUCCESS"
INVALID = "MUSA_ERROR_INVALID_VALUE"


@pytest.fixture(scope="module")
def driver(build: Build) -> Program:
    return build("driver_more.cpp", libraries=["musa"])


def facts(driver: Program, case: str, module: Path | str = "", **env: str) -> dict[str, str]:
    result = driver(case, module, env=env)
    assert result.status == 0, result.stderr
    return result.facts


def test_fills(driver: Program) -> None:
    bad = dict.fromkeys(("unaligned", "odd pitch", "past the end"), INVALID)
    assert facts(driver, "fills") == {"as expected": "1", **bad}


def test_copies(driver: Program) -> None:
    good = ("second row", "rows", "inside a row", "peers", "box", "many", "none failed")
    assert facts(driver, "copies") == {
        **dict.fromkeys(good, "1"),
        "past the end": INVALID,
        "no context": "MUSA_ERROR_INVALID_CONTEXT",
        "one is too large": INVALID,
        "which": "1",
        "no order": INVALID,
    }


def test_addresses(driver: Program) -> None:
    good = ("range", "device memory", "numbers differ", "host memory", "nothing")
    bad = ("no range", "alone", "no setting")
    assert facts(driver, "pointers") == {**dict.fromkeys(good, "1"), **dict.fromkeys(bad, INVALID), "sync": OK}


def test_devices(driver: Program) -> None:
    good = ("by id", "uuids differ", "properties", "peers", "state", "version", "priorities", "affinity")
    assert facts(driver, "devices", MUSA_SIM_DEVICES="2") == {
        **dict.fromkeys(good, "1"),
        "no such id": INVALID,
        "twice": "MUSA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
        "answered": "132",
        "refused": "0",
        "pitch alignment": "128",
        "limit": "4096",
        "no limit": "MUSA_ERROR_UNSUPPORTED_LIMIT",
        "cache": "2",
        "flags here": "8",
    }


def test_streams(driver: Program) -> None:
    assert facts(driver, "streams") == {
        **dict.fromkeys(("priority and flags", "ids differ", "context", "policy", "host function"), "1"),
        "window": "77",
        "ratio": INVALID,
        "callback": OK,
        "attach": OK,
        "attach a part": INVALID,
        "pool": "3",
    }


def test_kernels_and_graphs_of_them(driver: Program, module: Path) -> None:
    assert facts(driver, "kernels", module) == {
        **dict.fromkeys(("its module", "blocks", "half of the shared memory", "given"), "1"),
        "block": "256",
        "launched": "4 3 2 1",
        "changed": "1 3 2 1",
        "cooperative": "0",
        "nodes": "4",
    }


def test_functions_by_name(driver: Program) -> None:
    none = "MUSA_ERROR_NOT_FOUND"
    assert facts(driver, "entry_points") == {"second version": "1", "none": none, "malloc": none}


def test_textures(driver: Program) -> None:
    bad = dict.fromkeys(("integers are not filtered", "gone", "pitch"), INVALID)
    assert facts(driver, "textures") == {"given": "1", **bad}


def test_linking(driver: Program, module: Path) -> None:
    assert facts(driver, "linking", module) == {
        **dict.fromkeys(("nothing", "no image"), "MUSA_ERROR_INVALID_IMAGE"),
        "PTX": "MUSA_ERROR_INVALID_PTX",
        "no file": "MUSA_ERROR_FILE_NOT_FOUND",
        "second": "MUSA_ERROR_NOT_SUPPORTED",
        "said": " is a second image, and images are linked already: compile with -fgpu-rdc to link several",
        "launched": "3",
        "gone": "MUSA_ERROR_INVALID_HANDLE",
    }


def test_memory_that_two_processes_share(driver: Program) -> None:
    assert facts(driver, "ipc") == {
        "one handle": "1",
        "own handle": "MUSA_ERROR_INVALID_CONTEXT",
        "child": "0",
        "what it wrote": "9",
        "left alone": "5",
        "no device memory": INVALID,
        "no handle": "MUSA_ERROR_INVALID_HANDLE",
    }
