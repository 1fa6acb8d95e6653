"""Enumerators, macros and structures have CUDA's numbers, sizes and values.

numbers_of_cuda.txt has those of CUDA 12.4, for the names of the runtime and the driver API that torch_musa's mapping
has; numbers_of_newer_cuda.txt has CUDA 13.0's, for names that CUDA 12 added; numbers_of_cupti.txt has those of CUPTI
12.9, for the names that the SDK's headers of MUPTI declare. The names are ported as in a program, so a name that the
headers do not declare is found as well.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import Translator, translate

NUMBERS = Path(__file__).with_name("numbers_of_cuda.txt")
NEWER = Path(__file__).with_name("numbers_of_newer_cuda.txt")
OF_CUPTI = Path(__file__).with_name("numbers_of_cupti.txt")

HEADERS = ("cuda.h", "cuda_runtime_api.h", "driver_functions.h", "cudaProfiler.h", "cuda_profiler_api.h")
CUPTI_HEADERS = ("cupti.h", "cupti_target.h", "cupti_profiler_target.h")

# The differences from CUDA 12.4, each with its reason.
DIFFERENT = {
    **dict.fromkeys(
        (
            "CU_DEVICE_ATTRIBUTE_MAX",
            "CU_FUNC_ATTRIBUTE_MAX",
            "CU_JIT_NUM_OPTIONS",
            "cudaDevAttrMax",
            "cudaFuncAttributeMax",
        ),
        "counts what is declared; CUDA 12 has more",
    ),
    **dict.fromkeys(
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS",
            "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR",
        ),
        "CUDA 11's number: CUDA 12 has a second version of the attribute",
    ),
    "sizeof(CUDA_KERNEL_NODE_PARAMS)": "CUDA 11's, without the kernel and the context that CUDA 12 added",
    "sizeof(struct cudaFuncAttributes)": "CUDA 11's, without the members that CUDA 12 added at its end",
}


def rejected(sdk: Path, folder: Path, lines: list[str]) -> dict[str, str]:
    """Return the compiler's message about each number or size that differs, or of something else."""
    includes = "".join(f"#include <{header}>\n" for header in (*HEADERS, *CUPTI_HEADERS, "math_constants.h"))
    claims = [f'_Static_assert({name} == {number}, "");' for name, number in (line.rsplit(" ", 1) for line in lines)]
    text = translate(
        f'{includes}#line 1 "numbers"\n'.encode() + "\n".join(claims).encode(), Translator(rule_set()), lambda _: None
    ).text
    source = folder / "numbers.c"
    source.write_text(text)
    command = ["gcc", "-fmax-errors=0", "-fsyntax-only", f"-I{sdk}/include", str(source)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = re.findall(r"^numbers:(\d+):\d+: error: (.*)$", run.stderr, re.MULTILINE)
    assert run.returncode == 0 or errors, run.stderr
    return {lines[int(line) - 1].rsplit(" ", 1)[0]: message for line, message in errors}


def test_numbers_and_sizes_are_those_of_cuda(sim_sdk_root: Path, tmp_path: Path) -> None:
    lines = NUMBERS.read_text().splitlines()
    assert len(lines) > 1400
    found = rejected(sim_sdk_root, tmp_path, lines)
    assert {name: message for name, message in found.items() if name not in DIFFERENT} == {}
    assert DIFFERENT.keys() <= found.keys()


def test_numbers_and_layouts_of_newer_names_are_those_of_cuda(sim_sdk_root: Path, tmp_path: Path) -> None:
    lines = NEWER.read_text().splitlines()
    assert len(lines) > 100
    assert rejected(sim_sdk_root, tmp_path, lines) == {}


def test_numbers_and_layouts_of_mupti_are_those_of_cupti(sim_sdk_root: Path, tmp_path: Path) -> None:
    lines = OF_CUPTI.read_text().splitlines()
    assert len(lines) > 500
    assert rejected(sim_sdk_root, tmp_path, lines) == {}


def test_another_number_or_an_unknown_name_is_found(sim_sdk_root: Path, tmp_path: Path) -> None:
    lines = [
        "CU_PARAM_TR_DEFAULT -1",
        "CU_COMPUTEMODE_PROHIBITED 3",
        "CU_NO_SUCH_NAME 1",
        "sizeof(struct cudaExtent) 8",
    ]
    assert list(rejected(sim_sdk_root, tmp_path, lines)) == [line.rsplit(" ", 1)[0] for line in lines[1:]]
