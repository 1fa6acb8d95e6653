"""mcc skips work for a small file, where starting programs and reading libraries would take most of the time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: standard modules that take longer to load than a small file takes to transform
_SLOW = {"dataclasses", "inspect", "argparse", "concurrent.futures", "difflib", "importlib.metadata"}
_ADD = "__global__ void add(float* a) { a[threadIdx.x] += 1; }\n"


def test_no_slow_module_is_loaded(sim_sdk_root: Path, tmp_path: Path) -> None:
    source = tmp_path / "sum.mu"
    source.write_text(
        "__global__ void sum(float* a) { a[threadIdx.x] += __shfl_xor_sync(~0u, a[threadIdx.x], 1); }\n"
        "void launch(float* a) { sum<<<1, 32>>>(a); }\n"
    )
    main = sim_sdk_root / "share/musa_sim/mcc_main.py"
    command = [sys.executable, "-IS", "-X", "importtime", main, "-O2", "-c", source, "-o", tmp_path / "sum.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "import time:" in line}
    assert "mcc.passes.block_drivers" in loaded
    assert not loaded & _SLOW


@pytest.mark.parametrize(
    ("code", "has_libraries"),
    [
        (_ADD, False),
        ("__global__ void power(float* a) { a[threadIdx.x] = powf(a[threadIdx.x], a[1]); }\n", True),
        # the linker does not report weak functions, which may be missing at run time; they are bound by version as well
        (
            'extern "C" __host__ __device__ __attribute__((weak)) double drem(double, double);\n'
            "__global__ void rest(double* a) { if (&drem) a[0] = drem(a[0], a[1]); }\n",
            True,
        ),
    ],
    ids=["nothing", "a function", "a weak function"],
)
def test_the_c_library_is_read_where_something_of_it_is_called(
    sim_sdk_root: Path, tmp_path: Path, code: str, has_libraries: bool
) -> None:
    source, image = tmp_path / "a.mu", tmp_path / "a.mubin"
    source.write_text(code)
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", source, "-o", image], check=True)
    assert (b"libm.so.6" in image.read_bytes()) == has_libraries
    assert (b"GLIBC_2." in image.read_bytes()) == has_libraries
