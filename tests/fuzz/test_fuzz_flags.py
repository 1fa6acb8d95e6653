"""Random command lines: each is refused in one line, or keeps every word that it should."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed: pip install -e .[dev]")

from hypothesis import given
from hypothesis import strategies as st

from musa_build.errors import SettingError
from musa_build.porting.__main__ import main as port
from musa_build.toolchain.nvcc_flags import translate_nvcc_flags
from musa_build.toolchain.nvcc_translations import NVCC_FLAGS, Takes
from musa_build.toolchain.shell_flags import quoted_flags, split_flags
from musa_sim.mcc.command_line import flags
from musa_sim.mcc.command_line.invocation import Invocation
from musa_sim.mcc.command_line.parse import parse
from musa_sim.mcc.errors import DriverError
from musa_tools.convert import command_line as converter
from tests.fuzz.property_settings import examples

#: Values as people write them. Commas, quotes and backslashes mean something in nvcc's lists.
PLAIN = st.sampled_from(
    ["x", "a b", "X=1", "X=a b", "dir/sub", "../up", "größe", "a+b", "$HOME", "{}", "%s", "1.5", "a;b", "(x)"]
)
ANY = st.one_of(
    PLAIN,
    st.sampled_from(['"', "'", "a,b", "\\", "", " ", "-x", "--", "=", ",", '"a,b"', "'a b'", "a\\,b", "@x", "\n"]),
)
Words = list[str]


# nvcc's flags.

NAMES = [(name, row) for row in NVCC_FLAGS for name in row.names.split()]
KEPT = {
    "-D": ["-D{}"], "--define-macro": ["-D{}"], "-U": ["-U{}"], "-I": ["-I{}"], "--include-path": ["-I{}"],
    "-isystem": ["-isystem", "{}"], "--pre-include": ["-include", "{}"], "-include": ["-include", "{}"],
    "-Xcompiler": ["{}"], "--compiler-options": ["{}"],
}  # fmt: skip


def nvcc(words: Sequence[str]) -> Words | str:
    """Return the translation, or the error."""
    try:
        return list(translate_nvcc_flags(words, "demo")[0])
    except SettingError as error:
        assert "\n" not in str(error) or any("\n" in word for word in words)
        return str(error).partition("cannot be used")[2]


@st.composite
def kept_flags(draw: st.DrawFn) -> tuple[Words, Words]:
    """A flag in one of its forms, and what mcc must get."""
    name = draw(st.sampled_from([*KEPT, "-Wall", "-fPIC", "-O2", "-march=x"]))
    if name not in KEPT:
        return [name], [name]
    values = draw(st.lists(PLAIN, min_size=1, max_size=3))
    is_for_a_shell = name in ("-Xcompiler", "--compiler-options")
    value = ",".join(map(shlex.quote, values)) if is_for_a_shell else ",".join(values)
    forms = [[name, value], [f"{name}={value}"]] + [[name + value]] * (len(name) == 2)
    wanted = [word.replace("{}", each) for each in values for word in KEPT[name]]
    return draw(st.sampled_from(forms)), wanted


@given(st.lists(kept_flags(), max_size=6))
@examples(200)
def test_mcc_gets_every_value_of_nvcc_s_flags(pieces: list[tuple[Words, Words]]) -> None:
    given_words = [word for words, _ in pieces for word in words]
    assert nvcc(given_words) == [word for _, wanted in pieces for word in wanted]


@given(st.sampled_from(NAMES), ANY, st.booleans())
@examples(300)
def test_the_forms_of_one_flag_mean_the_same(flag: tuple[str, object], value: str, underscores: bool) -> None:
    name, row = flag
    takes = row.takes  # type: ignore[attr-defined]
    spelled = name[:2] + name[2:].replace("-", "_") if underscores and len(name) > 2 else name
    if takes is Takes.NOTHING:
        assert nvcc([spelled]) == nvcc([name])
        return
    joined = nvcc([f"{name}={value}"])
    if isinstance(joined, list):
        assert nvcc([f"{spelled}={value}"]) == joined
    if not value.startswith("-") or takes is Takes.OPTIONS:
        apart = nvcc([spelled, value])
        assert apart == joined or (isinstance(apart, str) and isinstance(joined, str))


@given(
    st.lists(
        st.one_of(
            st.sampled_from([name for name, _ in NAMES]),
            ANY,
            st.tuples(st.sampled_from(NAMES), ANY).map(lambda pair: f"{pair[0][0]}={pair[1]}"),
        )
    )
)
@examples(300)
def test_any_words_are_translated_or_refused(words: Words) -> None:
    result = nvcc(words)
    assert isinstance(result, str) or all(isinstance(word, str) for word in result)


@given(st.lists(ANY.filter(lambda word: "\n" not in word)))
@examples(200)
def test_flags_survive_a_shell(words: Words) -> None:
    assert list(split_flags(quoted_flags(words), "demo")) == words


# mcc's command line.

COMPILE = [
    *([flag, "{}"] for flag in sorted(flags.TAKES_VALUE_COMPILE)),
    *(["-I{}"], ["-D{}"], ["-U{}"], ["-O2"], ["-fPIC"], ["-std=c++17"], ["-W{}"], ["-march=x86-64"], ["-fno-{}"]),
]
LINK = [
    *([flag, "{}"] for flag in sorted(flags.TAKES_VALUE_LINK)),
    *([flag] for flag in sorted(flags.LINK_FLAGS - {"--shared"})),
    *(["-L{}"], ["-l{}"], ["-Wl,{}"]),
]
IGNORED = [[flag] for flag in sorted(flags.SWALLOWED)] + [["-mllvm", "{}"]]


@st.composite
def mcc_flags(draw: st.DrawFn) -> tuple[str, Words]:
    """A flag with its values, and where it must arrive."""
    where, table = draw(st.sampled_from([("compile", COMPILE), ("link", LINK), ("", IGNORED), ("both", BOTH)]))
    words = draw(st.sampled_from(table))
    value = draw(ANY)
    return where, [word.replace("{}", value if word == "{}" else value or "x") for word in words]


BOTH = [[flag] for flag in sorted(flags.BOTH_FLAGS)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MUSA_SIM_ARCH", raising=False)
    monkeypatch.delenv("MUSA_SIM_CHECK", raising=False)
    for name in ("k.mu", "h.cpp", "o.o"):
        Path(name).touch()
    return tmp_path


def mcc(words: Sequence[str]) -> Invocation | str:
    """Return the flags as mcc parses them, or its error."""
    try:
        return parse(list(words))
    except DriverError as error:
        assert str(error) and ("\n" not in str(error) or any("\n" in word for word in words))
        return str(error)


@given(st.lists(mcc_flags(), max_size=6), st.integers(0, 6))
@examples(200)
def test_every_word_arrives_where_it_should(folder: Path, pieces: list[tuple[str, Words]], at: int) -> None:
    pieces = [*pieces[:at], ("", ["k.mu"]), *pieces[at:]]
    words = [word for _, part in pieces for word in part]
    understood = mcc(words)
    assert isinstance(understood, Invocation), understood
    assert list(understood.compile_args) == [
        word for where, part in pieces if where in ("compile", "both") for word in part
    ]
    linked = [word for where, part in pieces if where in ("link", "both") or part == ["k.mu"] for word in part]
    assert list(understood.link_args) == linked
    assert [item.path for item in understood.inputs] == ["k.mu"]
    (folder / "words").write_text(shlex.join(words))
    assert mcc(["@words"]) == understood


@given(
    st.lists(
        st.one_of(
            ANY,
            st.sampled_from(["k.mu", "h.cpp", "o.o", "-o", "-c", "-x", "musa", "--offload-arch=mp_21"]),
            st.sampled_from([word for words in (*COMPILE, *LINK, *IGNORED, *BOTH) for word in words]),
        )
    )
)
@examples(300)
def test_any_words_are_understood_or_refused(folder: Path, words: Words) -> None:
    mcc(words)


# musa-build port.

OPTIONS = ["--output", "-o", "--ignore", "--arch", "--rule", "--rules", "--emulate-cuda", "--report", "--mapping-rule"]
OPTIONS += ["--ignore-dir-paths", "--mapping-dir-path", "--cuda-dir-path", "--query"]
SWITCHES = [
    "--comments",
    "--strings",
    "--diff",
    "--check",
    "--dry-run",
    "--analyze",
    "--verify",
    "--drop-default-mapping",
]
VALUES = st.one_of(
    ANY, st.sampled_from(["csrc", "mp_31", "11.8", "none", "a=b", '{"a": "b"}', '["a"]', "[a,", "b]", "r.json", "o"])
)


@given(
    st.lists(st.one_of(st.tuples(st.sampled_from(OPTIONS), VALUES), st.tuples(st.sampled_from(SWITCHES))), max_size=4),
    st.booleans(),
)
@examples(100)
def test_the_port_command_answers_or_refuses(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[tuple[str, ...]], joined: bool
) -> None:
    source = folder / "csrc"
    source.mkdir(exist_ok=True)
    (source / "k.cu").write_text("cudaFree(x);\n")
    long = ["=".join(option) if joined and option[0].startswith("--") else option for option in options]
    words = [word for option in long for word in ([option] if isinstance(option, str) else option)]
    capsys.readouterr()
    try:
        code = port(["csrc", "--dry-run", *words], "port")
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr().err
    assert code in (0, 1, 2)
    assert code != 2 or "error: " in said.lower()
    assert "Traceback" not in said
    assert (source / "k.cu").read_text() == "cudaFree(x);\n"


@pytest.mark.parametrize("option", ["--rule", "--rules", "--arch", "--output", "--ignore"])
def test_dashes_are_no_value_of_the_port_command(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """argparse makes a list of `--rule=--` where it should be a text, up to Python 3.12."""
    with pytest.raises(SystemExit, match="2"):
        port(["csrc", f"{option}=--"], "port")
    assert f"argument {option}: expected one argument" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--root_path", "--report", "--jobs", "--backup"])
def test_dashes_are_no_value_of_the_converter(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        converter.main(["--root_path=x", f"{option}=--"])
    assert f"argument {option}: expected one argument" in capsys.readouterr().err
