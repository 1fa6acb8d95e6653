"""mcc reads a command line as it should, without running a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_sim.mcc.command_line.invocation import DEFAULT_ARCH, Language, Stage
from musa_sim.mcc.command_line.parse import parse
from musa_sim.mcc.errors import DriverError


@pytest.fixture(autouse=True)
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MUSA_SIM_ARCH", raising=False)
    for name in ("k.mu", "h.cpp", "c.cu", "o.o", "lib.so"):
        Path(name).touch()


def test_flags_may_stand_before_and_after_the_input() -> None:
    before = parse(["-O2", "-fPIC", "--offload-arch=mp_21", "-c", "-o", "k.o", "k.mu"])
    after = parse(["k.mu", "-c", "-o", "k.o", "-O2", "-fPIC", "--offload-arch=mp_21"])
    assert before == after
    assert before.stage is Stage.OBJECT
    assert before.archs == ("mp_21",)


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("k.mu", Language.MUSA),
        ("h.cpp", Language.HOST),
        ("-x musa h.cpp", Language.MUSA),
        ("-x musa c.cu", Language.MUSA),
        ("-mtgpu c.cu", Language.MUSA),
        ("--cuda-device-only c.cu", Language.MUSA),
        ("-x musa -x none h.cpp", Language.HOST),
        ("o.o", Language.LINK),
        ("lib.so", Language.LINK),
    ],
)
def test_language_of_an_input(words: str, language: Language) -> None:
    assert parse([*words.split(), "-c"]).inputs[0].language is language


def test_a_bare_cu_file_is_cuda_and_refused() -> None:
    with pytest.raises(DriverError, match="pass '-x musa'"):
        parse(["-c", "c.cu"])


@pytest.mark.parametrize(
    "words",
    [
        "--offload-arch=mp_21 --offload-arch=mp_31",
        "--cuda-gpu-arch=mp_21 --cuda-gpu-arch mp_31",
        "--offload-arch=mp_21,mp_31",
    ],
)
def test_architectures_add_up(words: str) -> None:
    assert parse([*words.split(), "-c", "k.mu"]).archs == ("mp_21", "mp_31")


def test_the_same_architecture_twice_is_built_once() -> None:
    assert parse(["--offload-arch=mp_21", "--offload-arch=mp_21", "-c", "k.mu"]).archs == ("mp_21",)


def test_without_an_architecture_there_still_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse(["-c", "k.mu"]).archs == (DEFAULT_ARCH,)
    monkeypatch.setenv("MUSA_SIM_ARCH", "mp_31")
    assert parse(["-c", "k.mu"]).archs == ("mp_31",)


@pytest.mark.parametrize("words", ["--offload-arch=sm_80", "--cuda-gpu-arch mp_99"])
def test_unknown_architecture(words: str) -> None:
    with pytest.raises(DriverError, match=r"unsupported MUSA gpu architecture: (sm_80|mp_99)"):
        parse([*words.split(), "-c", "k.mu"])


def test_back_end_options_of_moore_threads_are_swallowed() -> None:
    words = "-mllvm -mtgpu-if-convert=1 -mllvm --num-dwords-of-load-in-mutation=64 -mtgpu -Od3 -mathx-disable-fp64"
    invocation = parse([*words.split(), "-fmusa-flush-denormals-to-zero", "-O1", "-c", "k.mu"])
    assert invocation.compile_args == ("-O1",)
    assert invocation.device_opt == "3"


def test_fast_math_is_nvcc_s_and_not_clang_s() -> None:
    """clang's -ffast-math lets it remove tests for NaN and reorder sums; nvcc's flag does neither."""
    assert parse(["-use_fast_math", "-c", "k.mu"]).compile_args == ()
    assert parse(["-ffast-math", "-c", "k.mu"]).compile_args == ("-ffast-math",)


def test_ccbin_is_tolerated_with_a_warning() -> None:
    invocation = parse(["-ccbin", "gcc", "-c", "k.mu"])
    assert [item.path for item in invocation.inputs] == ["k.mu"]
    assert invocation.warnings == ("argument unused during compilation: '-ccbin gcc'",)


@pytest.mark.parametrize("flag", ["-cuda_wrapper", "-fplugin=x.so", "--save-temps=obj"])
def test_what_cannot_be_simulated_is_refused_by_name(flag: str) -> None:
    with pytest.raises(DriverError, match=flag.split("=")[0]):
        parse([flag, "-c", "k.mu"])


@pytest.mark.parametrize(
    ("words", "relocatable", "stage"),
    [
        (["-fgpu-rdc", "-c"], True, Stage.OBJECT),
        (["-rdc=true"], True, Stage.LINK),
        (["-dc"], True, Stage.OBJECT),
        (["-fgpu-rdc", "-fno-gpu-rdc"], False, Stage.LINK),
        (["-rdc=false", "-fgpu-rdc", "-c"], True, Stage.OBJECT),
        (["-c"], False, Stage.OBJECT),
    ],
)
def test_relocatable_device_code(words: list[str], relocatable: bool, stage: Stage) -> None:
    invocation = parse([*words, "k.mu"])
    assert (invocation.is_relocatable, invocation.stage) == (relocatable, stage)
    assert invocation.compile_args == ()


def test_link_words_keep_their_order_around_the_inputs() -> None:
    invocation = parse(["-L", "lib", "k.mu", "o.o", "-lmusart", "-Wl,-s", "-shared", "-o", "out.so"])
    assert invocation.stage is Stage.LINK
    assert invocation.link_args == ("-L", "lib", "k.mu", "o.o", "-lmusart", "-Wl,-s", "-shared")


def test_response_file_with_quotes(tmp_path: Path) -> None:
    Path("args.rsp").write_text("-c k.mu\n-D'A=\"x y\"'\n")
    assert parse(["@args.rsp"]).compile_args == ('-DA="x y"',)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no input files"),
        (["-c", "k.mu", "-o"], "argument to '-o' is missing"),
        (["-c", "k.mu", "h.cpp", "-o", "x.o"], "cannot specify -o"),
        (["-dlink", "k.mu", "-o", "dlink.o"], "'-dlink' links objects; 'k.mu' is a source"),
        (["-x", "fortran", "k.mu"], "language not recognized: 'fortran'"),
    ],
)
def test_command_lines_that_no_compiler_could_run(words: list[str], message: str) -> None:
    with pytest.raises(DriverError, match=message):
        parse(words)


@pytest.mark.parametrize("output", ["k.mu", "./k.mu", "link.mu"])
@pytest.mark.parametrize("words", [["-c"], ["-E"], ["-S"], []])
def test_an_output_that_is_an_input_is_refused(words: list[str], output: str) -> None:
    Path("link.mu").symlink_to("k.mu")
    with pytest.raises(DriverError, match=f"the output '{output}' is the input 'k.mu'"):
        parse([*words, "k.mu", "-o", output])


def test_missing_inputs_are_noted_not_raised() -> None:
    assert parse(["-c", "nowhere.mu"]).missing == ("nowhere.mu",)
