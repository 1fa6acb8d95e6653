"""mcc as a command: what it builds, what it refuses, what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")
VADD = (PROGRAMS / "vadd.mu").read_text(encoding="utf-8")
VADD_SUM = 3 * 1002 * 1003 // 2


class Mcc:
    """The simulated SDK's mcc, run in a directory of its own."""

    def __init__(self, root: Path, cwd: Path) -> None:
        self.root = root
        self.cwd = cwd

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.root / "bin/mcc", *args],
            cwd=self.cwd,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )

    def ok(self, *args: str) -> str:
        run = self(*args)
        assert run.returncode == 0, run.stderr
        return run.stderr

    def write(self, name: str, text: str) -> str:
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def run(self, name: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.cwd / name], env={**os.environ, **env}, capture_output=True, text=True, check=False)


@pytest.fixture
def mcc(sim_sdk_root: Path, tmp_path: Path) -> Mcc:
    return Mcc(sim_sdk_root, tmp_path)


def test_version_has_five_lines_that_tools_can_parse(mcc: Mcc) -> None:
    lines = mcc("--version").stdout.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("clang version ")
    assert lines[1] == "mcc version 5.2.0"
    assert lines[4] == f"InstalledDir: {mcc.root / 'bin'}"


def test_version_query_has_every_module(mcc: Mcc) -> None:
    run = subprocess.run([mcc.root / "bin/musa_version_query"], capture_output=True, text=True, check=True)
    assert 'mcc:\n{\n\t"version":\t"5.2.0"\n}\n' in run.stdout
    assert "musa_sim:" in run.stdout


