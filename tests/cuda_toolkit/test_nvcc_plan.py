"""nvcc's command lines: the commands that they become, and the errors."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from musa_build.errors import SettingError
from musa_build.nvcc.command import Command, read
from musa_build.nvcc.plan import Step, plan
from musa_build.nvcc.refused import NvccError
from musa_build.nvcc.toolkit import Toolkit

TOOLKIT = Toolkit(
    root="/cuda",
    sdk="/sdk",
    version="12.4",
    build="131",
    mcc_version="5.1.0",
    architectures=("21", "22", "31"),
    on_sale=("21", "22"),
    default_architectures=("22",),
    tags=("-DMUstream_st=CUstream_st",),
)


def steps(line: str, toolkit: Toolkit = TOOLKIT, **environment: str) -> tuple[Step, ...]:
    return plan(read(line.split(), environment), toolkit, environment, "/tmp/t")


def only(line: str, **environment: str) -> list[str]:
    (step,) = steps(line, **environment)
    return list(step.argv)


def test_a_compile_goes_to_mcc() -> None:
    argv = only("-O3 -arch=sm_80 -Xcompiler=-fPIC,-Wall -c a.cu -o a.o")
    assert argv[0] == "/sdk/bin/mcc"
    assert {"--offload-arch=mp_22", "-O3", "-fPIC", "-Wall", "-c", "-std=c++17", "-Od3"} <= set(argv)
    assert argv[-5:] == ["-x", "musa", "a.cu", "-o", "a.o"]
    assert argv.index("-DMUstream_st=CUstream_st") < argv.index("-include")
    assert not any("sm_80" in word for word in argv)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("-c dir/a.cu", "a.o"),
        ("-ptx dir/a.cu", "a.ptx"),
        ("-cubin a.cu -odir out", "out/a.cubin"),
        ("--fatbin a.cu -o b", "b"),
        ("-dc a.cu", "a.o"),
    ],
)
def test_outputs_have_nvccs_names(line: str, output: str) -> None:
    assert only(line)[-2:] == ["-o", output]


def test_a_host_source_goes_to_the_host_compiler() -> None:
    argv = only("-DA=1,B -I inc -Xcompiler -fopenmp,-O2 -std=c++14 -Werror all-warnings -use_fast_math -c a.cpp -o a.o")
    assert argv[0] == "g++"
    assert {"-DA=1", "-DB", "-Iinc", "-fopenmp", "-O2", "-std=c++14", "-Werror"} <= set(argv)
    assert not any("fast" in word for word in argv)
    assert argv[argv.index("/cuda/include") - 1] == "-isystem"


@pytest.mark.parametrize(
    ("flags", "per_thread"),
    [
        ("--default-stream per-thread", True),
        ("-default-stream=legacy -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", True),
        ("--default-stream=per-thread --default-stream=null", False),
        ("--default-stream=legacy", False),
    ],
)
def test_the_default_stream_is_the_same_in_host_sources(flags: str, per_thread: bool) -> None:
    for_mcc, for_host = (only(f"{flags} -c {source}") for source in ("a.cu", "a.cpp"))
    assert ("-fgpu-default-stream=per-thread" in for_mcc) is per_thread
    for argv in (for_mcc, for_host):
        assert ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1" in argv) is per_thread
    assert not any(word.startswith(("-default", "--default", "-fgpu")) for word in for_host)


def test_a_link_keeps_the_order_of_its_inputs() -> None:
    compile_step, link = steps("a.o b.cu -L lib -lx c.a -Xlinker --no-as-needed -o app -lcublas")
    assert compile_step.argv[-2:] == ("-o", "/tmp/t/0_b.o")
    argv = list(link.argv)
    wanted = ["a.o", "/tmp/t/0_b.o", "-Llib", "-lx", "c.a", "-Xlinker", "--no-as-needed", "-lcublas"]
    start = argv.index("a.o")
    assert argv[start : start + len(wanted)] == wanted
    assert argv[0] == "g++" and argv[-2:] == ["-o", "app"]
    assert "-lcudart_static" in argv and "-Wl,-rpath,/sdk/lib" in argv


def test_a_comma_after_a_backslash_is_a_comma() -> None:
    """As Meson writes it."""
    (link,) = steps(r"a.o -Xlinker=-rpath\,/x -Xcompiler=-Wl\,--as-needed,-pthread -o app")
    words = list(link.argv)
    assert words[words.index("-Xlinker") + 1] == "-rpath,/x" and "-Wl,--as-needed" in words and "-pthread" in words


@pytest.mark.parametrize(("kind", "library"), [("shared", "-lcudart"), ("none", None), ("static", "-lcudart_static")])
def test_the_runtime_is_the_requested_one(kind: str, library: str | None) -> None:
    argv = only(f"a.o -cudart {kind}")
    assert [word for word in argv if word.startswith("-lcudart")] == ([library] if library else [])


@pytest.mark.parametrize(
    ("ccbin", "linker"),
    [("gcc", "g++"), ("/opt/bin/gcc-12", "/opt/bin/g++-12"), ("clang", "clang++"), ("cc", "c++"), ("g++-13", "g++-13")],
)
def test_the_host_compiler_links_as_cxx(ccbin: str, linker: str) -> None:
    assert only(f"-ccbin {ccbin} a.o")[0] == linker
    assert only("a.o", NVCC_CCBIN=ccbin)[0] == linker


def test_dependencies_beside_a_compile() -> None:
    argv = only("-MD -MT x.o -MF x.d -c a.cu -o x.o")
    assert argv[argv.index("-MD") :][:5] == ["-MD", "-MF", "x.d", "-MT", "x.o"]
    argv = only("-MMD -c a.cu -o out/x.o")
    assert argv[argv.index("-MMD") :][:5] == ["-MMD", "-MF", "out/x.d", "-MT", "out/x.o"]


def test_dependencies_alone() -> None:
    argv = only("-M -D__CUDACC__ a.cu -o a.depend")
    assert "-M" in argv and "-c" not in argv and argv[-2:] == ["-o", "a.depend"]


def test_the_rule_of_dependencies_names_the_object_in_its_folder() -> None:
    assert only("-M -odir sub dir/b.cu")[-5:-3] == ["-MT", "sub/b.o"]


@pytest.mark.parametrize(
    "flags",
    [
        *("-arch=native", "-arch all-major", "-arch=sm_90a", "--gpu-architecture=compute_120f", "-code=sm_80,lto_90"),
        "-gencode arch=compute_80,code=[sm_80,compute_80]",
        "--generate-code=arch=compute_52,code=sm_52",
        '-gencode=arch=compute_80,code="sm_80,compute_80"',
        "-arch=sm_35",  # too old for CUDA 12.4, as many Makefiles have it
    ],
)
def test_architectures_that_pass(flags: str) -> None:
    assert only(f"{flags} -c a.cu")[0] == "/sdk/bin/mcc"


@pytest.mark.parametrize(
    "flags", ["-arch=foo", "-arch=80", "-arch=sm_", "-gencode arch=compute_80", "-gencode code=sm_80", "-code=sm_80,x"]
)
def test_text_that_is_no_architecture_is_refused(flags: str) -> None:
    with pytest.raises(NvccError, match=r"is incomplete|is not defined for option"):
        steps(f"{flags} -c a.cu")


def test_architectures_come_from_musas_variable() -> None:
    def archs(value: str) -> list[str]:
        return [word for word in only("-c a.cu", TORCH_MUSA_ARCH_LIST=value) if word.startswith("--offload-arch")]

    assert archs("mp_21;3.1") == ["--offload-arch=mp_21", "--offload-arch=mp_31"]
    assert archs("all") == ["--offload-arch=mp_21", "--offload-arch=mp_22"]
    with pytest.raises(NvccError, match="unknown MUSA architecture"):
        archs("80")


def test_relocatable_code() -> None:
    assert "-fgpu-rdc" in only("-dc a.cu") and "-fgpu-rdc" in only("-rdc=true -c a.cu")
    assert "-fgpu-rdc" not in only("-rdc=false -c a.cu")
    link = only("-arch=sm_80 -Xcompiler=-fPIC -Wno-deprecated-gpu-targets -shared -dlink a.o b.o -Llib -lx -o d.o")
    assert link[0] == "/sdk/bin/mcc" and link[-6:] == ["a.o", "b.o", "-Llib", "-lx", "-o", "d.o"]
    assert {"-dlink", "-fgpu-rdc", "--offload-arch=mp_22"} <= set(link) and "-shared" not in link


def test_a_link_of_relocatable_code_begins_with_a_device_link() -> None:
    *compiles, device, host = steps("-rdc=true a.cu b.cu -lm -o app")
    assert [step.source for step in compiles] == ["a.cu", "b.cu"]
    assert device.argv[-5:] == ("/tmp/t/0_a.o", "/tmp/t/1_b.o", "-lm", "-o", "/tmp/t/a_dlink.o")
    assert "/tmp/t/a_dlink.o" in host.argv
    found = read(["a.o", "-o", "app"], {})
    assert len(plan(found, TOOLKIT, {}, "/tmp/t")) == 1
    device, host = plan(found, TOOLKIT, {}, "/tmp/t", has_relocatable=True)
    assert "-dlink" in device.argv and host.argv.index("/tmp/t/a_dlink.o") < host.argv.index("a.o")
    assert len(plan(read(["a.o", "-nodlink"], {}), TOOLKIT, {}, "/tmp/t", has_relocatable=True)) == 1


def test_flags_from_the_environment_surround_the_others() -> None:
    command = read(["-c", "a.cu"], {"NVCC_PREPEND_FLAGS": "-DA -O1", "NVCC_APPEND_FLAGS": "'-DB=\"x y\"'"})
    assert [flag.value for flag in command.flags if flag.key == "define-macro"] == ["A", 'B="x y"']


def test_option_files(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text("-DINNER 'a b.cu'")
    outer.write_text(f"-O2\n-DOUTER --options-file {inner}")
    command = read(["-c", "-optf", f"{outer}", "-DLAST"], {})
    assert [flag.value for flag in command.flags if flag.key == "define-macro"] == ["OUTER", "INNER", "LAST"]
    assert command.inputs == ("a b.cu",)
    assert read(["--options-file", f"{inner}", "-c"], {}).inputs == ("a b.cu",)
    assert read([f"@{inner}", "-c"], {}).inputs == (f"@{inner}",)  # nvcc has no short form


UNKNOWN = ("-Wall", "-fPIC", "-pthread", "-march=native", "-fopenmp", "-m32", "-oa", "-static", "--foo=1", "-MQ", "-g3")


@pytest.mark.parametrize("flag", UNKNOWN)
@pytest.mark.parametrize("rest", ["-c a.cu", "a.o", "-c a.cpp", "-lib a.o", "-E a.cu"])
def test_a_flag_that_nvcc_lacks_is_refused_unless_it_is_forwarded(flag: str, rest: str) -> None:
    with pytest.raises(NvccError, match=f"Unknown option '{flag}'"):
        steps(f"{rest} {flag}")
    for forwarding in ("-forward-unknown-to-host-compiler", "--forward-unknown-opts"):
        assert steps(f"{rest} {flag} {forwarding}")


def test_flags_of_mcc_pass_in_the_variables_and_those_of_the_linker_everywhere() -> None:
    assert "-fdelayed-template-parsing" in only("-c a.cu", NVCC_APPEND_FLAGS="-fdelayed-template-parsing")
    assert "-std=gnu++17" in only("-c a.cu", NVCC_PREPEND_FLAGS="-std=gnu++17")
    assert "-Wl,-rpath,/sdk/lib" in only("a.o -Wl,-rpath,/sdk/lib")


@pytest.mark.parametrize(
    "flags",
    [
        *("-Ofast", "-Os", "-O x", "-std=gnu++17", "-std=c++98", "--std c++2a", "-Werror foo", "-Werror=reorder,foo"),
        *("-maxrregcount=many", "-t two", "--threads=-1", "--diag-suppress=foo", "-x fortran"),
        *("-dopt off", "-Ofc 1", "-cudadevrt shared", "-opt-info x", "-hls none", "-rdc maybe", "-brief-diag=1"),
        *("-static-global-template-stub=x", "-device-entity-has-hidden-visibility=yes", "-device-stack-protector=1"),
        *("-jtd=x", "-jtd=-1", "-split-compile=x", "-split-compile=-1", "-split-compile-extended=x"),
        *("-ftemplate-depth x", "-ftemplate-backtrace-limit x"),
    ],
)
def test_a_value_that_a_flag_does_not_take_is_refused(flags: str) -> None:
    """nvcc 13.0 refuses each of them."""
    with pytest.raises(NvccError, match=r"is not defined for option|expected (a number|true or false)"):
        steps(f"{flags} -c a.cu")


@pytest.mark.parametrize(
    "flags",
    [
        *(
            "-dopt on",
            "-Ofc min",
            "--Ofast-compile=0",
            "-cudadevrt none",
            "-opt-info inline",
            "-hls use-lcs",
            "-jtd=50",
        ),
        *("-brief-diag=true", "-device-stack-protector=false", "-split-compile=0", "-ftemplate-depth 2000"),
        *("-O4", "-O=2", "--optimize 0", "-std=c++03", "-std c++20", "--Werror=reorder,all-warnings", "-t0", "-t 4"),
        *("--diag-suppress=20012,177", "-x=cu", "-Xcudafe --diag_suppress=1", "--cudafe-options=--x", "-lpthread"),
        *("-maxrregcount=0x20", "-maxrregcount -1", "--threads=0x4", "-diag-suppress=+1", "--time -", "-time=-"),
        "-gencode arch=compute_80,code=sm_80,",
    ],
)
def test_a_value_that_a_flag_takes_passes(flags: str) -> None:
    """nvcc 13.0 takes each of them."""
    assert steps(f"{flags} -c a.cu")


@pytest.mark.parametrize(
    "flags",
    [
        *(["-gencode", "arch=compute_80, code=sm_80"], ["-code=sm_80, compute_80"], ["-diag-suppress", "177, 550"]),
        ["-Werror", "all-warnings, reorder"],
    ],
)
def test_blanks_in_lists(flags: list[str]) -> None:
    """nvcc 13.0 takes each of them."""
    assert plan(read([*flags, "-c", "a.cu"], {}), TOOLKIT, {}, "/tmp/t")


def test_cxx03_is_compiled_as_cxx11_which_the_headers_need() -> None:
    assert "-std=c++11" in only("-std=c++03 -c a.cu") and "-std=c++03" in only("-std=c++03 -c a.cpp")


def test_a_device_link_may_end_at_the_image() -> None:
    for kind in ("cubin", "fatbin"):
        made = only(f"-dlink a.o b.o -{kind}")
        assert made[-1] == f"a_dlink.{kind}" and "--cuda-device-only" in made and "-dlink" in made
    assert "--cuda-device-only" not in only("-dlink a.o b.o")


@pytest.mark.parametrize(
    ("line", "error", "text"),
    [
        ("", NvccError, "No input files specified"),
        ("-c a.cu b.cu -o x.o", NvccError, "A single input file is required"),
        ("-c a.o", NvccError, "Don't know what to do with 'a.o'"),
        ("-ptx a.cpp", NvccError, "has no device code"),
        ("-optix-ir a.cu", NvccError, "no counterpart for MUSA"),
        ("--cuda a.cu", NvccError, "no counterpart for MUSA"),
        ("a.o -cudart both", NvccError, "not defined for option 'cudart'"),
        ("-c a.cu -default-stream mine", SettingError, "legacy, null, per-thread"),
        ("--options-file /nowhere/x -c", NvccError, "cannot be read"),
    ],
)
def test_errors(line: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        steps(line)


@pytest.mark.parametrize(
    ("path", "expected"), [("a.cu", "CUDA"), ("a.cc", "HOST"), ("a.o", "OBJECT"), ("a.so.3", "OBJECT")]
)
def test_suffixes_decide_the_language(path: str, expected: str) -> None:
    command: Command = read(["-c", path], {})
    assert command.language(path).name == expected
    assert read(["-x", "cu", path], {}).language(path).name == "CUDA"


def outcome(line: str) -> object:
    """Return the steps of a command line, or the kind of its error."""
    try:
        return steps(line)
    except (NvccError, SettingError) as error:
        return type(error)


NAMES = (Path(__file__).parents[1] / "build/nvcc_flag_names.txt").read_text().split()
PAIRS = [pair for pair in zip(NAMES, NAMES[1:]) if pair[0].startswith("--") and not pair[1].startswith("--")]


@pytest.mark.parametrize(("long", "short"), PAIRS, ids=[long for long, _ in PAIRS])
def test_both_names_of_an_option_mean_the_same(long: str, short: str) -> None:
    """The names are those of `nvcc --help` of CUDA 13.0."""
    for value, rest in product(("", "cu", "c++", "true", "2", "all-warnings"), ("a.cu", "a.c", "a.o b.o", "-c a.c")):
        if value or long != "--Werror":  # without a value, -Werror is g++'s
            assert outcome(f"{long} {value} {rest} -o z") == outcome(f"{short} {value} {rest} -o z")


@pytest.mark.parametrize(("long", "short"), PAIRS, ids=[long for long, _ in PAIRS])
def test_a_name_with_the_wrong_number_of_dashes_is_unknown(long: str, short: str) -> None:
    """Each spelling of each name was asked of nvcc 13.0. -library is its -l for a library `ibrary`, and the like."""
    wrong = [f"-{short}", long.replace("-", "_").replace("__", "--", 1), *([] if short == long[1:] else [long[1:]])]
    for word in wrong:
        joined = word[1] in "DUIlLOt" and word[1] != "-"
        if word != long and not joined and long not in ("--no-align-double", "--options-file"):
            with pytest.raises(NvccError, match=f"Unknown option '{word}(=1)?'"):
                steps(f"{word}=1 -c a.cu")


def test_x_makes_a_c_file_cuda() -> None:
    for spelling in ("-x cu", "--x cu", "--x=cu"):
        assert "/sdk/bin/mcc" in only(f"{spelling} -c a.c -o a.o"), spelling
