"""Every header compiles: with g++ (and gcc, where it is C) and with mcc, alone and all together, in every standard.

Alone with mcc would take half a second each; together, forwards and backwards, finds what a header forgot to include.
CUDA 12's headers take C++11, and so do all of these.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kept_programs import KeptPrograms

import musa_build
from musa_build.porting.engine.rules import default_tables, rule_set
from musa_build.porting.engine.translate import Translator, translate
from musa_build.system.files import write_if_changed

GUARDS = Path(__file__).with_name("guards_of_cuda.txt")

C_HEADERS = [
    *("driver_types.h", "library_types.h", "muComplex.h", "mublas.h", "mublasLt.h", "mufft.h", "murand.h", "musa.h"),
    *("channel_descriptor.h", "driver_functions.h", "musaProfiler.h", "musaTypedefs.h", "musa_profiler_api.h"),
    *(
        "mccl.h",
        "mtml.h",
        "mtrtc.h",
        "mudnn.h",
        "mufftXt.h",
        "musa_bf16.h",
        "musa_fp16.h",
        "musa_fp8.h",
        "mupti.h",
        "mupti_profiler_target.h",
        "mupti_target.h",
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
    """Return the compiler's errors for each (command, file, header) that it rejects."""

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
    # not the file's text: a list of macros declares what is not simulated
    command = ["g++", "-E", "-P", f"-I{sim_sdk_root}/include", str(sim_sdk_root / "include/musa.h")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = sorted(
        set(re.findall(r"\bMUresult (mu\w+?)(?:_v\d+)? ?\(", text))
    )  # `#define muX muX_v2` names the type PFN_muX
    assert len(names) > 200 and "muTensorMapEncodeTiled" in names
    pointers = "".join(f"PFN_{name} pointer_{name} = {name};\n" for name in names)
    source = tmp_path / "types.cpp"
    assert compiles(["g++", f"-I{sim_sdk_root}/include"], source, f"#include <musaTypedefs.h>\n{pointers}") == ""


def ported(text: str) -> str:
    return translate(text.encode(), Translator(rule_set()), lambda include: None).text


def test_guards_and_feature_macros_of_cuda_are_defined_after_porting(sim_sdk_root: Path, tmp_path: Path) -> None:
    """Headers that many programs carry along declare their functions only if CUDA's headers came before."""
    macros: dict[str, list[str]] = {}
    for line in GUARDS.read_text().splitlines():
        if not line.startswith("#"):
            header, *names = line.split()
            macros.setdefault(header, []).extend(names)

    def missing(header: str) -> list[str]:
        asked = "".join(f"#ifndef {name}\nmissing {name}\n#endif\n" for name in macros[header])
        source = tmp_path / f"{header.replace('/', '_')}.mu"
        source.write_text(ported(f"#include <{header}>\n{asked}"))
        command = [str(sim_sdk_root / "bin/mcc"), "-E", "-P", str(source)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return re.findall(r"^missing (\w+)$", run.stdout, re.MULTILINE) if run.returncode == 0 else [run.stderr]

    with ThreadPoolExecutor(2) as pool:
        lacking = dict(zip(macros, pool.map(missing, macros)))
    assert {header: names for header, names in lacking.items() if names} == {}


# Names that CUDA's header brings from other headers.
BROUGHT = {
    "cublas_v2.h": "__half a; __nv_bfloat16 b; cuComplex c; cudaDataType d = CUDA_R_32F; int32_t e; cudaStream_t f;",
    "cublasLt.h": "__half a; __nv_bfloat16 b; cublasHandle_t c; FILE* d; uint64_t e;",
    "cuda_fp8.h": "__half a; __nv_bfloat16 b;",
    "cufft.h": "cuDoubleComplex a; cudaDataType b; libraryPropertyType c; cudaStream_t d;",
    "curand.h": "float3 a = make_float3(0, 0, 0); float* b; cudaMalloc(&b, 4); dim3 c;",
    "curand_kernel.h": "curandGenerator_t a; float b = sqrtf(2.0f); curandStatus_t c;",
    "cusolverDn.h": "__half a; cublasHandle_t b; cuComplex c; FILE* d; cusolverStatus_t e; cublasFillMode_t f;",
    "cusparse.h": "__half a; cuComplex b; cudaStream_t c; cudaDataType d; int64_t e; FILE* f;",
    "nccl.h": "__half a; __nv_bfloat16 b; float* c; cudaMalloc(&c, 4); int d = INT_MAX;",
    "cuda_runtime.h": "cudaDataType a; libraryPropertyType b; float* c; cudaMalloc(&c, 4); make_float2(1, 2);",
}


def test_headers_bring_the_headers_that_cudas_bring(sim_sdk_root: Path, tmp_path: Path) -> None:
    command = ["g++", "-std=c++17", "-w", "-fsyntax-only", f"-I{sim_sdk_root}/include"]

    def errors(header: str) -> str:
        source = tmp_path / f"{header}.cpp"
        source.write_text(ported(f"#include <{header}>\nint main() {{ {BROUGHT[header]} }}\n"))
        return subprocess.run([*command, str(source)], capture_output=True, text=True, check=False).stderr

    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(BROUGHT, pool.map(errors, BROUGHT)))
    assert {header: text for header, text in found.items() if text} == {}


def test_what_nvcc_includes_before_a_source_is_there(sim_sdk_root: Path, tmp_path: Path) -> None:
    text = (
        "int f(char c) { std::pair<int, int> a(1, 2); cudaDataType b = CUDA_R_16BF; clock_t d = clock();\n"
        'return isdigit(c) + std::numeric_limits<int>::max() + INT_MAX + abs(-1) + (int)strlen("") + printf("")\n'
        "+ a.first + b + (int)d; }\n"
    )
    assert compiles([str(sim_sdk_root / "bin/mcc"), "-Werror"], tmp_path / "source.mu", ported(text)) == ""


STATUSES = {
    "cublas": "SUCCESS NOT_INITIALIZED ALLOC_FAILED INVALID_VALUE ARCH_MISMATCH MAPPING_ERROR EXECUTION_FAILED "
    "INTERNAL_ERROR NOT_SUPPORTED LICENSE_ERROR",
    "cusparse": "SUCCESS NOT_INITIALIZED ALLOC_FAILED INVALID_VALUE ARCH_MISMATCH MAPPING_ERROR EXECUTION_FAILED "
    "INTERNAL_ERROR MATRIX_TYPE_NOT_SUPPORTED ZERO_PIVOT NOT_SUPPORTED INSUFFICIENT_RESOURCES",
    "cusolver": "SUCCESS NOT_INITIALIZED ALLOC_FAILED INVALID_VALUE ARCH_MISMATCH MAPPING_ERROR EXECUTION_FAILED "
    "INTERNAL_ERROR MATRIX_TYPE_NOT_SUPPORTED NOT_SUPPORTED ZERO_PIVOT INVALID_LICENSE "
    "IRS_PARAMS_INVALID INVALID_WORKSPACE",
    "curand": "SUCCESS VERSION_MISMATCH NOT_INITIALIZED ALLOCATION_FAILED TYPE_ERROR OUT_OF_RANGE LENGTH_NOT_MULTIPLE "
    "DOUBLE_PRECISION_REQUIRED LAUNCH_FAILURE PREEXISTING_FAILURE INITIALIZATION_FAILED ARCH_MISMATCH INTERNAL_ERROR",
    "cufft": "SUCCESS INVALID_PLAN ALLOC_FAILED INVALID_TYPE INVALID_VALUE INTERNAL_ERROR EXEC_FAILED SETUP_FAILED "
    "INVALID_SIZE UNALIGNED_DATA INCOMPLETE_PARAMETER_LIST INVALID_DEVICE PARSE_ERROR NO_WORKSPACE NOT_IMPLEMENTED "
    "LICENSE_ERROR NOT_SUPPORTED MISSING_DEPENDENCY NVRTC_FAILURE NVJITLINK_FAILURE NVSHMEM_FAILURE",
}


def test_code_that_names_every_status_compiles(sim_sdk_root: Path, tmp_path: Path) -> None:
    """As NVIDIA's samples do, in a switch: names without a value of their own do not compile there."""
    headers = ("cublas_v2", "cusparse", "cusolverDn", "curand", "cufft")
    text = "".join(f"#include <{header}.h>\n" for header in headers)
    for library, statuses in STATUSES.items():
        kind, prefix = (
            ("cufftResult", "CUFFT") if library == "cufft" else (f"{library}Status_t", f"{library.upper()}_STATUS")
        )
        cases = "".join(f'case {prefix}_{status}: return "{status}";\n' for status in statuses.split())
        text += f"const char* name({kind} status) {{ switch (status) {{\n{cases}default: return 0; }} }}\n"
    command = ["g++", "-std=c++17", "-Werror", f"-I{sim_sdk_root}/include"]
    assert compiles(command, tmp_path / "statuses.cpp", ported(text)) == ""


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
@pytest.mark.parametrize("standard", ["c++11", "c++17"])
def test_each_alone_with_mcc(sim_sdk_root: Path, tmp_path: Path, standard: str) -> None:
    names = [name for name in public_headers(sim_sdk_root) if not only_includes(sim_sdk_root / "include" / name)]
    command = [str(sim_sdk_root / "bin/mcc"), f"-std={standard}", "-Wall", "-Wextra", "-Werror"]
    assert failures([(command, f"{i}.mu", name) for i, name in enumerate(names)], tmp_path) == {}


STANDARDS = ("c++11", "gnu++11", "c++14", "gnu++14", "c++17", "gnu++17", "c++20", "gnu++20")
#: Each standard in one order, and the oldest in both; the rest is slow.
QUICK = {("c++11", 1), ("gnu++11", -1), ("c++11", -1), ("gnu++14", 1), ("c++14", -1), ("c++17", 1), ("c++20", -1)}
ORDERS = [
    pytest.param(standard, step, marks=[] if (standard, step) in QUICK else [pytest.mark.slow])
    for standard in STANDARDS
    for step in (1, -1)
]


@pytest.mark.parametrize(("standard", "step"), ORDERS)
def test_all_together_with_mcc(sim_sdk_root: Path, tmp_path: Path, standard: str, step: int) -> None:
    names = public_headers(sim_sdk_root)[::step]
    text = "".join(f"#include <{name}>\n" for name in names) + "using namespace std;\n__global__ void kernel() {}\n"
    command = [str(sim_sdk_root / "bin/mcc"), f"-std={standard}", "-Wall", "-Wextra", "-Werror"]
    assert compiles(command, tmp_path / "all.mu", text) == ""


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++20"])
def test_all_together_with_the_host_compiler(sim_sdk_root: Path, tmp_path: Path, standard: str) -> None:
    """Of a folder of the system, as CMake names it: g++ warns of `if constexpr` and fold expressions before C++17."""
    text = "".join(f"#include <{name}>\n" for name in public_headers(sim_sdk_root)) + "using namespace std;\n"
    flags = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-isystem", str(sim_sdk_root / "include")]
    assert compiles(["g++", *flags], tmp_path / "all.cpp", text) == ""


OWN = Path(musa_build.__file__).parent / "toolchain" / "cxx_headers"
#: Headers that libcu++ has from C++14 on, or that need a library of C++23.
NEWER = {"cuda/std/expected": "C++14", "cuda/std/mdspan": "C++23"}


def own_headers() -> list[str]:
    """All that ported code includes: musa_build's inline PTX and its part of libcu++."""
    paths = (path.relative_to(OWN) for path in OWN.rglob("*") if path.is_file())
    return sorted(str(path) for path in paths if "detail" not in path.parts and str(path) != "math.h")


@pytest.mark.parametrize(
    ("standard", "step"), [("c++11", 1), ("c++14", -1), ("c++17", 1), ("gnu++11", -1), ("gnu++20", 1)]
)
def test_own_headers_with_mcc(sim_sdk_root: Path, tmp_path: Path, standard: str, step: int) -> None:
    left_out = set(NEWER) if standard.endswith("11") else {"cuda/std/mdspan"}
    names = [name for name in own_headers() if name not in left_out][::step]
    assert len(names) > 15
    text = "".join(f"#include <{name}>\n" for name in names) + "using namespace std;\n__global__ void kernel() {}\n"
    flags = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-isystem", str(OWN)]
    assert compiles([str(sim_sdk_root / "bin/mcc"), *flags], tmp_path / "own.mu", text) == ""


@pytest.mark.parametrize(("name", "needed"), NEWER.items())
def test_what_needs_a_newer_standard_says_so(sim_sdk_root: Path, tmp_path: Path, name: str, needed: str) -> None:
    command = [str(sim_sdk_root / "bin/mcc"), "-std=c++11", "-isystem", str(OWN)]
    errors = re.findall(r"error: (.*)", compiles(command, tmp_path / "newer.mu", f"#include <{name}>\n"))
    assert len(errors) == 1 and f"<{name}> needs {needed}" in errors[0]


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


#: Headers of the C library and of POSIX, and the compiler's for vector instructions.
SYSTEM_HEADERS = " ".join(
    (
        "assert ctype errno fenv float inttypes iso646 limits locale malloc math memory setjmp signal stdarg stdbool",
        "stddef stdint stdio stdlib string strings time uchar wchar wctype aio alloca arpa/inet dirent dlfcn fcntl",
        "fnmatch ftw getopt glob grp libgen libintl monetary netdb netinet/in nl_types poll pthread pwd regex sched",
        "search semaphore spawn sys/mman sys/resource sys/select sys/socket sys/stat sys/time sys/types sys/uio",
        "sys/wait syslog termios unistd utime wordexp immintrin mm_malloc",
    )
).split()


@pytest.mark.parametrize("step", [1, -1], ids=["forwards", "backwards"])
def test_headers_of_the_system(sim_sdk_root: Path, tmp_path: Path, step: int) -> None:
    """mcc lets kernels call the C library: a header that declares a function of it once more must say the same."""
    text = "".join(f"#include <{name}.h>\n" for name in SYSTEM_HEADERS[::step])
    assert compiles(["g++", "-mavx2"], tmp_path / "system.cpp", text) == ""
    assert compiles([str(sim_sdk_root / "bin/mcc"), "-w"], tmp_path / "system.mu", text) == ""


# Moore Threads' mapping names them; the libraries are not simulated.
NOT_SIMULATED = {
    *("mtpp.h", "mtppi.h", "mtpps.h", "mtjpeg.h", "musaEGL.h", "musa_egl_interop.h", "musolverMg.h", "musolverSp.h"),
    *("musa_awbarrier.h", "musa_awbarrier_primitives.h"),
}


def test_each_header_that_porting_names_is_in_the_sdk(sim_sdk_root: Path) -> None:
    """The parts of libcu++ are musa_build's own, and torch_musa's headers are tested with PyTorch's."""
    rules = default_tables("sdk.rules", "libraries.rules").headers
    named = {
        rule.replace for rule in rules if not rule.replace.startswith(("cuda/", "nv/")) and rule.replace[-1] != "/"
    }
    absent = {name for name in named if not (sim_sdk_root / "include" / name).is_file()}
    assert len(named) > 60 and absent <= NOT_SIMULATED, sorted(absent - NOT_SIMULATED)
    assert not any((sim_sdk_root / "include" / name).exists() for name in NOT_SIMULATED)