def test_compile_link_and_run(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    mcc.ok("vadd.mu", "-lmusart", "-o", "vadd")
    run = mcc.run("vadd")
    assert (run.returncode, run.stdout) == (0, f"{VADD_SUM}\n"), run.stderr


def test_a_forgotten_runtime_is_named(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    run = mcc("vadd.mu", "-o", "vadd")
    assert run.returncode == 1
    assert run.stderr.endswith("mcc: note: programs that use MUSA need '-lmusart'\n")


def test_object_links_with_the_host_compiler(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    mcc.ok("-O2", "-fPIC", "-c", "vadd.mu", "-o", "vadd.o")
    lib = mcc.root / "lib"
    subprocess.run(
        ["g++", "vadd.o", f"-L{lib}", "-lmusart", f"-Wl,-rpath,{lib}", "-o", "vadd"], cwd=mcc.cwd, check=True
    )
    assert mcc.run("vadd").stdout == f"{VADD_SUM}\n"


def test_a_sanitizer_is_for_host_code(mcc: Mcc) -> None:
    """As with clang for GPUs: there is no runtime of AddressSanitizer on a device."""
    mcc.write("vadd.mu", VADD)
    mcc.ok("-fsanitize=address", "-fPIC", "-c", "vadd.mu", "-o", "vadd.o")
    names = subprocess.run(["nm", "-u", "vadd.o"], cwd=mcc.cwd, capture_output=True, text=True, check=True).stdout
    assert "__asan_init" in names  # of the host pass


CLASSES = (PROGRAMS / "classes.mu").read_text(encoding="utf-8")
FLAGS_FOR_HOST_CODE = ("-fsanitize=address,undefined", "-finstrument-functions", "-fcf-protection=full")
MORE_FLAGS_FOR_HOST_CODE = (
    *(f"-fsanitize={name}" for name in ("address", "undefined", "thread", "memory", "hwaddress")),
    *("-fsanitize-coverage=trace-pc-guard", "-fxray-instrument", "-pg"),
    *("-fstack-protector-all", "-ftrivial-auto-var-init=pattern", "-fmerge-all-constants"),
    *("-ffunction-sections", "-mcmodel=large", "-fsemantic-interposition", "-fpatchable-function-entry=2", "-gz"),
)


@pytest.mark.parametrize(
    "flag",
    [*FLAGS_FOR_HOST_CODE, *(pytest.param(flag, marks=pytest.mark.slow) for flag in MORE_FLAGS_FOR_HOST_CODE)],
)
def test_flags_that_change_host_code(flag: str, mcc: Mcc) -> None:
    """Kernels with classes as parameters and in shared memory compile, whatever the flag puts into host code."""
    mcc.write("classes.mu", CLASSES)
    mcc.ok("-O1", flag, "-fPIC", "-c", "classes.mu", "-o", "classes.o")


@pytest.mark.parametrize("flag", ["-fsanitize=address", "-fsanitize=undefined"])
def test_sanitized_host_code_runs(flag: str, mcc: Mcc) -> None:
    mcc.write("classes.mu", CLASSES)
    mcc.ok("-O1", flag, "-fPIC", "-c", "classes.mu", "-o", "classes.o")
    lib = mcc.root / "lib"
    link = ["g++", flag, "classes.o", f"-L{lib}", "-lmusart", f"-Wl,-rpath,{lib}", "-o", "classes"]
    subprocess.run(link, cwd=mcc.cwd, check=True)
    assert mcc.run("classes", ASAN_OPTIONS="detect_leaks=0").stdout == "0 37\n"


@pytest.mark.parametrize(
    "flag",
    [
        *("--coverage", "-fprofile-arcs", "-ftest-coverage", "-fprofile-instr-generate", "-fprofile-generate=here"),
        *("-fcoverage-mapping", "-flto", "-flto=thin", "-fembed-bitcode"),
    ],
)
def test_flags_without_effect_are_named(flag: str, mcc: Mcc) -> None:
    mcc.write("classes.mu", CLASSES)
    run = mcc("-O1", flag, "classes.mu", "-o", "classes", "-lmusart")
    assert run.returncode == 0 and f"mcc: warning: '{flag}' has no effect: " in run.stderr, run.stderr
    assert mcc.run("classes").stdout == "0 37\n"


TEMPLATE = """
#include <type_traits>
template <typename T, std::enable_if_t<!std::is_const_v<T>, int> = 0> int next(T number)"""


@pytest.mark.parametrize("defined_by", ["mcc", "g++"])
def test_templates_have_the_host_compilers_names(defined_by: str, mcc: Mcc) -> None:
    """PyTorch's `const_data_ptr` of 2.8 is such a template, which g++ compiled."""
    definition = TEMPLATE + " { return int(number) + 1; }\ntemplate int next<float>(float);\n"
    use = TEMPLATE + ";\nint main() { return next(41.0f) == 42 ? 0 : 1; }\n"
    by_mcc, by_gxx = (definition, use) if defined_by == "mcc" else (use, definition)
    mcc.write("device.mu", by_mcc)
    mcc.write("host.cpp", by_gxx)
    mcc.ok("-std=c++17", "-c", "device.mu", "-o", "device.o")
    words = ["g++", "-std=c++17", "host.cpp", "device.o", f"-L{mcc.root / 'lib'}", "-lmusart"]
    subprocess.run([*words, f"-Wl,-rpath,{mcc.root / 'lib'}", "-o", "both"], cwd=mcc.cwd, check=True)
    assert mcc.run("both").returncode == 0


def test_device_link_step_and_the_compilers_other_name(mcc: Mcc) -> None:
    """torch_musa's dlink, and ggml's command line: the SDK's clang++ is its mcc."""
    mcc.write("vadd.cpp", VADD)
    words = "-Od3 -fsigned-char -x musa -mtgpu -fmusa-flush-denormals-to-zero --cuda-gpu-arch=mp_22 -fPIC -c"
    compiler = [mcc.root / "bin/clang++", *words.split(), "vadd.cpp", "-o", "vadd.o"]
    subprocess.run(compiler, cwd=mcc.cwd, check=True)
    mcc.ok("vadd.o", "-o", "dlink.o", "-fPIC", "--offload-arch=mp_22", "-dlink", "-lmusart")
    mcc.ok("vadd.o", "dlink.o", "-lmusart", "-o", "vadd")
    assert mcc.run("vadd").stdout == f"{VADD_SUM}\n"
    missing = mcc("nowhere.o", "-dlink", "-o", "dlink.o")
    assert (missing.returncode, missing.stderr) == (1, "mcc: error: no such file or directory: 'nowhere.o'\n")


OF_OBJECTS = (PROGRAMS / "templates_of_objects.mu").read_text(encoding="utf-8")


@pytest.mark.parametrize("flags", [(), ("-O0",), ("--sim-check=memory",)])
def test_debug_info_of_templates_of_objects_and_addresses(mcc: Mcc, flags: tuple[str, ...]) -> None:
    (mcc.cwd / "k.mu").write_text(OF_OBJECTS)
    mcc.ok("-g", "-std=c++20", *flags, "k.mu", "-o", "k", "-lmusart")
    done = subprocess.run([mcc.cwd / "k"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{1 + ord('b') + 3 + 5}\n"), done.stderr


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O3", "-g", "-Od3"])
def test_every_optimisation_level_gives_the_same_answer(mcc: Mcc, level: str) -> None:
    mcc.write("vadd.mu", VADD)
    mcc.ok(level, "vadd.mu", "-lmusart", "-o", "vadd")
    assert mcc.run("vadd").stdout == f"{VADD_SUM}\n"


def test_the_image_of_the_device_is_chosen_among_several(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    archs = ["--offload-arch=mp_21", "--offload-arch=mp_22", "--offload-arch=mp_31"]
    mcc.ok("-DARCH_MATTERS=1", *archs, "vadd.mu", "-lmusart", "-o", "vadd")
    for arch, number in (("mp_21", 210), ("mp_22", 220), ("mp_31", 310)):
        assert mcc.run("vadd", MUSA_SIM_ARCH=arch).stdout == f"{VADD_SUM + 1003 * number}\n"


def test_a_missing_image_is_an_error_that_names_both_sides(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    mcc.ok("--offload-arch=mp_21", "vadd.mu", "-lmusart", "-o", "vadd")
    run = mcc.run("vadd", MUSA_SIM_ARCH="mp_31")
    assert run.returncode == 1
    assert "no kernel image" in run.stdout
    assert "mp_31" in run.stderr
    assert "mp_21" in run.stderr


def test_architectures_that_see_the_same_source_are_compiled_once(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    archs = ["--offload-arch=mp_21", "--offload-arch=mp_22", "--offload-arch=mp_31"]
    same = mcc.ok("-v", *archs, "-c", "vadd.mu")
    different = mcc.ok("-v", "-DARCH_MATTERS=1", *archs, "-c", "vadd.mu")
    assert (_device_passes(same), _device_passes(different)) == (1, 3)


def _device_passes(log: str) -> int:
    """Count the front end's runs for device code, without those that precompile the first header."""
    return sum('"-fcuda-is-device"' in line and "/.making-" not in line for line in log.splitlines())


def test_output_is_the_same_byte_for_byte(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    mcc.ok("-O2", "-c", "vadd.mu", "-o", "one.o")
    mcc.ok("-O2", "-c", "vadd.mu", "-o", "two.o")
    assert (mcc.cwd / "one.o").read_bytes() == (mcc.cwd / "two.o").read_bytes()


def test_cpp_is_host_code_by_default(mcc: Mcc) -> None:
    mcc.write("k.cpp", "__global__ void k() {}\n")
    refused = mcc("-c", "k.cpp")
    assert refused.returncode != 0
    assert "unknown type name '__global__'" in refused.stderr
    mcc.ok("-x", "musa", "-c", "k.cpp")
    mcc.write("h.cpp", "#include <musa_runtime.h>\n#ifdef __MUSACC__\n#error host code is not MUSA\n#endif\n")
    mcc.ok("-c", "h.cpp")


def test_syntax_error_ends_with_the_architecture(mcc: Mcc) -> None:
    mcc.write("bad.mu", "__global__ void k(float* p) {\n  p[0] = nope;\n  q = 1;\n}\n")
    run = mcc("--offload-arch=mp_31", "-c", "bad.mu")
    assert run.returncode == 1
    assert "bad.mu:2:10: error: use of undeclared identifier 'nope'" in run.stderr
    assert run.stderr.splitlines()[-1] == "2 errors generated when compiling for mp_31."
    assert run.stderr.count("identifier 'nope'") == 1, "said once, not once a pass"
    assert not (mcc.cwd / "bad.o").exists()


def test_assembly_that_does_not_assemble_is_shown_in_its_source(mcc: Mcc) -> None:
    """LLVM sees it only after clang has forgotten the source."""
    mcc.write("part.h", '__device__ int part(int a) {\n  asm("foo.s32 %0, %0;" : "+r"(a));\n  return a;\n}\n')
    kernels = (
        '#include "part.h"\n__global__ void k(int* out) { *out = part(1); }\n'
        'template <int N> __global__ void t(int* out) {\n  asm volatile("bar.foo;" ::: "memory");\n  *out = N;\n}\n'
        "void f(int* out) { t<1><<<1, 1>>>(out); }\n"
    )
    for level in ("-O0", "-O2"):
        run = mcc("-c", level, mcc.write("asm.mu", kernels))
        assert run.returncode == 1
        assert "part.h:2:7: error: invalid instruction mnemonic 'foo.s32'" in run.stderr.replace("./", "")
        assert "asm.mu:4:16: error: invalid instruction mnemonic 'bar.foo'" in run.stderr
        assert run.stderr.endswith("generated when compiling for mp_22.\n")


def test_calling_a_host_function_from_a_kernel(mcc: Mcc) -> None:
    mcc.write("bad.mu", "void host();\n__global__ void k() { host(); }\n")
    run = mcc("-c", "bad.mu")
    assert "call to __host__ function from __global__ function" in run.stderr
    assert run.stderr.splitlines()[-1] == "1 error generated when compiling for mp_22."


def test_a_warning_is_said_once(mcc: Mcc) -> None:
    mcc.write("w.mu", "__global__ void k(int* p) { int unused = 1; p[0] = 2; }\n")
    assert mcc.ok("-Wall", "-c", "w.mu").count("unused variable 'unused'") == 1


@pytest.mark.parametrize(
    "text",
    [
        "[[noreturn]] static __device__ void no_code() { __trap(); }\n__global__ void k(int x) { if (x) no_code(); }\n",
        "#include <cassert>\n[[noreturn]] static __device__ void no_code() { assert(false); }\n"
        "__global__ void k(int x) { if (x) no_code(); }\n",
        "#ifdef __CUDA_ARCH__\n#error\n#endif\n#ifdef __MUSA_ARCH__\n#define __CUDA_ARCH__ 1300\n#endif\n"
        "__global__ void k(int* x) { *x = 1; }\n",
    ],
    ids=["trap", "assert", "arch"],
)
def test_code_that_was_written_for_mcc_gives_no_warning(mcc: Mcc, text: str) -> None:
    mcc.write("k.mu", text)
    assert mcc.ok("-Wall", "-fsyntax-only", "k.mu") == ""


def test_the_architecture_of_cuda_can_be_given(mcc: Mcc) -> None:
    mcc.write("k.mu", "static_assert(__CUDA_ARCH__ == 800);\n__global__ void k() {}\n")
    assert mcc.ok("-D__CUDA_ARCH__=800", "-fsyntax-only", "k.mu") == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-gencode", "arch=compute_80,code=sm_80", "-c", "k.mu"], "mcc: error: unknown argument: '-gencode'"),
        (["--expt-relaxed-constexpr", "-c", "k.mu"], "mcc: error: unknown argument: '--expt-relaxed-constexpr'"),
        (["-c", "nowhere.mu"], "mcc: error: no such file or directory: 'nowhere.mu'"),
        ([], "mcc: error: no input files"),
        (["-c", "k.mu", "-o", "no/such/dir/k.o"], "mcc: error: unable to open output file 'no/such/dir/k.o'"),
    ],
)
def test_refusals_in_clangs_words(mcc: Mcc, args: list[str], message: str) -> None:
    mcc.write("k.mu", "__global__ void k() {}\n")
    run = mcc(*args)
    assert run.returncode == 1
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_depfile_lists_headers_of_every_pass(mcc: Mcc) -> None:
    mcc.write("inc dir/both.h", "")
    mcc.write("inc dir/device.h", "")
    mcc.write("inc dir/host.h", "")
    mcc.write(
        "k.mu",
        '#include "both.h"\n#ifdef __MUSA_ARCH__\n#include "device.h"\n#else\n#include "host.h"\n#endif\n',
    )
    mcc.ok("-MD", "-MF", "k.d", "-I", "inc dir", "-c", "k.mu", "-o", "k.o")
    text = (mcc.cwd / "k.d").read_text()
    assert text.startswith("k.o: k.mu")
    for header in ("both.h", "device.h", "host.h"):
        assert f"inc\\ dir/{header}" in text
    assert "musa_runtime.h" in text
    mcc.ok("-MMD", "-MF", "user.d", "-I", "inc dir", "-c", "k.mu", "-o", "k.o")
    assert "stdlib.h" not in (mcc.cwd / "user.d").read_text()


def test_early_stages(mcc: Mcc) -> None:
    mcc.write("k.mu", "#ifdef __MUSA_ARCH__\nint device_side;\n#else\nint host_side;\n#endif\n__global__ void k() {}\n")
    assert "int host_side" in mcc("-E", "k.mu").stdout
    assert "int device_side" in mcc("-E", "--cuda-device-only", "k.mu").stdout
    mcc.ok("-fsyntax-only", "k.mu")
    assert not (mcc.cwd / "k.o").exists()
    mcc.ok("-S", "k.mu")
    assert "musaLaunchKernel" in (mcc.cwd / "k.s").read_text()
    assert "k.mu" in mcc("-MM", "k.mu").stdout
    mcc.ok("-O2", "--cuda-device-only", "--cuda-gpu-arch", "mp_31", "k.mu", "-c", "-o", "k.mubin")
    assert (mcc.cwd / "k.mubin").read_bytes().startswith(b"MUSASIM3")
    mcc.write("k.cu", "__global__ void k() {}\n")
    mcc.ok("-O2", "--cuda-device-only", "--cuda-gpu-arch", "mp_31", "-o", "without-c.mubin", "k.cu")
    assert (mcc.cwd / "without-c.mubin").read_bytes().startswith(b"MUSASIM3")
    for flags in ((), ("-fgpu-rdc",), ("--sim-check=all",)):
        assert "__musa_sim_entry__Z1kv" in mcc("-S", "--cuda-device-only", *flags, "k.mu", "-o", "-").stdout, flags
    mcc.ok("-S", "--cuda-device-only", "k.cu")
    assert ".globl\t__musa_sim_entry__Z1kv" in (mcc.cwd / "k.s").read_text(), "assembly, and no image"
    mcc.ok("-S", "--cuda-device-only", "-emit-llvm", "k.cu")
    assert "define " in (mcc.cwd / "k.ll").read_text()
    several = ("--cuda-gpu-arch=mp_22", "--cuda-gpu-arch=mp_31")
    failed = mcc("-S", "--cuda-device-only", *several, "k.cu")
    assert failed.returncode == 1 and "for one architecture; not mp_22, mp_31" in failed.stderr
    assert mcc.ok("-Ofast", "-c", "k.mu") == "", "although newer clangs than mcc's warn about it"
    shown = mcc("-###", "-c", "k.mu").stderr
    assert '"-fcuda-is-device"' in shown


def test_inputs_of_other_kinds(mcc: Mcc) -> None:
    mcc.write("c.c", "int class(int new) { return new; }\n")
    assert mcc.ok("-c", "c.c") == "", "C stays C"
    mcc.write("k.mu", "__global__ void k() {}\n")
    with (mcc.cwd / "k.mu").open() as source:
        command = [mcc.root / "bin/mcc", "-x", "musa", "-c", "-", "-o", "piped.o"]
        subprocess.run(command, stdin=source, cwd=mcc.cwd, check=True)
    assert b"MUSASIM3" in (mcc.cwd / "piped.o").read_bytes()
    assert mcc("-c", "-").stderr == "mcc: error: no such file or directory: '-'\n"


def test_questions_that_clang_answers(mcc: Mcc) -> None:
    assert mcc("-dumpmachine").stdout == "x86_64-unknown-linux-gnu\n"
    assert mcc("-dumpversion").stdout.startswith(("19.", "22."))
    assert Path(mcc("-print-resource-dir").stdout.strip(), "include").is_dir()
    assert "OVERVIEW" in mcc("--help").stdout


def test_odd_file_names_and_response_files(mcc: Mcc) -> None:
    mcc.write("odd dir/v add$1'.mu", VADD)
    mcc.write("args.rsp", "\"odd dir/v add$1'.mu\" -lmusart -o 'a b'")
    mcc.ok("@args.rsp")
    assert mcc.run("a b").stdout == f"{VADD_SUM}\n"


def test_parallel_calls_do_not_meet(mcc: Mcc) -> None:
    mcc.write("vadd.mu", VADD)
    command = [mcc.root / "bin/mcc", "-c", "vadd.mu", "-o"]
    running = [
        subprocess.Popen([*command, f"{name}.o"], cwd=mcc.cwd, stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    for process in running:
        assert process.wait() == 0, process.stderr and process.stderr.read()
        assert process.stderr is not None
        process.stderr.close()
    assert (mcc.cwd / "one.o").read_bytes() == (mcc.cwd / "three.o").read_bytes()


@pytest.mark.parametrize("header", ["cmath", "math.h", "random"])
def test_special_functions_cost_only_who_includes_them(mcc: Mcc, header: str) -> None:
    mcc.write("s.mu", f"#include <{header}>\ndouble beta() {{ return std::beta(2.0, 3.0); }}\n")
    mcc.ok("-std=c++17", "-fsyntax-only", "s.mu")
    mcc.write("no.mu", "double least() { return std::fmin(std::min(1.0, 2.0), std::numeric_limits<double>::min()); }\n")
    mcc.ok("-std=c++17", "-fsyntax-only", "no.mu")
    seen = mcc("-std=c++17", "-E", "no.mu")
    assert "numeric_limits" in seen.stdout and "riemann_zeta" not in seen.stdout


def test_both_supported_clangs_agree(sim_sdk_root: Path, tmp_path: Path) -> None:
    clang = next((found for n in range(24, 15, -1) if (found := shutil.which(f"clang-{n}"))), None)
    if clang is None:
        pytest.skip("no clang beside ziglang's on PATH (apt-get install clang-19)")
    env = {**os.environ, "MUSA_SIM_CLANG": clang}
    run = subprocess.run(
        [sys.executable, "-m", "musa_sim", "root"], env=env, capture_output=True, text=True, check=True
    )
    assert "compiling" not in run.stderr, "its libraries are those of the other SDK"
    other = Mcc(Path(run.stdout.strip()), tmp_path)
    other.write("vadd.mu", VADD)
    other.ok("vadd.mu", "-lmusart", "-o", "vadd")
    assert other.run("vadd").stdout == f"{VADD_SUM}\n"


def test_a_missing_clang_is_one_sentence(tmp_path: Path) -> None:
    env = {**os.environ, "MUSA_SIM_CLANG": str(tmp_path / "no-clang")}
    run = subprocess.run(
        [sys.executable, "-m", "musa_sim", "root"], env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert len(run.stderr.splitlines()) == 1
    assert "is not a clang" in run.stderr


SHARED = (PROGRAMS / "static_shared_memory.mu").read_text(encoding="utf-8")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_static_shared_memory_is_known_per_kernel(mcc: Mcc, level: str) -> None:
    mcc.write("s.mu", "#include <stdio.h>\n" + SHARED)
    mcc.ok(level, "s.mu", "-lmusart", "-o", "s")
    assert mcc.run("s").stdout == f"{6000 * 4 + 10 * 16}\n"


def test_too_much_static_shared_memory_is_a_compile_error(mcc: Mcc) -> None:
    mcc.write("s.mu", "#include <stdio.h>\n" + SHARED)
    run = mcc("-O2", "--offload-arch=mp_21", "-c", "s.mu")
    assert run.returncode == 1
    assert run.stderr == (
        "error: shared memory (40160) exceeds limit (28672) in function '_Z7reverseILi10000EEvPKfPf'\n"
        "1 error generated when compiling for mp_21.\n"
    )
    mcc.ok("-O2", "--offload-arch=mp_31", "-c", "s.mu")
