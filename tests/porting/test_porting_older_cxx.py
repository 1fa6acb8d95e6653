"""CUDA code that was written before C++20: ported, compiled as C++20, and run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from translated_texts import findings_in, translated

from musa_build import SimplePorting
from musa_build.toolchain.compile_flags import CompileFlags

PROGRAMS = Path(__file__).with_name("programs")

# As NVIDIA's helper_math.h has it, and the packages that copy it.
HELPER_MATH = (PROGRAMS / "helper_math.h").read_text(encoding="utf-8")

KERNEL = (PROGRAMS / "older_cxx.cu").read_text(encoding="utf-8")

# C++20's own names stay unchanged for code that wants them.
FOR_CXX20 = (PROGRAMS / "cxx20.cu").read_text(encoding="utf-8")


@pytest.fixture(params=["", "clang-19"], ids=["ziglang", "clang-19"])
def clang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    monkeypatch.setenv("MUSA_SIM_CLANG", request.param)


def run_ported(folder: Path, sdk: Path, sources: dict[str, str], inputs: bytes = b"") -> bytes:
    """Port `sources`, compile k.cu as C++20 as musa_build compiles what porting made, and run it: its output."""
    for name, text in sources.items():
        (folder / "csrc").mkdir(exist_ok=True)
        (folder / "csrc" / name).write_text(text)
    SimplePorting(folder / "csrc").run()
    source = str(folder / "csrc_musa" / "k.mu")
    flags = CompileFlags.parse({}, "demo", [source]).mcc
    link = [f"-L{sdk}/lib", "-lmusart", f"-Wl,-rpath,{sdk}/lib"]
    program = str(folder / "program")
    command = [str(sdk / "bin" / "mcc"), "-std=c++20", "-O1", *flags, source, "-o", program, *link]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr[-4000:]
    done = subprocess.run([program], input=inputs, capture_output=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def test_code_from_before_cxx20_runs(tmp_path: Path, sim_sdk_root: Path, clang: None) -> None:
    random = np.random.default_rng(20)
    a, b = random.standard_normal((2, 1000, 2), dtype=np.float32)
    t = random.standard_normal(1000, dtype=np.float32)
    sources = {"helper_math.h": HELPER_MATH, "k.cu": KERNEL}
    output = run_ported(tmp_path, sim_sdk_root, sources, b"".join(array.tobytes() for array in (a, b, t)))
    exact = a + (2 * 32 * t.astype(np.float64))[:, None] * (b.astype(np.float64) - a)
    np.testing.assert_allclose(np.frombuffer(output, np.float32).reshape(-1, 2), exact, rtol=1e-5, atol=1e-4)


def test_code_for_cxx20_stays_what_it_is(tmp_path: Path, sim_sdk_root: Path, clang: None) -> None:
    assert run_ported(tmp_path, sim_sdk_root, {"k.cu": FOR_CXX20}) == b"13.75 a"


def ported(text: str) -> tuple[str, list[str]]:
    translation = translated(text)
    return translation.text, [finding.code for finding in findings_in(translation)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('auto s = u8"a" u8R"(b)";', 'auto s = "a" R"(b)";'),
        ("char c = u8'a';", "char c = 'a';"),
        ("int concept = 1; f(concept + 2);", "int concept_cxx17 = 1; f(concept_cxx17 + 2);"),
        ("void concept(int);", "void concept_cxx17(int);"),
        ("if (o.requires && p->consteval) {}", "if (o.requires_cxx17 && p->consteval_cxx17) {}"),
        ("#if defined(__GNUC__) && __GNUC__ < 6", "#if defined(__GNUC__) && (__GNUC__ < 6 && !defined(__clang__))"),
        ("#elif __GNUC__ == 4 && \\\n  x", "#elif (__GNUC__ == 4 && !defined(__clang__)) && \\\n  x"),
    ],
)
def test_what_is_rewritten_is_said(before: str, after: str) -> None:
    text, codes = ported(before + "\n")
    assert text == after + "\n"
    assert set(codes) <= {"older-cxx", "gcc-guard"} and codes


@pytest.mark.parametrize(
    "text",
    [
        'const char8_t* s = u8"a";',
        'std::u8string s = u8"a";',
        "template <class T> concept C = requires(T t) { t.f(); };",
        "template <class T> requires C<T> && (sizeof(T) > 1) void f();",
        "consteval int f() { return 1; } constinit int x = f();",
        '// concept = u8"x"\nconst char* s = "requires = concept;";',
        "int requires_grad = 1; int u8 = 2;",
        "#if __GNUC__ >= 7",
        "#if __GNUC__ < 4",
        "#if __GNUC__ < 6 && !defined(__clang__)",
        "int gcc = __GNUC__ < 6;",
    ],
)
def test_what_needs_no_rewriting_stays(text: str) -> None:
    assert ported(text + "\n") == (text + "\n", [])


FUNCTION = "__device__ __forceinline__ static void f(float* p, float (&v)[2]) {\n}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#ifdef __CUDA_ARCH__\n", "#ifdef __MUSACC__\n"),
        ("#if defined(__CUDA_ARCH__) // for nvcc\n", "#if defined(__MUSACC__) // for nvcc\n"),
    ],
)
def test_a_device_function_of_the_device_pass_alone(before: str, after: str) -> None:
    text, codes = ported(before + FUNCTION + "#endif\n")
    assert text == after + FUNCTION + "#endif\n" and codes == ["arch-guard"]


@pytest.mark.parametrize(
    "rest",
    [
        FUNCTION + "#else\nvoid f(float*);\n#endif\n",
        "#define ON_DEVICE\n" + FUNCTION + "#endif\n",
        "__host__ " + FUNCTION + "#endif\n",
        "int x;\n#endif\n" + FUNCTION,
        "auto f = [] __device__ (int i) { };\n#endif\n",
    ],
)
def test_what_the_host_pass_must_not_see_stays_in_the_device_pass(rest: str) -> None:
    assert ported("#ifdef __CUDA_ARCH__\n" + rest)[0] == "#ifdef __MUSA_ARCH__\n" + rest


NEWER = "(!defined(__MUSA_ARCH__) || __MUSA_ARCH__ >= 220)"
FOR_BOTH = "static __host__ __device__ float g(float x) {\n    return x;\n}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n", f"#if defined(__MUSACC__) && {NEWER}\n"),
        ("#if (defined __CUDA_ARCH__ && (__CUDA_ARCH__ >= 800))\n", f"#if (defined __MUSACC__ && ({NEWER}))\n"),
        (
            "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800\n",
            "#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ < 220\n",
        ),
        (
            "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && X\n",
            "#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ >= 220 && X\n",
        ),
    ],
)
def test_device_functions_of_newer_architectures(before: str, after: str) -> None:
    """nvcc's host pass skips code that calls them; clang's checks it."""
    for group in (FUNCTION, FUNCTION + FOR_BOTH):
        assert ported(f"{before}{group}#endif\n")[0] == f"{after}{group}#endif\n"


def test_a_function_of_both_passes_may_have_a_version_for_the_host() -> None:
    text = f"#ifdef __CUDA_ARCH__\n{FUNCTION}{FOR_BOTH}#endif\n#if !defined(__CUDA_ARCH__)\nfloat g(float);\n#endif\n"
    assert ported(text)[0] == text.replace("CUDA_ARCH", "MUSA_ARCH")


def test_comparisons_among_device_functions_read_as_the_newest_architecture_in_the_host_pass() -> None:
    inside = "#if (__CUDA_ARCH__ < 200)\n#endif\n#if __CUDA_ARCH__ >= 800\n#endif\n"
    group = f"#ifdef __CUDA_ARCH__\n{inside}{FUNCTION}#endif\n"
    conditions = [line for line in ported(group)[0].splitlines() if line.startswith("#if")]
    assert conditions == [
        "#ifdef __MUSACC__",
        "#if ((defined(__MUSA_ARCH__) && __MUSA_ARCH__ < 100))",
        "#if (!defined(__MUSA_ARCH__) || __MUSA_ARCH__ >= 220)",
    ]
