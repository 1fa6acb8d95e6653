"""`__managed__` variables: host and device code name the same object."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from sim_programs import Build


@pytest.mark.parametrize("asynchronous", ["0", "1"])
def test_by_name(build: Build, asynchronous: str) -> None:
    facts = build("managed.mu")("by_name", env={"MUSA_SIM_ASYNC": asynchronous}).facts
    assert facts["initial"] == "5 0 4 2 7 9"
    assert facts["after"] == "22 1 20 30 40 16"
    assert facts["alternating"] == str(22 + 100 * (2 * 4 * 32 - 255))


def test_one_object_for_all_devices(build: Build) -> None:
    result = build("managed.mu")("by_address", env={"MUSA_SIM_DEVICES": "2"})
    assert (result.status, result.stderr) == (0, "")
    assert result.text.splitlines() == [
        "same=1 managed=1",
        f"devices=2 counter={5 + 2 * 11} found={5 + 2 * 11}",
        "freed=musaErrorInvalidValue",
    ]


def test_checks_know_their_bounds(build: Build) -> None:
    program = build("managed.mu", flags=["--sim-check=memory"])
    inside = program("out_of_bounds", 3)
    assert (inside.status, inside.text, inside.stderr) == (0, "error=musaSuccess\n", "")
    # next to them lies other memory of the program: device code has no business there
    outside = program("out_of_bounds", 100_000)
    assert outside.facts["error"] == "musaErrorIllegalAddress"
    assert "[musa-sim] memory: write of 4 bytes, out of bounds, at" in outside.stderr


def test_an_address_that_only_the_device_has(sim_sdk_root: Path, tmp_path: Path) -> None:
    source = tmp_path / "x.mu"
    source.write_text("__device__ int on_device;\n__managed__ int* pointer = &on_device;\n__global__ void k() {}\n")
    command = [str(sim_sdk_root / "bin/mcc"), "-c", str(source), "-o", str(tmp_path / "x.o")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr == (
        "mcc: error: the __managed__ variable pointer is initialised with the address of on_device; "
        "the simulator allows addresses of other __managed__ variables only\n"
    )
