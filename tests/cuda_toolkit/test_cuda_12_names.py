"""Names of CUDA 12 that an SDK lacks: constants, libraries of code, descriptors of data that is only read."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cuda_constants import HEADERS, LIBRARIES, enumerations, preprocessed, values

from musa_build.cuda_toolkit.headers import NUMBERS, own_headers
from musa_build.cuda_toolkit.names import CudaNames
from musa_build.cuda_toolkit.tables import constants

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAMS = Path(__file__).parent / "programs"
KERNEL = """__device__ int factor;
extern "C" __global__ void scaled(int *out) { out[threadIdx.x] = factor * (int)threadIdx.x; }
"""
#: Values of CUDA's that the simulated SDK has under a name that no rule maps, with the same meaning.
SAME_MEANING = {
    "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1": "MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS",
    "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1": "MU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS",
    "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1": "MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR",
}


def written(*aliases: str) -> str:
    names = CudaNames({name: name.replace("cu", "mu", 1).replace("CU", "MU", 1) for name in aliases}, {})
    known = {"enum cudaSort": {"cudaSortA": 1, "cudaSortB": 2}, "CUsort": {"CU_SORT_A": 3}, NUMBERS: {"CU_NUMBER": 4}}
    return own_headers(names, known, (12, 4, 1))["musa_cuda/constants.h"]


def test_a_type_of_the_sdk_gets_what_it_lacks() -> None:
    text = written("cudaSort", "cudaSortA", "CUsort")
    assert "#define cudaSortB MUSA_CUDA_VALUE(enum cudaSort, 2)" in text
    assert "#define CU_SORT_A MUSA_CUDA_VALUE(CUsort, 3)" in text
    assert "cudaSortA" not in text


def test_a_type_that_the_sdk_lacks_is_declared_whole() -> None:
    text = written("CU_NUMBER")
    assert "typedef enum cudaSort { cudaSortA = 1, cudaSortB = 2 } cudaSort;" in text
    assert "typedef enum CUsort_enum { CU_SORT_A = 3 } CUsort;" in text
    assert "CU_NUMBER" not in text


@pytest.mark.compiles
@pytest.mark.parametrize("compiler", [("g++", "-std=c++17"), ("gcc", "-x", "c"), ("nvcc", "-x", "cu")])
def test_all_are_declared_and_have_cudas_values(
    compiler: tuple[str, ...], run: Run, toolkit: Path, tmp_path: Path
) -> None:
    """As labels of a switch where the SDK has no name: MUSA's own enumerators may have other values."""
    text = (toolkit / "include" / "musa_cuda" / "names.h").read_text()
    aliases = {line.split()[1] for line in text.splitlines() if line.startswith("#define ")}
    lines, checks = [], []
    for kind, declared in constants().items():
        if missing := {name: value for name, value in declared.items() if name not in aliases}:
            checks += [f"    if ((long long){name} != {value}) return 1;" for name, value in missing.items()]
            if kind != NUMBERS and "cuda" in kind:
                labels = {value: name for name, value in missing.items()}
                cases = "".join(f" case {name}:" for name in labels.values())
                lines.append(
                    f"int of_{kind.split()[-1]}({kind} e) {{ switch (e) {{{cases} return 1; default: return 0; }} }}"
                )
        checks += [f"    (void){name};" for name in declared]
    source = tmp_path / "all.c"
    source.write_text(
        "\n".join(
            [
                *(f"#include <{name}>" for name in (*HEADERS, *LIBRARIES)),
                *lines,
                "int main() {",
                *checks,
                "    return 0;",
                "}",
                "",
            ]
        )
    )
    run(*compiler, "-w", f"-I{toolkit}/include", "-o", "all", source, f"-L{toolkit}/lib64", "-lcudart")
    assert subprocess.run([tmp_path / "all"], check=False).returncode == 0


@pytest.mark.compiles
def test_a_declared_value_means_nothing_else_to_the_sdk(toolkit: Path, sim_sdk_root: Path) -> None:
    text = (toolkit / "include" / "musa_cuda" / "names.h").read_text()
    aliases = dict(
        line.split()[1:3] for line in text.splitlines() if line.startswith("#define ") and line.count(" ") == 2
    )
    include, headers = sim_sdk_root / "include", ("musa.h", "musa_runtime_api.h")
    types = {kind.removeprefix("enum "): names for kind, names in enumerations(preprocessed([include], headers))}
    known = values([include], [name for names in types.values() for name in names], headers)
    taken = {}
    for kind, declared in constants().items():
        own = {known[name]: name for name in types.get(aliases.get(kind.removeprefix("enum "), ""), ())}
        taken |= {name: own[value] for name, value in declared.items() if name not in aliases and value in own}
    ends = re.compile(r"\w+(?:_MAX|Max|_NUM_OPTIONS)")
    assert {name: own for name, own in taken.items() if not ends.fullmatch(own)} == SAME_MEANING


@pytest.mark.compiles
def test_libraries_of_code(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text(KERNEL)
    run("nvcc", "-cubin", "-o", "kernel.cubin", "kernel.cu")
    run("nvcc", "-o", "library", PROGRAMS / "library.cpp", "-lcuda")
    done = run(tmp_path / "library", "kernel.cubin")
    assert done.stdout.splitlines() == ["0 3 6 9 12 4 1 4096 1"] * 2 + ["1"]


@pytest.mark.compiles
def test_descriptors_of_data_that_is_only_read(run: Run, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    matrix = random.standard_normal((7, 9)) * (random.random((7, 9)) < 0.4)
    x = random.standard_normal(9)
    rows, columns = np.nonzero(matrix)
    offsets = np.searchsorted(rows, np.arange(8))
    run("nvcc", "-o", "product", PROGRAMS / "const_descriptors.cpp", "-lcusparse")
    numbers = [7, 9, len(rows), *offsets, *columns, *map(repr, map(float, [*matrix[rows, columns], *x]))]
    *result, same, is_double = run(tmp_path / "product", stdin=" ".join(map(str, numbers))).stdout.split()
    np.testing.assert_allclose(np.array(result, float), matrix @ x, rtol=1e-12)
    assert (same, is_double) == ("1", "1")


@pytest.mark.compiles
def test_a_graph_with_a_loop(run: Run, tmp_path: Path) -> None:
    run("nvcc", PROGRAMS / "graph_loop.cu", "-o", tmp_path / "loop")
    first, second = (1000).bit_length(), (3).bit_length()  # halvings until 0
    assert run(tmp_path / "loop").stdout == f"{first} 1\n16 8\n{first + second}\n"
