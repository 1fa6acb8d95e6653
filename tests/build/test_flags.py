"""extra_compile_args in all its shapes, nvcc's flags, and the C++ standard."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from demo_project import Project
from setuptools import Extension

from musa_build import SimplePorting
from musa_build.environment.sdk import MusaArch
from musa_build.errors import SettingError
from musa_build.extension import MUSAExtension
from musa_build.mcc_toolchain import MccToolchain
from musa_build.toolchain.compile_flags import OLDER_CXX_FLAGS, TORCH_NVCC_FLAGS, CompileFlags
from musa_build.toolchain.compilers import CxxToolchain, newest_standard, split_standard
from musa_build.toolchain.nvcc_flags import AS_NVCC_FLAGS, translate_nvcc_flags
from musa_build.toolchain.nvcc_translations import NVCC_FLAGS, Takes
from musa_build.toolchain.shell_flags import quoted_flags, split_flags

CUDA_CODE_FLAGS = (*TORCH_NVCC_FLAGS, *AS_NVCC_FLAGS, *OLDER_CXX_FLAGS)


def test_shapes() -> None:
    both = CompileFlags.parse(["-O1", "-DX"], "demo")
    assert both == CompileFlags.parse(("-O1", "-DX"), "demo")
    assert both.cxx == both.mcc == ("-O1", "-DX") and not both.force_mcc
    assert CompileFlags.parse(None, "demo") == CompileFlags.parse({}, "demo") == CompileFlags()
    assert CompileFlags.parse({"cxx": None, "mcc": [Path("a b")]}, "demo").mcc == ("a b",)


def test_force_mcc_is_a_word_not_a_flag() -> None:
    for given in ({"cxx": ["force_mcc", "-DX"]}, ["force_mcc", "-DX"]):
        flags = CompileFlags.parse(given, "demo")
        assert flags.force_mcc and flags.cxx == ("-DX",) and "force_mcc" not in flags.mcc


def test_nvcc_comes_before_mcc_and_is_noted() -> None:
    flags = CompileFlags.parse({"nvcc": ["--use_fast_math", "-O3"], "mcc": ["-DX"]}, "demo")
    assert flags.mcc == (*CUDA_CODE_FLAGS, "-fmusa-flush-denormals-to-zero", "-O3", "-DX")
    assert len(flags.notes) == 1 and "-fmusa-flush-denormals-to-zero" in flags.notes[0]


def test_cuda_code_has_no_half_operators_unless_it_says_so() -> None:
    assert CompileFlags.parse({"nvcc": []}, "demo").mcc == CUDA_CODE_FLAGS
    assert CompileFlags.parse({"cxx": ["-O1"], "mcc": []}, "demo").mcc == ()
    wanted = CompileFlags.parse({"nvcc": ["-U__CUDA_NO_HALF_OPERATORS__"]}, "demo").mcc
    assert wanted.index("-U__MUSA_NO_HALF_OPERATORS__") > wanted.index("-D__MUSA_NO_HALF_OPERATORS__")


def test_a_setup_may_take_flags_out_of_torchs_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteGS does, and so do others whose kernels want half's operators."""
    torch = SimpleNamespace(COMMON_NVCC_FLAGS=["-D__CUDA_NO_HALF_CONVERSIONS__", "--expt-relaxed-constexpr"])
    monkeypatch.setitem(sys.modules, "torch.utils.cpp_extension", torch)
    assert CompileFlags.parse({"nvcc": []}, "demo").mcc == (
        "-D__MUSA_NO_HALF_CONVERSIONS__",
        *AS_NVCC_FLAGS,
        *OLDER_CXX_FLAGS,
    )


