"""The driver's functions with CUDA 12's names: libraries of kernels, nodes by one structure, second names."""

from __future__ import annotations

from pathlib import Path

import pytest
from library_programs import Build
from sim_programs import Program

OK = "MUSA_SUCCESS"
INVALID = "MUSA_ERROR_INVALID_VALUE"


@pytest.fixture(scope="module")
def driver(build: Build) -> Program:
    return build("driver_versions.cpp", libraries=["musa"])


def facts(driver: Program, case: str, module: Path | str = "") -> dict[str, str]:
    result = driver(case, module, env={"MUSA_SIM_DEVICES": "2"})
    assert result.status == 0, result.stderr
    return result.facts


def test_libraries_and_nodes_of_their_kernels(driver: Program, module: Path) -> None:
    right = ("scale", "reverse", "crash", "reversed", "given", "twice reversed", "once reversed", "times ten")
    assert facts(driver, "libraries", module) == {
        "no file": "MUSA_ERROR_FILE_NOT_FOUND",
        "kernels": "3",
        **dict.fromkeys(right, "1"),
        "no such kernel": "MUSA_ERROR_NOT_FOUND",
        "bytes": "16",
        "shared": "4096",
        "no such device": "MUSA_ERROR_INVALID_DEVICE",
        "places": "4",
        **dict.fromkeys(("beyond", "a bad copy", "no parameters"), INVALID),
        "success": "0",
        "flags": "0",
        "enabled": "0",
        "exec": OK,
        "unloaded": "MUSA_ERROR_INVALID_HANDLE",
    }


def test_conditional_nodes(driver: Program) -> None:
    assert facts(driver, "conditions") == {
        "type": "13",
        "the same": "1",
        "allocated": "1",
        "chosen": "1010101",
        "filled": "a0b0a0b",
        "operations": INVALID,
        "unused": INVALID,
        "why": "5",
    }


def test_second_names(driver: Program) -> None:
    assert facts(driver, "names") == {
        "waits": "MUSA_ERROR_NOT_READY",
        "passed": OK,
        "written": "77",
        "the same time": "1",
        "function": "1",
        "nothing": "MUSA_ERROR_NOT_FOUND",
        "not found": "1",
        "no name": INVALID,
        "prefetched": "-1",
        "preferred": "0",
        "ids": "1",
        "device": "0",
    }
