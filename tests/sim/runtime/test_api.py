"""The API as an ordinary C++ program sees it, compiled by g++ against the SDK's headers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from sim_programs import Build, Program

OK = "musaSuccess"
INVALID = "musaErrorInvalidValue"
HANDLE = "musaErrorInvalidResourceHandle"


@pytest.fixture(scope="module")
def api(build: Build) -> Program:
    return build("api.cpp")


def test_memory(api: Program) -> None:
    assert api("memory", env={"MUSA_SIM_MEMORY": "64M"}).facts == {
        "malloc": OK,
        "malloc b": OK,
        "free memory less": "1024",
        "total": str(64 << 20),
        "alignment": "0",
        "h2d": OK,
        "d2d": OK,
        "d2h": OK,
        "same": "1",
        "inner pointer": OK,
        "past the end": INVALID,
        "host as device": INVALID,
        "host as device source": INVALID,
        "null": INVALID,
        "null, no bytes": OK,
        "kind 9": "musaErrorInvalidMemcpyDirection",
        "memset": OK,
        "memset past the end": INVALID,
        "memset host": INVALID,
        "filled": "1",
        "2d": OK,
        "2d rows": "1",
        "2d pitch": "musaErrorInvalidPitchValue",
        "2d past the end": INVALID,
        "managed": OK,
        "pinned": OK,
        "flags of pinned": OK,
        "mapped": "1",
        "flags of a device's": INVALID,
        "flags of plain": INVALID,
        "register": OK,
        "register twice": "musaErrorHostMemoryAlreadyRegistered",
        "type of device": "2",
        "type of managed": "3",
        "type of pinned": "1",
        "type of registered": "1",
        "type of plain": "0",
        "unregister": OK,
        "unregister twice": "musaErrorHostMemoryNotRegistered",
        "register read-only": OK,
        "flags of registered": "9",
        "unregister read-only": OK,
        "register a device's": "musaErrorNotSupported",
        "free inner": INVALID,
        "free pinned as device": INVALID,
        "free device as pinned": INVALID,
        "free": OK,
        "free twice": INVALID,
        "free null": OK,
        "free managed": OK,
        "free pinned": OK,
        "all returned": "1",
        "malloc 0": OK,
        "malloc 0 is null": "1",
        "malloc too much": "musaErrorMemoryAllocation",
        "malloc absurd": "musaErrorMemoryAllocation",
        "last": "musaErrorMemoryAllocation",
        "last is cleared": OK,
    }


def test_pointers_kernels_and_variables_of_any_type(build: Build) -> None:
    """The typed overloads take what CUDA's take: const, volatile, incomplete, functions, arrays."""
    facts = build("typed_api.mu")().facts
    assert facts == {"memory": "0", "symbols": "0", "launches": "0", "kernel": "0", "unknown flags": INVALID}


def test_streams_and_events(api: Program) -> None:
    assert api("streams").facts == {
        "create": OK,
        "create with flags": OK,
        "fire and forget": HANDLE,
        "create with bad flags": INVALID,
        "flags": "1",
        "range": "1",
        "priority": "-1",
        "destroy": OK,
        "destroy twice": HANDLE,
        "synchronize destroyed": HANDLE,
        "query": OK,
        "host function": OK,
        "told": "host function;",
        "copy on destroyed": HANDLE,
        "untimed": OK,
        "elapsed before recording": HANDLE,
        "record": OK,
        "record end": OK,
        "wait": OK,
        "query event": OK,
        "synchronize event": OK,
        "elapsed": OK,
        "elapsed is time": "1",
        "elapsed untimed": HANDLE,
        "record on destroyed": HANDLE,
        "destroy event": OK,
        "destroy event twice": HANDLE,
        "wait for destroyed": HANDLE,
    }


def test_one_device_by_default(api: Program) -> None:
    facts = api("devices").facts
    assert (facts["count"], facts["device 0"].split(" warp")[0]) == ("1", "MUSA simulator (mp_22) 2.2")
    assert (facts["runtime"], facts["musa.h"], facts["musart"]) == ("50200", "50200", "50200")
    assert facts["set too far"] == facts["set negative"] == facts["properties too far"] == "musaErrorInvalidDevice"
    assert facts["unknown attribute"] == INVALID
    assert (facts["bank size"], facts["bank size 3"], facts["bank size is"], facts["banks"]) == (OK, INVALID, OK, "1")
    assert facts["bank size of no kernel"] == "musaErrorInvalidDeviceFunction"


def test_devices_of_several_architectures(api: Program) -> None:
    facts = api("devices", env={"MUSA_SIM_DEVICES": "mp_10,mp_21, mp_22,mp_31"}).facts
    assert facts["count"] == "4"
    assert facts["device 1"] == (
        "MUSA simulator (mp_21) 2.1 warp 128 shared 28672/28672/28672 registers 262144 "
        "grid 65535 block 1024 x 64 current 1"
    )
    assert facts["device 3"] == (
        "MUSA simulator (mp_31) 3.1 warp 32 shared 196608/196608/196608 registers 131072 "
        "grid 2147483647 block 1024 x 1024 current 3"
    )
    assert re.match(r"MUSA simulator \(mp_10\) 1\.0 warp 128 shared 28672/28672", facts["device 0"])


