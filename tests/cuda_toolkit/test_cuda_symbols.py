"""Programs that know CUDA's libraries by their names alone: ctypes, dlopen, code that was compiled without a header."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from test_cuda_cmake import built

from musa_build.cuda_toolkit.loadable import exported, jumps

pytestmark = pytest.mark.compiles
Run = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAMS = Path(__file__).parent / "programs"
PROGRAM = PROGRAMS / "run_time.py"
LANE = (
    '__device__ unsigned lane(unsigned) {\n  unsigned r;\n  asm("mov.u32 %0, %%laneid;" : "=r"(r));\n  return r;\n}\n'
)


def test_a_jump_for_each_function_that_the_sdk_has() -> None:
    functions = exported("0000000000001 T musaMalloc@@MUSA_5\n0000000000002 T musaFree\n0000000000003 W other\n")
    text = jumps({"cudaMalloc": "musaMalloc", "cudaGraphNone": "musaGraphNone"}, functions)
    assert re.findall(r"^JUMP\(.*", text, re.MULTILINE) == ["JUMP(cudaMalloc, musaMalloc)"]
    text = jumps({"cublasCreate_v2": "mublasCreate_v2", "cuNew_v2": "muNew_v2"}, {"mublasCreate", "muNew", "muNew_v2"})
    assert re.findall(r"^JUMP\(.*", text, re.MULTILINE) == [
        "JUMP(cuNew_v2, muNew_v2)",
        "JUMP(cublasCreate_v2, mublasCreate)",
    ], "a name with _v2 may be a macro for the plain one"


def test_the_libraries_above_the_runtime_by_their_names(run: Run) -> None:
    done = run(sys.executable, PROGRAMS / "libraries_by_name.py", str(random.randrange(1000)))
    assert done.stdout.split() == ["products", "transforms", "numbers", "factors", "others"], done.stderr


#: A function of each library, as configure scripts and CMake's check_library_exists look for them
SYMBOLS = {
    "cublas": "cublasSgemm_v2",
    "cublasLt": "cublasLtMatmul",
    "cufft": "cufftPlan1d",
    "curand": "curandGenerate",
    "cusolver": "cusolverDnCreate",
    "cusparse": "cusparseSpMV",
    "nccl": "ncclCommInitRank",
    "nvrtc": "nvrtcCreateProgram",
    "cuda": "cuInit",
    "cudart": "cudaMalloc",
}


@pytest.mark.parametrize("suffix", ["", "_static"])
def test_a_program_without_headers_links(suffix: str, run: Run, tmp_path: Path) -> None:
    for library, symbol in SYMBOLS.items():
        (tmp_path / "check.c").write_text(f"char {symbol}(void);\nint main(void) {{ return {symbol}() & 0; }}\n")
        run("cc", tmp_path / "check.c", "-o", tmp_path / "check", f"-l{library}{suffix}")


@pytest.mark.parametrize(
    "options",
    [
        ("--gpu-architecture=compute_80", "-DWEIGHT=3"),
        ("-arch=sm_90a", "--std=c++20", "-D", "WEIGHT=3", "--use_fast_math", "-lineinfo", "--minimal"),
        ("-DWEIGHT=3", "-I", "{folder}/my files", "--fmad=false"),
        ("--device-as-default-execution-space ", "--define-macro=WEIGHT=3,BY_DEFAULT"),
        ("--define-macro=WEIGHT=3", "--include-path={folder}/my files", "-G"),
        *(("-DWEIGHT=3", f"load={way}") for way in ("text", "file", "linked")),
        *(
            pytest.param(("-DWEIGHT=3", f"load={way}"), marks=pytest.mark.slow)
            for way in ("options", "library", "linked-file")
        ),
    ],
)
def test_a_program_of_ctypes(options: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    (tmp_path / "my files").mkdir()
    (tmp_path / "my files" / "lane.cuh").write_text(LANE)
    n = 777
    a, b = ([random.Random(seed).randrange(1000) for _ in range(n)] for seed in (1, 2))
    command = [sys.executable, PROGRAM, *(option.format(folder=tmp_path) for option in options)]
    done = run(*command, stdin=f"{n} {' '.join(map(str, [*a, *b]))} " + "0 " * n)
    assert [float(word) for word in done.stdout.split()] == [
        3 * x + y + 0.25 + (-0.5 if i % 2 else 0.5) for i, (x, y) in enumerate(zip(a, b))
    ], done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--no-such-option",), "NVRTC_ERROR_INVALID_OPTION\nUnknown option '--no-such-option'"),
        (("nonsense",), "NVRTC_ERROR_INVALID_OPTION\nNVRTC has no such option; found: nonsense; wanted: an option"),
        (("--fdevice-syntax-only",), "NVRTC_ERROR_INVALID_OPTION\nnvcc's flag --fdevice-syntax-only cannot"),
        ((), "NVRTC_ERROR_COMPILATION\n(In file .*\n)?.*weight.h:1:.* error: use of undeclared identifier 'WEIGHT'"),
        (("-DWEIGHT=1", "-I{folder}"), "NVRTC_ERROR_COMPILATION\n(.*\n)+nvcc: .*lane.cuh:1: inline PTX without trans"),
    ],
)
def test_a_refusal_says_why(options: tuple[str, ...], said: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "lane.cuh").write_text(
        '__device__ unsigned lane(unsigned) { asm volatile("wgmma.fence.sync.aligned;"); return 0; }\n'
    )
    done = run(sys.executable, PROGRAM, *(option.format(folder=tmp_path) for option in options))
    assert re.match(said, done.stdout), done.stdout


def test_headers_beside_the_programs_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "beside.h").write_text("#define SEVEN 7\n")
    (tmp_path / "here.h").write_text("#define SEVEN 7\n")
    program = PROGRAMS / "headers_of_nvrtc.py"
    assert run(sys.executable, program, "kernels/k.cu", "beside.h").stdout == "0\n"
    assert run(sys.executable, program, "k.cu", "here.h").stdout == "0\n"
    assert run(sys.executable, program, "kernels/k.cu", "here.h").stdout == "6\n"  # NVRTC_ERROR_COMPILATION
    assert run(sys.executable, program, "kernels/k.cu", "beside.h", "--no-source-include").stdout == "6\n"


def test_headers_from_memory_and_missing_ones(run: Run) -> None:
    assert run(sys.executable, PROGRAMS / "own_headers_of_nvrtc.py").stdout == "40.0\n"


def test_numbers_and_names_are_cudas(run: Run) -> None:
    assert (
        run(sys.executable, PROGRAMS / "cuda_by_ctypes.py").stdout
        == "cudaErrorMemoryAllocation CUDA_ERROR_OUT_OF_MEMORY\n"
    )


@pytest.mark.parametrize("library", ["-lcudart", "-lcudart_static"])
def test_code_without_headers_links_cudas_names(library: str, run: Run, toolkit: Path, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "int cudaGetDeviceCount(int *);\nint main(void) { int n; return cudaGetDeviceCount(&n) || n < 1; }\n"
    )
    run("gcc", "a.c", "-L", toolkit / "lib64", library, "-o", "a")
    run("env", "-u", "LD_LIBRARY_PATH", "./a")


def test_code_with_headers_needs_the_sdk_alone(run: Run, toolkit: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("#include <cuda_runtime.h>\nint main() { int n; return cudaGetDeviceCount(&n); }\n")
    run("g++", "a.cpp", "-I", toolkit / "include", "-L", toolkit / "lib64", "-lcudart", "-lcuda", "-o", "a")
    assert "libcud" not in run("readelf", "-d", "a").stdout


@pytest.mark.parametrize("generator", ["Ninja"])
def test_a_cmake_project_that_compiles_at_run_time(
    generator: str, tmp_path: Path, toolkit_environment: Mapping[str, str], cmake_program: str
) -> None:
    app = built("cuda_run_time", tmp_path, toolkit_environment, generator, cmake_program) / "app"
    numbers = [random.Random(3).randrange(1000) for _ in range(200)]
    environment = {name: value for name, value in toolkit_environment.items() if name != "LD_LIBRARY_PATH"}
    text = f"100 {' '.join(map(str, numbers))}"
    done = subprocess.run([app], env=environment, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [float(word) for word in done.stdout.split()] == [2 * a + b for a, b in zip(numbers[::2], numbers[1::2])]


@pytest.mark.parametrize("compiler", ["nvcc", "g++"])
def test_ptx_is_a_text(compiler: str, run: Run, toolkit: Path) -> None:
    """Programs take it for a string without zeros, also in a file."""
    flags = ["-std=c++17", "-lnvrtc", "-lcuda", "-o", "program"]
    flags += ["-I", toolkit / "include", "-L", toolkit / "lib64"] if compiler == "g++" else []
    run(compiler, PROGRAMS / "ptx_text.cpp", *flags)
    assert run("./program").stdout == "agrees\n"
