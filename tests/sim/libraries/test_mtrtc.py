"""MTRTC: a CUDA program that compiles at run time with NVRTC, ported by musa-build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from library_programs import SOURCES
from sim_programs import Program


@pytest.fixture(scope="module")
def compiler(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("nvrtc")
    port = [sys.executable, "-m", "musa_build", "port", str(SOURCES / "cuda_nvrtc"), "-o", str(folder / "ported")]
    subprocess.run(port, check=True, capture_output=True)
    mcc = [
        str(sim_sdk_root / "bin/mcc"),
        "-std=c++17",
        str(folder / "ported/compile.mu"),
        "-o",
        str(folder / "compile"),
    ]
    link = [f"-L{sim_sdk_root}/lib", "-lmtrtc", "-lmusa", "-lmusart", f"-Wl,-rpath,{sim_sdk_root}/lib"]
    subprocess.run([*mcc, *link], check=True)
    return Program(folder / "compile")


@pytest.mark.parametrize("arch", ["mp_22", "mp_31"])
def test_a_text_becomes_a_kernel(compiler: Program, tmp_path: Path, arch: str) -> None:
    result = compiler("run", env={"MUSA_SIM_ARCH": arch, "TMPDIR": str(tmp_path)})
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "kernel": "_ZN3app5scaleIdLi4EEEvPT_i",
        "variable": "_ZN3app6offsetE",
        "log": "",
        "values": "1102.38 1104.38 1106.38",  # 4 * 0.5 * x + offset[1] + ADDED + more + hidden[1]
        "which": "41",
        "size": "8",
        "destroyed": "1",
    }
    assert not list(tmp_path.iterdir())


def test_refusals_say_why(compiler: Program) -> None:
    result = compiler("refusals")
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "syntax": "MTRTC_ERROR_COMPILATION: bad.cu:1:23: error: use of undeclared identifier 'nowhere'",
        "option": "MTRTC_ERROR_INVALID_OPTION: mcc: error: unknown argument: '--no-such-option'",
        "arch": "MTRTC_ERROR_INVALID_OPTION: --gpu-architecture=compute_75: MTRTC has no such architecture; "
        "it has mp_10, mp_21, mp_22, mp_31",
        "expression": "MTRTC_ERROR_COMPILATION: name expressions:1:66: error: use of undeclared identifier 'absent'",
        "warning": "MTRTC_SUCCESS: bad.cu:1:2: warning: careful [-W#warnings]",
        "header": "MTRTC_ERROR_INVALID_INPUT",
        "early": "MTRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "late": "MTRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "unknown": "MTRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
    }