@pytest.mark.parametrize("given", [None, ["-O2"], {"cxx": ["-O2"], "mcc": ["-O2"]}])
def test_what_porting_made_is_cudas_code_too(tmp_path: Path, given: object) -> None:
    """The manual's branch for mmcv gives no nvcc key; its sparse_maxpool.mu compares two c10::Half."""
    (tmp_path / "csrc" / "deep").mkdir(parents=True)
    (tmp_path / "csrc" / "deep" / "k.cu").write_text("")
    SimplePorting(tmp_path / "csrc").run()
    ported, other = tmp_path / "csrc_musa" / "deep" / "k.mu", tmp_path / "csrc" / "deep" / "k.mu"
    plain, cuda = (CompileFlags.parse(given, "demo", paths) for paths in ([str(other)], [str(other), str(ported)]))
    assert cuda.mcc == (*CUDA_CODE_FLAGS, *plain.mcc) and cuda.cxx == (*OLDER_CXX_FLAGS, *plain.cxx)


def test_unknown_keys() -> None:
    with pytest.raises(SettingError, match="did you mean mcc"):
        CompileFlags.parse({"mc": []}, "demo")


def test_device_link_flags() -> None:
    assert CompileFlags.parse({"mcc": []}, "demo").device_link is None
    assert CompileFlags.parse({"mcc_dlink": ["-dlink", "-lx"]}, "demo").device_link == ("-dlink", "-lx")
    assert CompileFlags.parse({"nvcc_dlink": []}, "demo").device_link == ()


def test_a_copy_shares_no_list() -> None:
    given = {"cxx": ["-O1"], "mcc": ("-O2",)}
    twin = MUSAExtension("demo", ["a.cpp"], extra_compile_args=given).extra_compile_args
    twin["cxx"].append("-DX")
    twin["mcc"].append("-DY")
    assert given == {"cxx": ["-O1"], "mcc": ("-O2",)}


def test_positional_arguments_are_setuptools_own() -> None:
    given = (["include"], [("X", "1")], [], ["dir"], ["f"], [], ["o.o"], ["-O1"], ["-s"], [], [], ["d.h"], "c", True)
    made = MUSAExtension("demo", ["a.cpp"], *given)
    twin = Extension("demo", ["a.cpp"], *given)
    assert {name: value for name, value in vars(made).items() if name in vars(twin)} == vars(twin)
    with pytest.raises(TypeError, match="multiple values for argument 'include_dirs'"):
        MUSAExtension("demo", ["a.cpp"], ["x"], include_dirs=["y"])
    with pytest.raises(TypeError, match="at most 16 positional arguments, but 17 were given"):
        MUSAExtension("demo", ["a.cpp"], *given, "one too many")


PER_THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"
THREADS, THREADS_1 = (
    f"-DMUSA_API_PER_THREAD_DEFAULT_STREAM{value} -fgpu-default-stream=per-thread" for value in ("", "=1")
)


@pytest.mark.parametrize(
    ("nvcc", "mcc"),
    [
        ("-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -arch=sm_80", ""),
        ("-Xcompiler -fPIC,-Wall --compiler-options=-fopenmp", "-fPIC -Wall -fopenmp"),
        ("--expt-relaxed-constexpr --expt-extended-lambda -lineinfo --threads 4", ""),
        ("-std=c++17 -O3 -DX=1 -Ifoo -Od3 -Wall -g3", "-std=c++17 -O3 -DX=1 -Ifoo -Od3 -Wall -g3"),
        ("-rdc=true -dc -rdc false -dw", "-fgpu-rdc -fgpu-rdc"),
        ("-G -keep --keep-dir x -res-usage -allow-unsupported-compiler -lfoo -L foo -Xlinker -s -m64", "-g -O0 -m64"),
        ("-Werror all-warnings,reorder -Werror=cross-execution-space-call -Werror", "-Werror -Werror=reorder -Werror"),
        ("--default-stream legacy --diag_suppress=20012 -diag-error 1,2 -t4 --ftemplate-depth 9", "-ftemplate-depth=9"),
        (f"--default-stream per-thread -default-stream=null -D {PER_THREAD}", f"-D{PER_THREAD} {THREADS}"),
        ("--default-stream=legacy -default_stream=per-thread", f"-D{PER_THREAD}=1 {THREADS_1}"),
        (f"-Xcompiler=-D{PER_THREAD}=1 -U {PER_THREAD}_X", f"-D{PER_THREAD}=1 {THREADS_1} -U{PER_THREAD}_X"),
        ("-I a,b -I=c --include-path d -isystem=e --pre-include f", "-Ia -Ib -Ic -Id -isystem e -include f"),
        ("-DX=1,Y=2 --define-macro Z -U W --undefine-macro=V", "-DX=1 -DY=2 -DZ -UW -UV"),
        ("--ftz=true --fmad=false -prec-div false", "-fmusa-flush-denormals-to-zero -ffp-contract=off"),
        ("--optimize 3 --compile -MD -MF x -x cu -ffast-math", "-O3 -ffast-math"),
        ("-ccbin g++ -Xptxas -v --ptxas-options=-v -Xcudafe --display_error_number -U__CUDA_NO_HALF_OPERATORS__",
         "-U__MUSA_NO_HALF_OPERATORS__"),
        ("-D __CUDA_NO_HALF_OPERATORS__=1 -D__CUDA_NO_HALF2_OPERATORS__",
         "-D__MUSA_NO_HALF_OPERATORS__=1 -D__MUSA_NO_HALF2_OPERATORS__"),
    ],
)  # fmt: skip
def test_nvcc_flags(nvcc: str, mcc: str) -> None:
    translated, notes = translate_nvcc_flags(nvcc.split())
    assert translated == tuple(mcc.split())
    assert all("(" in note for note in notes), "each note gives a reason"


