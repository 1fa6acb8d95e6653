"""Device variables, several devices and files, limits of launches, fork, and the choice of the image."""

from __future__ import annotations

from pathlib import Path

import pytest
from sim_programs import Build, Program

OK = "musaSuccess"


@pytest.fixture(scope="module")
def devices(build: Build) -> Program:
    return build("devices.mu", "devices_other.mu")


@pytest.fixture(scope="module")
def two_archs(build: Build) -> Program:
    return build("arch.mu", flags=("--offload-arch=mp_21", "--offload-arch=mp_31"))


def test_variables_belong_to_a_device_and_a_file(devices: Program) -> None:
    result = devices("variables", env={"MUSA_SIM_DEVICES": "2"})
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "counter 0": str(5 + 16),
        "counter 1": str(5 + 32),
        "counter of the other file": "100",
        "table 0": "1 2 3 4",
        "table 1": "1 2 30 40",
        "size": "16",
        "past the end": "musaErrorInvalidValue",
        "no symbol": "musaErrorInvalidSymbol",
    }


def test_kernels_of_the_same_name_in_two_files(devices: Program) -> None:
    assert devices("files").facts == {"kernels": "1 2"}


@pytest.mark.parametrize("workers", ["1", "4"])
def test_fork(devices: Program, workers: str) -> None:
    """The child launches without the threads of its parent, and on memory of its own."""
    result = devices("fork", env={"MUSA_SIM_THREADS": workers})
    assert result.facts == {"child": "7", "parent": str(3 * 256 * 64)}


def test_host_threads(build: Build) -> None:
    """Launches at the same time do not mix, and current device and last error belong to a thread."""
    result = build("threads.mu", flags=("-pthread",))(env={"MUSA_SIM_DEVICES": "2", "MUSA_SIM_THREADS": "3"})
    assert result.facts == {f"wrong {t}": "0" for t in range(4)}


def test_limits_of_launches(devices: Program) -> None:
    result = devices("launches", env={"MUSA_SIM_DEVICES": "2", "MUSA_SIM_WARP": "32"})
    facts = result.facts
    configuration, value = "musaErrorInvalidConfiguration", "musaErrorInvalidValue"
    # 4 KiB of each block's shared memory are static: on top of the dynamic part if mcc passed their size to the runtime
    assert facts.pop("48K") in (OK, value)
    assert facts.pop("60K after opting in") == OK
    assert facts == {
        "ordinary": OK,
        "no block": configuration,
        "no thread": configuration,
        "1025 threads": configuration,
        "1024 threads in 3D": OK,
        "too many in 3D": configuration,
        "60K": value,
        "opt in 61440": OK,
        "64K after opting in to 60K": value,
        "opt in 204800": value,
        "stream": OK,
        "destroyed stream": "musaErrorInvalidResourceHandle",
        "stream of another device": "musaErrorInvalidResourceHandle",
        "no kernel": "musaErrorInvalidDeviceFunction",
        "occupancy": "2",
        "occupancy of too many threads": "0",
        "best": "1024",
        "max dynamic": "61440",
        "at the bound": OK,
        "beyond the bound": value,
        "warps of the property": value,
        "z of a block": configuration,
        "z of a block again": configuration,
        "y of a grid": configuration,
        "too many blocks": "musaErrorCooperativeLaunchTooLarge",
        "bound": "192 occupancy beyond=0",
    }
    reported = [line.partition("cannot be launched: ")[2] for line in result.stderr.splitlines()]
    without_static = [line for line in reported if "shared memory" not in line]
    assert without_static == [
        "gridDim.x is 0; mp_22 allows 1 to 2147483647",
        "blockDim.x is 0; mp_22 allows 1 to 1024",
        "blockDim.x is 1025; mp_22 allows 1 to 1024",
        "blockDim is (4,5,64), 1280 threads; a block has at most 1024",
        "blockDim is (64,4,1), 256 threads; the kernel's __launch_bounds__ allows 192",
        "blockDim is (128,2,1), 256 threads; the kernel's __launch_bounds__ allows 192. "
        "The device property warpSize is 128 on mp_22; kernels have warps of 32",
        "blockDim.z is 65; mp_22 allows 1 to 64",
        "gridDim.y is 65536; mp_22 allows 1 to 65535",
        "the cooperative launch has 2000 blocks; mp_22 runs 448 of them at a time, 8 on each of 56 multiprocessors",
    ]
    of_shared = "of them dynamic; musaFuncAttributeMaxDynamicSharedMemorySize was set to 61440"
    assert any("61440 of them dynamic; mp_22 allows 49152, and 73728 after" in line for line in reported)
    assert any(line.endswith(f"bytes of shared memory, 65536 {of_shared}") for line in reported)
    assert any("musaFuncAttributeMaxDynamicSharedMemorySize is to be 204800; with" in line for line in reported)
    assert len(reported) == len(set(reported))  # each once


@pytest.mark.parametrize(("device", "seen"), [("mp_21", "210"), ("mp_31", "310")])
def test_a_device_gets_its_own_image(two_archs: Program, device: str, seen: str) -> None:
    facts = two_archs(env={"MUSA_SIM_DEVICES": device}).facts
    assert (facts["launch"], facts["arch"]) == (OK, seen)


@pytest.mark.parametrize(
    ("device", "beyond", "limits"),
    [
        ("mp_21", "musaErrorInvalidConfiguration", "1024 1024 64 2147483647 65535 65535"),  # as CUDA's
        ("mp_31", OK, "1024 1024 1024 2147483647 2147483647 2147483647"),  # as musaInfo prints them on an S5000
    ],
)
def test_limits_of_each_dimension(two_archs: Program, device: str, beyond: str, limits: str) -> None:
    facts = two_archs(env={"MUSA_SIM_DEVICES": device}).facts
    within = ("block z 64", "block y 1024", "grid x 65536", "grid y 65535", "grid z 65535")
    assert {what: facts[what] for what in within} == dict.fromkeys(within, OK)
    past = ("block z 65", "grid y 65536", "grid z 65536")
    assert {what: facts[what] for what in past} == dict.fromkeys(past, beyond)
    assert facts["limits"] == facts["attributes"] == limits


def test_no_image_for_the_device(two_archs: Program) -> None:
    result = two_archs(env={"MUSA_SIM_DEVICES": "mp_22"})
    assert result.facts["launch"] == "musaErrorNoKernelImageForDevice"
    assert result.stderr == (
        "[musa-sim] no device code for device 0 (mp_22): the program was compiled for mp_21, mp_31; "
        "compile it with --offload-arch=mp_22\n"
    )


def test_damaged_fat_binary(build: Build) -> None:
    result = build("damaged.cpp")()
    assert result.facts == {"launch": "musaErrorInvalidKernelImage"}
    assert "device code that mcc of this simulator did not write" in result.stderr


@pytest.mark.parametrize(
    ("version", "launch"),
    [
        (b"1", "musaErrorInvalidKernelImage"),
        (b"2", OK),
        (b"3", OK),
        (b"4", "musaErrorInvalidKernelImage"),
    ],
)
def test_version_of_a_fat_binary(two_archs: Program, tmp_path: Path, version: bytes, launch: str) -> None:
    changed = tmp_path / "changed"
    code = two_archs.path.read_bytes()
    assert code.count(b"MUSASIM3") == 1
    changed.write_bytes(code.replace(b"MUSASIM3", b"MUSASIM" + version))
    changed.chmod(0o755)
    result = Program(changed)(env={"MUSA_SIM_DEVICES": "mp_21"})
    assert result.facts["launch"] == launch
    assert ("compile it again" in result.stderr) == (launch != OK)