def test_two_devices(api: Program) -> None:
    facts = api("devices", env={"MUSA_SIM_DEVICES": "2", "MUSA_SIM_ARCH": "mp_31"}).facts
    assert facts["count"] == "2"
    assert facts["device 1"].startswith("MUSA simulator (mp_31)")
    assert facts["event and stream of two devices"] == HANDLE
    assert (facts["device of a"], facts["device of b"], facts["copied"], facts["can access"]) == ("0", "1", "7", "1")
    assert facts["peer copy"] == facts["peer box"] == facts["enable"] == facts["disable"] == OK
    assert (facts["box copied"], facts["peer box of no device"]) == ("8", "musaErrorInvalidDevice")
    assert facts["enable twice"] == "musaErrorPeerAccessAlreadyEnabled"
    assert facts["enable self"] == "musaErrorInvalidDevice"
    assert facts["disable twice"] == "musaErrorPeerAccessNotEnabled"
    assert (facts["share memory"], facts["share event"]) == (OK, OK)


@pytest.mark.parametrize(
    ("visible", "archs", "numbers"),
    [
        ("1", ["mp_31"], [1]),
        ("2,0", ["mp_21", "mp_22"], [2, 0]),
        ("0,9,1", ["mp_22"], [0]),
        ("", [], []),
        ("-1", [], []),
    ],
)
def test_visible_devices(api: Program, visible: str, archs: list[str], numbers: list[int]) -> None:
    """Indexes change, but a device keeps its identity: two processes can tell whether they use the same one."""
    env = {"MUSA_SIM_DEVICES": "mp_22,mp_31,mp_21", "MUSA_VISIBLE_DEVICES": visible}
    facts = api("devices", env=env).facts
    found = [facts[f"device {i}"].split("(")[1].split(")")[0] for i in range(int(facts["count"]))]
    assert found == archs
    identities = [facts[f"identity {i}"] for i in range(len(numbers))]
    assert identities == [f"musa-sim-{number} 0000:{number + 1:02x}:00.0" for number in numbers]
    assert facts["count error"] == (OK if archs else "musaErrorNoDevice")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MUSA_SIM_DEVICES", "mp_22,mp_99"),
        ("MUSA_SIM_DEVICES", "-3"),
        ("MUSA_SIM_ARCH", "sm_80"),
        ("MUSA_SIM_WARP", "64"),
        ("MUSA_SIM_THREADS", "many"),
        ("MUSA_SIM_STACK", "1K"),
        ("MUSA_SIM_MEMORY", "lots"),
    ],
)
def test_wrong_environment_is_one_line(api: Program, variable: str, value: str) -> None:
    result = api("memory", env={variable: value})
    assert result.facts["malloc"] == "musaErrorInitializationError"
    assert result.stderr.count("\n") == 1
    wrong = value.split(",")[-1]
    assert result.stderr.startswith(f"[musa-sim] {variable} is '{wrong}'; wanted: ")


def test_error_names_and_texts(api: Program) -> None:
    """Numbers as in CUDA 11 (the SDK's header is established to agree), texts where Moore Threads' are known."""
    facts = api("errors").facts
    assert facts["0"] == "musaSuccess: no error"
    assert facts["2"] == "musaErrorMemoryAllocation: out of memory"
    assert facts["700"] == "musaErrorIllegalAddress: an illegal memory access was encountered"
    assert facts["801"] == "musaErrorNotSupported: operation not supported"
    assert facts["803"].endswith("system has unsupported display driver / musa driver combination")
    names = [fact.split(":")[0] for fact in facts.values()]
    assert len(names) == len(set(names)) >= 50


@pytest.mark.parametrize("standard", ["c99", "c11", "c++14", "c++17", "c++20"])
@pytest.mark.parametrize("header", ["musa_runtime_api.h", "musa.h", "vector_types.h", "driver_types.h"])
def test_c_headers_compile_alone(sim_sdk_root: Path, tmp_path: Path, header: str, standard: str) -> None:
    compile_alone(sim_sdk_root, tmp_path, header, standard, "c++" if "+" in standard else "c")


@pytest.mark.parametrize("standard", ["c++14", "c++17", "c++20"])
@pytest.mark.parametrize(
    "header", ["musa_runtime.h", "musa_fp16.h", "musa_bf16.h", "thrust/complex.h", "math_constants.h"]
)
def test_cpp_headers_compile_alone(sim_sdk_root: Path, tmp_path: Path, header: str, standard: str) -> None:
    compile_alone(sim_sdk_root, tmp_path, header, standard, "c++")


def compile_alone(root: Path, folder: Path, header: str, standard: str, language: str) -> None:
    source = folder / "source"
    source.write_text(f"#include <{header}>\nint main(void) {{ return 0; }}\n")
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-std={standard}", f"-I{root}/include"]
    run = subprocess.run(["g++", *flags, "-x", language, source], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