def test_words_that_nvcc_s_shell_takes_apart() -> None:
    given = ["--compiler-options", "'-fPIC'", "-Xcompiler", "-Wall,", "-std", "c++17", "--std=c++20", "-std=c++20"]
    translated, notes = translate_nvcc_flags(given)
    assert translated == ("-fPIC", "-Wall", "-std=c++17", "-std=c++20", "-std=c++20")
    assert len(notes) == 4, "the last one did not change"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("-Wall -Wextra", ["-Wall", "-Wextra"]),
        ('-Wall,-DS=\\"a,b\\"', ["-Wall", '-DS="a', 'b"']),
        ("-DS='a, b',-Wall", ["-DS=a, b", "-Wall"]),
        (r"-Wp\,-DX", ["-Wp,-DX"]),
    ],
)
def test_options_for_the_host_compiler(value: str, words: list[str]) -> None:
    assert translate_nvcc_flags(["-Xcompiler", value])[0] == tuple(words)
    assert translate_nvcc_flags([f"--compiler-options={value}"])[0] == tuple(words)


@pytest.mark.parametrize("given", ["--use_fast_math", "-use_fast_math", "--use-fast-math"])
def test_fast_math_is_no_more_than_nvcc_s(given: str) -> None:
    translated, (note,) = translate_nvcc_flags([given])
    assert translated == ("-fmusa-flush-denormals-to-zero",) and "NaN" in note


@pytest.mark.parametrize("release", ["5.2.0", "5.2.1", "6.0", "5.2.0.post1"])
def test_fast_math_is_mcc_s_own_where_it_has_nvcc_s_meaning(release: str) -> None:
    assert translate_nvcc_flags(["--use_fast_math"], mcc_version=release)[0] == ("-use_fast_math",)
    given = {"nvcc": ["--use_fast_math"]}
    assert CompileFlags.parse(given, "demo", mcc_version=release).mcc[-1] == "-use_fast_math"


@pytest.mark.parametrize("release", ["", "4.3.5", "5.1.9", "5.2.0rc1", "unknown"])
def test_fast_math_is_the_part_that_older_releases_of_mcc_have(release: str) -> None:
    translated = translate_nvcc_flags(["--use_fast_math"], mcc_version=release)[0]
    assert translated == ("-fmusa-flush-denormals-to-zero",)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("release", ["", "5.2.0"])
def test_explicit_flags_win_over_fast_math(order: int, release: str) -> None:
    """As `nvcc --dryrun` shows, in either order; mcc's own flag might not let itself be overruled."""
    given = ["--use_fast_math", "--ftz=false", "-fmad=false"][::order]
    assert translate_nvcc_flags(given, mcc_version=release)[0] == ("-ffp-contract=off",)


