"""Host code with the processor's intrinsics compiles with mcc, and computes what another compiler's does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("processor_intrinsics.mu")
SETS = ("sse4_2", "avx2", "fma", "f16c", "bmi2")
FLAGS = ("-msse4.2", "-mavx2", "-mfma", "-mf16c", "-mbmi2")


def test_intrinsics_in_host_code(sim_sdk_root: Path, tmp_path: Path) -> None:
    supported = Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
    if missing := sorted(set(SETS) - set(supported)):
        pytest.skip(f"this machine's processor lacks {', '.join(missing)}")
    subprocess.run(["g++", "-O2", *FLAGS, "-x", "c++", SOURCE, "-o", tmp_path / "expected"], check=True)
    expected = subprocess.run([tmp_path / "expected"], check=True, capture_output=True, text=True).stdout
    for options in (("-O0", "-std=c++14"), ("-O2", "-std=c++17"), ("-O3", "-std=c++20", "-march=native")):
        command = [sim_sdk_root / "bin/mcc", *options, *FLAGS, SOURCE, "-lmusart", "-o", tmp_path / "program"]
        subprocess.run(command, check=True)
        found = subprocess.run([tmp_path / "program"], check=True, capture_output=True, text=True).stdout
        assert found.splitlines() == expected.splitlines(), options
    assert len(set(expected.splitlines())) > 400
