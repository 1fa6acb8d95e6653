"""Every header compiles: alone with g++ (and gcc, where it is C), all together with mcc, the larger ones alone with it.

Alone with mcc would take half a second each; together, forwards and backwards, finds what a header forgot to include.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kept_programs import KeptPrograms

from musa_build.system.files import write_if_changed

C_HEADERS = [
    *("driver_types.h", "library_types.h", "muComplex.h", "mublas.h", "mublasLt.h", "mufft.h", "murand.h", "musa.h"),
    *("channel_descriptor.h", "driver_functions.h", "musaProfiler.h", "musaTypedefs.h", "musa_profiler_api.h"),
    *(
        "mccl.h",
        "musa_runtime_api.h",
        "musolver.h",
        "musolverDn.h",
        "musolver_common.h",
        "musparse.h",
        "vector_types.h",
    ),
]


def public_headers(root: Path) -> list[str]:
    """All but those of musa_sim/, which the others are made of."""
    include = root / "include"
    paths = (path.relative_to(include) for path in include.rglob("*") if path.is_file())
    return sorted(str(path) for path in paths if path.parts[0] != "musa_sim")


def only_includes(header: Path) -> bool:
    """Nothing of its own: Thrust's sort.h, transform.h ... stand for parts of larger headers."""
    code = [line for line in header.read_text().splitlines() if line and not line.startswith(("#", "/*", " *"))]
    return not code


def failures(jobs: Sequence[tuple[Sequence[str], str, str]], folder: Path) -> dict[str, str]:
    """What the compiler says about each (command, file, header) that it does not take."""

    def run(job: tuple[Sequence[str], str, str]) -> str:
        command, file, name = job
        return compiles(command, folder / file, f"#include <{name}>\n")

    with ThreadPoolExecutor(2) as pool:
        return {name: errors for (_, _, name), errors in zip(jobs, pool.map(run, jobs)) if errors}


def compiles(command: Sequence[str], source: Path, text: str) -> str:
    source.write_text(text)
    run = subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    return run.stderr


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_the_driver_header_brings_what_cudas_brings(sim_sdk_root: Path, tmp_path: Path, compiler: str) -> None:
    """CUDA's cuda.h includes both, and kernels that include it alone use uint32_t."""
    text = "#include <musa.h>\nuint32_t word(void) { return (uint32_t)abs(-1); }\n"
    source = tmp_path / ("driver.c" if compiler == "gcc" else "driver.cpp")
    assert compiles([compiler, f"-I{sim_sdk_root}/include"], source, text) == ""


def test_each_function_of_the_driver_has_its_type(sim_sdk_root: Path, tmp_path: Path) -> None:
    text = (sim_sdk_root / "include/musa.h").read_text()
    names = re.findall(r"^MUresult (\w+)\(", text, re.MULTILINE)
    assert len(names) > 80
    pointers = "".join(f"PFN_{name} pointer_{name} = {name};\n" for name in names)
    source = tmp_path / "types.cpp"
    assert compiles(["g++", f"-I{sim_sdk_root}/include"], source, f"#include <musaTypedefs.h>\n{pointers}") == ""


@pytest.mark.slow
def test_each_alone_with_the_host_compiler(
    sim_sdk_root: Path, kept_programs: KeptPrograms, request: pytest.FixtureRequest
) -> None:
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("headers")
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{sim_sdk_root}/include"]
    names = [name for name in public_headers(sim_sdk_root) if not only_includes(sim_sdk_root / "include" / name)]
    jobs = [(["g++", "-std=c++17", *flags], f"{i}.cpp", name) for i, name in enumerate(names)]
    jobs += [(["gcc", "-std=c11", *flags], f"{i}.c", name) for i, name in enumerate(C_HEADERS)]
    assert len(jobs) > 80

    def compile_alone(job: tuple[list[str], str, str]) -> None:
        command, file, name = job
        write_if_changed(folder / file, f"#include <{name}>\n")
        kept_programs.build([*command, "-c"], [folder / file])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_alone, jobs))


@pytest.mark.slow
def test_the_larger_ones_alone_with_mcc(sim_sdk_root: Path, tmp_path: Path) -> None:
    names = ["cooperative_groups.h", "cub/cub.cuh", "mublasLt.h", "mufft.h", "murand_kernel.h", "musa.h"]
    names += ["mma.h", "musa_bf16.h", "musa_fp8.h", "musolver.h", "musparse.h", "thrust/sort.h"]
    command = [str(sim_sdk_root / "bin/mcc"), "-Wall", "-Werror"]
    assert failures([(command, f"{i}.mu", name) for i, name in enumerate(names)], tmp_path) == {}


@pytest.mark.parametrize(("standard", "backwards"), [("c++17", False), ("c++20", True)])
def test_all_together_with_mcc(sim_sdk_root: Path, tmp_path: Path, standard: str, backwards: bool) -> None:
    names = sorted(public_headers(sim_sdk_root), reverse=backwards)
    text = "".join(f"#include <{name}>\n" for name in names) + "using namespace std;\n__global__ void kernel() {}\n"
    command = [str(sim_sdk_root / "bin/mcc"), f"-std={standard}", "-Wall", "-Werror"]
    assert compiles(command, tmp_path / "all.mu", text) == ""


def test_algorithms_compile_after_complex_numbers(sim_sdk_root: Path, tmp_path: Path) -> None:
    """A namespace inside thrust hid the SDK's own of the same name, where its header came first."""
    text = "#include <thrust/complex.h>\n#include <thrust/sort.h>\n__global__ void kernel() {}\n"
    assert compiles([str(sim_sdk_root / "bin/mcc"), "-Werror"], tmp_path / "sort.mu", text) == ""


def test_no_namespace_hides_the_sdks_own(sim_sdk_root: Path) -> None:
    include = sim_sdk_root / "include"
    found = []
    for path in (path for path in include.rglob("*") if path.is_file()):
        opened: list[str] = []
        for name, closes in re.findall(r"^namespace ([\w:]+) \{$|^(\}  // namespace)", path.read_text(), re.MULTILINE):
            if closes:
                opened = opened[:-1]
                continue
            if opened and name == "musa_sim_detail":
                found.append(str(path.relative_to(include)))
            opened.append(name)
    assert found == []


@pytest.mark.parametrize("number", ["__half", "__mt_bfloat16"])
def test_what_converts_to_a_16_bit_number_compares_as_float(sim_sdk_root: Path, tmp_path: Path, number: str) -> None:
    """As c10::Half converts to __half and to float: kernels of torch_musa compare two such without a flag."""
    text = (
        "#include <musa_bf16.h>\n#include <musa_fp16.h>\n"
        f"struct Number {{ __host__ __device__ operator {number}() const;\n"
        "__host__ __device__ operator float() const; };\n"
        "__global__ void kernel(const Number* x, bool* result) { *result = x[0] < x[1] || x[0] == x[1]; }\n"
        f"__global__ void mixed({number}* x, Number y) {{\n"
        "x[0] += x[1]; *x++ = x[0] < x[1] ? -x[0] : x[0] * y; --*x; }\n"
    )
    assert compiles([str(sim_sdk_root / "bin/mcc"), "-Werror"], tmp_path / "numbers.mu", text) == ""