def test_math_flags_of_the_host_stay_off_the_device() -> None:
    translated, notes = translate_nvcc_flags(["-Xcompiler", "-ffast-math,-Ofast,-Wall", "-Xcompiler=-ffast-math"])
    assert translated == ("-O3", "-Wall") and len(notes) == 2 and "kernels" in notes[0]


# clang spells these as nvcc does
SAME_IN_CLANG = {"-D1", "-U1", "-I1", "-O1", "-g", "-m64", "-w", "-v", "-Wreorder", "-Wno-deprecated-declarations"}
SAME_IN_CLANG |= {"-isystem 1", "-include 1", "-std=1", "-ftemplate-depth=1", "-ftemplate-backtrace-limit=1"}
SAME_IN_CLANG |= {"-Werror", "-Werror=1"}


def test_every_flag_of_nvcc_is_translated_dropped_or_refused() -> None:
    """The names are those of `nvcc --help` of CUDA 13.0."""
    rows = {name: flag for flag in NVCC_FLAGS for name in flag.names.split()}
    names = (Path(__file__).parent / "nvcc_flag_names.txt").read_text().split()
    assert len(names) > 250
    for name in names:
        flag = rows.get(name) or rows[f"-{name}"]
        value = [] if flag.takes is Takes.NOTHING else [flag.when or "1"]
        try:
            translated, notes = translate_nvcc_flags([name, *value])
        except SettingError as error:
            assert name in str(error) and "hint: " in str(error)
        else:
            assert " ".join(translated) in SAME_IN_CLANG or (len(notes) == 1 and name in notes[0]), name


LOADED_FLAGS = (
    [],
    ["", "  "],
    ["-O2", " -g0 ", "-DA -DB"],
    ["-Xlinker -s", "-Xlinker", "-s"],
    ['-DTEXT=\\"text\\"', "-DTEXT='\"two words\"'", '-DNAME="a  b"', "-I'/two words'", r"-I/two\ words"],
    ["-DHALF 'a", "b'"],
    ["-Wl,-rpath,'$$ORIGIN'", r"-Wl,-rpath,\$$ORIGIN", "-Wl,-rpath,$ORIGIN/x", "-Da$:b", "'-Db$ c'", "-D${name}d"],
    ["$$WORD", "`echo -DA '-DB C'`"],
    ["-DGLOB=/bin/s[h]", "/bin/s[h]"],
)
# It replaces the compiler, and writes down the arguments of torch's build.
WRITES_DOWN = """#!{python}
import json, sys
if "-MMD" in sys.argv:
    with open({calls!r}, "a") as calls:
        print(json.dumps(sys.argv), file=calls)
"""
LOADS = """
import contextlib, json, os, sys
from torch.utils.cpp_extension import load
for number, flags in enumerate(json.load(open(sys.argv[1]))):
    os.makedirs(f"build{number}")
    with contextlib.suppress(Exception):
        load("x", ["x.cpp"], ["-DBEGIN", *flags, "-DEND"], build_directory=f"build{number}")
"""


def test_load_splits_flags_as_torchs_does(tmp_path: Path) -> None:
    compiler, calls = tmp_path / "c++", tmp_path / "calls"
    compiler.write_text(WRITES_DOWN.format(python=sys.executable, calls=str(calls)))
    compiler.chmod(0o755)
    (tmp_path / "x.cpp").write_text("")
    (tmp_path / "flags.json").write_text(json.dumps(LOADED_FLAGS))
    environment = {"CXX": str(compiler), "WORD": "-DC -DD", "TORCH_DONT_CHECK_COMPILER_ABI": "1"}
    subprocess.run(
        [sys.executable, "-c", LOADS, "flags.json"],
        cwd=tmp_path,
        env={**os.environ, **environment, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "FORCE_MUSA": "0"},
        capture_output=True,
        check=True,
    )
    commands = [json.loads(line) for line in calls.read_text().splitlines()]
    expected = [tuple(each[each.index("-DBEGIN") + 1 : each.index("-DEND")]) for each in commands]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORD", environment["WORD"])
        assert [split_flags(flags, "x") for flags in LOADED_FLAGS] == expected
    assert [split_flags(quoted_flags(each), "x") for each in expected] == expected


