"""extra_compile_args in all its shapes, nvcc's flags, and the C++ standard."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_build import SimplePorting
from musa_build.arch import MusaArch
from musa_build.compile_flags import CompileFlags
from musa_build.cxx_toolchain import CxxToolchain, newest_standard, split_standard
from musa_build.errors import SettingError
from musa_build.extension import MUSAExtension
from musa_build.mcc_toolchain import TORCH_NVCC_FLAGS, MccToolchain, translate_nvcc_flags


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
    assert flags.mcc == (*TORCH_NVCC_FLAGS, "-ffast-math", "-O3", "-DX")
    assert len(flags.notes) == 1 and "-ffast-math" in flags.notes[0]


def test_cuda_code_has_no_half_operators_unless_it_says_so() -> None:
    assert CompileFlags.parse({"nvcc": []}, "demo").mcc == TORCH_NVCC_FLAGS
    assert CompileFlags.parse({"cxx": ["-O1"], "mcc": []}, "demo").mcc == ()
    wanted = CompileFlags.parse({"nvcc": ["-U__CUDA_NO_HALF_OPERATORS__"]}, "demo").mcc
    assert wanted.index("-U__MUSA_NO_HALF_OPERATORS__") > wanted.index("-D__MUSA_NO_HALF_OPERATORS__")


@pytest.mark.parametrize("given", [None, ["-O2"], {"cxx": ["-O2"], "mcc": ["-O2"]}])
def test_what_porting_made_is_cudas_code_too(tmp_path: Path, given: object) -> None:
    """The manual's branch for mmcv gives no nvcc key; its sparse_maxpool.mu compares two c10::Half."""
    (tmp_path / "csrc" / "deep").mkdir(parents=True)
    (tmp_path / "csrc" / "deep" / "k.cu").write_text("")
    SimplePorting(tmp_path / "csrc").run()
    ported, other = tmp_path / "csrc_musa" / "deep" / "k.mu", tmp_path / "csrc" / "deep" / "k.mu"
    plain = CompileFlags.parse(given, "demo", [str(other)]).mcc
    assert CompileFlags.parse(given, "demo", [str(other), str(ported)]).mcc == (*TORCH_NVCC_FLAGS, *plain)



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


@pytest.mark.parametrize(
    ("nvcc", "mcc"),
    [
        ("-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -arch=sm_80", ""),
        ("-Xcompiler -fPIC,-Wall --compiler-options=-fopenmp", "-fPIC -Wall -fopenmp"),
        ("--expt-relaxed-constexpr --expt-extended-lambda -lineinfo --threads 4", ""),
        ("-std=c++17 -O3 -DX=1 -Ifoo -Od3 -rdc=true", "-std=c++17 -O3 -DX=1 -Ifoo -Od3 -rdc=true"),
        ("-ccbin g++ -Xptxas -v --ptxas-options=-v -Xcudafe --display_error_number -U__CUDA_NO_HALF_OPERATORS__",
         "-U__MUSA_NO_HALF_OPERATORS__"),
        ("-D__CUDA_NO_HALF_OPERATORS__ --use_fast_math", "-D__MUSA_NO_HALF_OPERATORS__ -ffast-math"),
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

    expected = ["ccache", "my g++", "-g", "-fPIC", "-g0", "-MMD", "-MF", "a.o.d", "-c", "a.cpp", "-o", "a.o", "-DX"]
    assert command("-DX") == (*expected, "-std=c++20")
    assert "-g0" not in command("-g1") and "-g0" not in command(keep=True) and "-g0" not in command(debug=("-g",))