@pytest.mark.parametrize(
    ("flags", "said"), [(["-DF(x)=x"], "cannot read"), (["'-DA"], "cannot read"), (["a\nb"], "break")]
)
def test_flags_that_a_shell_cannot_read(flags: list[str], said: str) -> None:
    with pytest.raises(SettingError, match=f"x: extra_cflags.*{said}"):
        split_flags(flags, "x: extra_cflags")


def test_the_table_names_each_flag_and_value_once() -> None:
    rows = [(name, (flag.when, flag.since)) for flag in NVCC_FLAGS for name in flag.names.split()]
    keys = [(name if len(name) == 2 else name.lstrip("-"), case) for name, case in rows]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("flag", "part"),
    [
        ("--default-stream=mine", "legacy, null, per-thread"),
        ("-dlink", "dlink=True"),
        ("--ptx", "an object of each source"),
        ("--ftz=maybe", "true, false"),
        ("-gencode", "needs a value"),
        ("-Xcompiler='-DX", "quot"),
    ],
)
def test_flags_that_cannot_be_translated(flag: str, part: str) -> None:
    with pytest.raises(SettingError, match="demo: nvcc's flag") as caught:
        CompileFlags.parse({"nvcc": [flag]}, "demo")
    assert flag in str(caught.value) and part in str(caught.value)


def test_standards() -> None:
    assert split_standard(["-O2", "-std=c++14", "--std=gnu++17"]) == ("gnu++17", ("-O2",))
    assert newest_standard("c++14", "c++20") == "c++20"
    assert newest_standard("gnu++2a", "c++20") == "c++20" or newest_standard("gnu++2a", "c++20") == "gnu++2a"
    assert newest_standard("c++23", "c++20") == "c++23"
    assert newest_standard("gnu++20", "c++20") == "gnu++20"


def mcc_command(*flags: str) -> tuple[str, ...]:
    toolchain = MccToolchain(("/sdk/bin/mcc",), (MusaArch(2, 1), MusaArch(2, 2)))
    return toolchain.compile_command(
        source="k.cu", output="k.o", depfile="k.o.d", preprocessor=["-DX", "-c"], flags=flags, standard="c++20"
    )


def test_mcc_command() -> None:
    assert " ".join(mcc_command("-DY", "-x", "musa")) == (
        "/sdk/bin/mcc -MD -MF k.o.d -fPIC -U__CUDA__ -DX -c -x musa k.cu -o k.o -DY -O2 -std=c++20 "
        "--offload-arch=mp_21 --offload-arch=mp_22"
    )


@pytest.mark.parametrize("flag", ["--offload-arch=mp_31", "--cuda-gpu-arch=mp_31"])
def test_the_users_architectures_win(flag: str) -> None:
    assert [word for word in mcc_command(flag) if "mp_" in word] == [flag]


@pytest.mark.parametrize(("flag", "kept"), [("-O0", True), ("-Ofast", True), ("-Od3", False), ("-DO2", False)])
def test_the_users_optimisation_wins(flag: str, kept: bool) -> None:
    assert ("-O2" not in mcc_command(flag)) is kept


def test_host_command_drops_the_compiler_and_the_debug_flag_of_the_head() -> None:
    def command(*flags: str, keep: bool = False, debug: tuple[str, ...] = ()) -> tuple[str, ...]:
        return CxxToolchain(("my g++",), ("ccache",), keep).compile_command(
            source="a.cpp",
            output="a.o",
            depfile="a.o.d",
            head=["sccache", "gcc", "-g", "-fPIC"],
            preprocessor=[*debug, "-c"],
            flags=flags,
            standard="c++20",
        )

    expected = ["ccache", "my g++", "-g", "-fPIC", "-g0", "-MD", "-MF", "a.o.d", "-c", "a.cpp", "-o", "a.o", "-DX"]
    assert command("-DX") == (*expected, "-std=c++20")
    assert "-g0" not in command("-g1") and "-g0" not in command(keep=True) and "-g0" not in command(debug=("-g",))


PROGRAMS = Path(__file__).with_name("programs")
SPECIAL_VALUES = (PROGRAMS / "special_values.mu").read_text(encoding="utf-8")

MANY_FLAGS = [
    *("--use_fast_math", "-gencode", "arch=compute_80,code=sm_80", "-Xcompiler", "-Wall -ffast-math", "-keep"),
    *("-res-usage", "--diag_suppress=20012", "-allow-unsupported-compiler", "--default-stream", "legacy", "-t4"),
    *("-Xptxas=-v", "-lineinfo", "--expt-relaxed-constexpr", "-Werror", "cross-execution-space-call", "--std=c++17"),
    *("-I", "include,more", "--extended-lambda", "-maxrregcount=64", "-c", "-MD", "--threads", "2", "-lcudart"),
]


def special_pairs(kind: str) -> tuple[np.ndarray, np.ndarray]:
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.25, np.finfo(kind).max], kind)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    return a, b


def classified(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The kernel's results, by NumPy."""
    with np.errstate(all="ignore"):
        columns = [np.isnan(a), np.isinf(a), a != a, a == a, np.fmax(a, b), np.fmin(a, b), a + b, a - b, ~(a < b)]
        columns.append(1 / (b + 0))
    return np.stack([column.astype(a.dtype) for column in columns], axis=1)


def test_fast_math_keeps_nan_infinity_and_order(project: Project) -> None:
    """At -O0 and -O3, in kernels and in host code, which nvcc's flag does not concern at all; and a build takes many
    flags of nvcc at once."""
    project.write("special.mu", SPECIAL_VALUES)
    modules = {"plain": [], "fast": ["-O3", "-use_fast_math"]}  # mcc has that flag too, with nvcc's meaning
    macro = 'define_macros=[("MODULE", "PyInit_{0}")]'
    project.configure(
        extensions=", ".join(
            f'MUSAExtension("{name}", ["special.mu"], {macro.format(name)},'
            f' extra_compile_args={{"nvcc": {[*MANY_FLAGS, "-O0"]!r}, "mcc": {more!r}}})'
            for name, more in modules.items()
        )
    )
    assert "--use_fast_math: -use_fast_math" in project.built().output
    for name in modules:
        module = project.load(name)
        for kind in ("float32", "float64"):
            a, b = special_pairs(kind)
            results, sums = np.zeros((2, len(a), 10), kind), np.zeros(2, kind)
            module.run(a, b, results, sums)
            for side in results:
                np.testing.assert_array_equal(side, classified(a, b))
            terms = np.full(4096, np.finfo(kind).eps / 4, kind)
            terms[0] = 1
            assert np.cumsum(terms)[-1] == 1, "what a plain sum gives"
            module.run(terms, terms, np.zeros((2, len(terms), 10), kind), sums)
            assert sums.tolist() == [float(np.array(math.fsum(terms), kind))] * 2


def test_an_older_sdk_gets_its_own_fast_math(project: Project, tmp_path: Path) -> None:
    """The release is that of version.json. mcc has nvcc's flag from 5.2.0 on."""
    older = tmp_path / "sdk"
    older.mkdir()
    for entry in Path(project.environment["MUSA_HOME"]).iterdir():
        (older / entry.name).symlink_to(entry)
    versions = (older / "version.json").read_text()
    (older / "version.json").unlink()
    (older / "version.json").write_text(versions.replace("5.2.0", "5.1.0"))
    project = replace(project, environment={**project.environment, "MUSA_HOME": str(older)})
    project.write("special.mu", SPECIAL_VALUES)
    arguments = 'define_macros=[("MODULE", "PyInit_demo")], extra_compile_args={"nvcc": ["-O3", "--use_fast_math"]}'
    project.configure(extensions=f'MUSAExtension("demo", ["special.mu"], {arguments})')
    assert "--use_fast_math: -fmusa-flush-denormals-to-zero" in project.built().output
    a, b = special_pairs("float32")
    results, sums = np.zeros((2, len(a), 10), "float32"), np.zeros(2, "float32")
    project.load("demo").run(a, b, results, sums)
    for side in results:
        np.testing.assert_array_equal(side, classified(a, b))
