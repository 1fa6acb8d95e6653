"""The lines that are shown of a failed step: the cause, from the output of real compilers and the linker."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from musa_build.builder.runner import Failure, failure_error, remove_stale_logs
from musa_build.errors import CompileFailedError
from musa_build.toolchain.diagnostics import SHORT, missing_header, summarise

OVERLOADS = 40

HEADER = "\n".join(
    [
        "#pragma once",
        *(f"struct T{number} {{}}; int pick(T{number}*, int);" for number in range(OVERLOADS)),
        "template <int N> struct Deep { template <class T> static int go(T t) { return Deep<N - 1>::go(t) + 1; } };",
        "template <> struct Deep<0> { template <class T> static int go(T t) { return pick(t, 1); } };",
    ]
)

SOURCE = """#include <deep.h>
int warned() { int unused; return 1; }
template <class T> int mine(T t) {
    return Deep<5>::go(t);
}
int run() { return mine(1.5); }
"""

MORE = """int second() { return undeclared_thing; }
int third() { return pick("x"); }
int fourth() { return missing_too; }
"""

LINKED = """
int missing_one(int); int missing_two(int); int missing_three(int); int missing_four(int);
int missing_five(int); int missing_six(int); int missing_seven(int);
int first() { return missing_one(1) + missing_two(1) + missing_three(1) + missing_four(1); }
int second() { return missing_one(2) + missing_two(2) + missing_five(1) + missing_six(1) + missing_seven(1); }
int third() { return missing_one(3) + missing_two(3) + missing_one(4) + missing_one(5) + missing_one(6); }
"""


def said(command: list[str], directory: Path) -> str:
    """Return the output of a command that must fail."""
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode
    return done.stdout + done.stderr


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    header = tmp_path / "site-packages" / "lib" / "include" / "deep.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER)
    project = tmp_path / "project"
    project.mkdir()
    for suffix in (".cpp", ".mu"):
        (project / f"one{suffix}").write_text(SOURCE)
        (project / f"four{suffix}").write_text(SOURCE + MORE)
    return project


@pytest.fixture(params=["g++", "mcc"])
def failing(request: pytest.FixtureRequest, sources: Path, sim_sdk_root: Path) -> tuple[str, str, str]:
    """(suffix, what the compiler says of one error, of four) of each compiler."""
    include = ["-Wall", "-isystem", str(sources.parent / "site-packages" / "lib" / "include"), "-c"]
    if request.param == "mcc":
        command, suffix = [f"{sim_sdk_root}/bin/mcc", *include], ".mu"
    else:
        command, suffix = ["g++", *include], ".cpp"
    texts = [said([*command, f"{name}{suffix}", "-o", "/dev/null"], sources) for name in ("one", "four")]
    return suffix, texts[0], texts[1]


def test_one_error_deep_in_a_library(failing: tuple[str, str, str]) -> None:
    """The error, its source line and caret, the user's lines that led there, one note; the others are counted."""
    suffix, one, _ = failing
    assert one.count("note: ") > OVERLOADS
    text = summarise(one)
    lines = text.splitlines()
    (error,) = (at for at, line in enumerate(lines) if "error: no matching function for call to" in line)
    assert "deep.h:43:" in lines[error] and "return pick(t, 1)" in lines[error + 1] and "^" in lines[error + 2]
    assert f"one{suffix}:4:" in text and f"one{suffix}:6:" in text, "the user's own lines"
    assert "Deep<3>" not in text and "unused" not in text and len(lines) <= 12
    shown = text.count("note: ")
    assert lines[-1] == f"and 1 warning, {one.count('note: ') - shown} notes"


def test_several_errors_are_shown_in_order_and_the_rest_is_counted(failing: tuple[str, str, str]) -> None:
    _, _, four = failing
    total = four.count("error: ")
    assert total == 4
    every = [line for line in summarise(four, errors=9).splitlines() if "error: " in line]
    assert len(every) == 4
    for count in (1, 3):
        text = summarise(four, errors=count)
        assert [line for line in text.splitlines() if "error: " in line] == every[:count]
        assert f"and {4 - count} more error" in text.splitlines()[-1]
    assert "undeclared_thing" in summarise(four, errors=1), "the first one in the output"


@pytest.mark.compiles
def test_colours_are_taken_off(sources: Path) -> None:
    command = ["g++", "-fdiagnostics-color=always", f"-I{sources.parent}/site-packages/lib/include", "-c", "four.cpp"]
    coloured = said(command, sources)
    assert "\x1b[" in coloured and "\x1b" not in summarise(coloured) and "undeclared_thing" in summarise(coloured)


@pytest.mark.compiles
def test_missing_symbols_are_shown_once_each(tmp_path: Path) -> None:
    (tmp_path / "linked.cpp").write_text(LINKED)
    subprocess.run(["g++", "-fPIC", "-c", "linked.cpp"], cwd=tmp_path, check=True)
    whole = said(["g++", "-shared", "-Wl,--no-undefined", "linked.o", "-o", "linked.so"], tmp_path)
    text = summarise(whole)
    shown = [line for line in text.splitlines() if "undefined reference to" in line]
    assert len(shown) == 5 and len({line.split("reference to")[1] for line in shown}) == 5
    assert "in function `first()'" in text and "collect2" not in text
    assert text.splitlines()[-1] == "and 2 more errors"


def test_short_output_is_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(SHORT))
    assert summarise(f"{text}\n") == text
    assert summarise("") == ""


def test_the_end_of_unknown_output() -> None:
    lines = [f"line {number}" for number in range(1000)]
    assert summarise("\n".join(lines)).splitlines() == [f"({1000 - SHORT} lines before)", *lines[-SHORT:]]


def test_warnings_alone_do_not_hide_the_end() -> None:
    lines = [f"a.cpp:{number}:1: warning: unused" for number in range(100)]
    assert summarise("\n".join([*lines, "Killed"])).endswith("\nKilled")


def test_names_that_are_too_long_lose_their_middle() -> None:
    long = f"a.cpp:1:1: error: no type in {'std::tuple<int, ' * 500}end of it"
    (line,) = summarise(long).splitlines()
    assert len(line) < 500 and line.startswith("a.cpp:1:1: error: ") and line.endswith("end of it")


@pytest.mark.parametrize(
    ("path", "users"),
    [
        ("csrc/a.h", True),
        ("/home/me/project/include/a.h", True),
        ("/home/me/other/a.h", True),
        ("/home/me/project/.venv/lib/python3.11/site-packages/torch/include/a.h", False),
        ("/usr/include/c++/12/tuple", False),
        ("/home/me/.cache/musa_build/sdk/musa-5.1.0/include/cub/cub.cuh", False),
    ],
)
def test_whose_lines_are_shown(path: str, users: bool) -> None:
    """A note of clang on how its template came to be instantiated."""
    note = f"{path}:7:1: note: in instantiation of function template specialization 'f<int>' requested here"
    filler = [f"/usr/x.h:{number}:1: note: candidate" for number in range(SHORT)]
    text = summarise("\n".join(["/usr/x.h:1:1: error: bad", *filler, note]), root="/home/me/project")
    assert (note in text) is users


def error_of(*texts: str, code: str = "1", verbose: bool = False) -> CompileFailedError:
    failures = [Failure(f"build/{at}.o", code, ["c++ -c a.cpp", *text.splitlines()]) for at, text in enumerate(texts)]
    return failure_error({"build/0.o": "demo: c++ a.cpp"}, failures, verbose=verbose)


def test_the_whole_is_in_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole = "\n".join(f"a.cpp:{number}:1: error: bad {number}" for number in range(50))
    error = error_of(whole)
    assert str(error).endswith("and 47 more errors") and "demo: c++ a.cpp (exit code 1, log: build/0.o.log)" in str(
        error
    )
    assert Path("build/0.o.log").read_text() == f"c++ -c a.cpp\n{whole}\n"
    assert error.failed == (("build/0.o", whole),)
    assert str(error_of(whole, verbose=True)).endswith(f"c++ -c a.cpp\n{whole}")
    assert str(error_of(*[whole] * 4)).count(": error: ") == 4, "one for each of many"


def test_without_a_log_all_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("build").touch()
    whole = "\n".join(f"a.cpp:{number}:1: error: bad {number}" for number in range(50))
    assert str(error_of(whole)).endswith(f"demo: c++ a.cpp (exit code 1)\nc++ -c a.cpp\n{whole}")


def test_a_log_goes_when_its_step_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("build").mkdir()
    Path("build/0.o").touch()
    error_of("a.cpp:1:1: error: bad")
    remove_stale_logs(["build/0.o", "build/never.o"])
    assert Path("build/0.o.log").exists(), "the object is the one of an earlier build"
    stamp = Path("build/0.o.log").stat().st_mtime_ns
    Path("build/0.o").touch()
    assert Path("build/0.o").stat().st_mtime_ns >= stamp
    remove_stale_logs(["build/0.o", "build/never.o"])
    assert not Path("build/0.o.log").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "137"),
        ("a.cpp:1:1: warning: unused", "137"),
        ("g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.", "1"),
        ("collect2: fatal error: ld terminated with signal 9 [Killed]", "1"),
        ("cc1plus: out of memory allocating 65536 bytes after a total of 99 bytes", "1"),
        ("virtual memory exhausted: Cannot allocate memory", "1"),
        ("g++: fatal error: cannot execute 'cc1plus': vfork: Cannot allocate memory", "1"),
        ("mcc: error: the compiler was killed by signal 9", "1"),
        ("LLVM ERROR: out of memory", "1"),
        ("Killed", "1"),
    ],
)
def test_a_compiler_without_memory_gets_the_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "set MAX_JOBS to a smaller number" in str(error_of(text, code=code))


@pytest.mark.parametrize(
    "text",
    ["a.cpp:1:1: error: 'killed' was not declared", 'a.cpp:1:9: error: bad\n    1 | f("out of memory", Killed)'],
)
def test_other_errors_get_no_hint_at_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert "MAX_JOBS" not in str(error_of(text))


FIRST = {  # the output of a step -> the end of the first line, after the step's name
    "": "",
    "sh: 1: own-compiler: not found": "",
    "csrc/k.mu:4:3: warning: old\ncsrc/k.mu:7:9: error: no x\ncsrc/k.mu:9:1: error: no y\n": ":7: no x",
    "In file included from csrc/k.mu:1:\nlib/deep.h:43:7: fatal error: no file\n": ": lib/deep.h:43: no file",
    "ld: a.o: in function `f':\na.cpp:(.text+0x5): undefined reference to `g()'\n": ": undefined reference to `g()'",
    "mcc: error: unknown argument: -x\n": ": unknown argument: -x",
    "k.mu:7:9: error: another file\n": ": k.mu:7: another file",
    "\x1b[1mcsrc/k.mu:7:9: \x1b[31merror: \x1b[0mno x\n": ":7: no x",
}


@pytest.mark.parametrize("printed", FIRST)
def test_the_first_line_names_the_first_step_that_failed_and_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"o/k.o": "demo: mcc csrc/k.mu", "o/l.o": "demo: c++ csrc/l.cpp"}
    failure = Failure("o/k.o", "1", ["mcc csrc/k.mu", *printed.splitlines()])
    assert failure_error(names, [failure]).what == f"1 step failed: demo: mcc csrc/k.mu{FIRST[printed]}"
    other = Failure("o/l.o", "1", ["c++ csrc/l.cpp", "csrc/l.cpp:1:1: error: other"])
    assert (
        failure_error(names, [failure, other]).what == f"2 steps failed, the first: demo: mcc csrc/k.mu{FIRST[printed]}"
    )


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ('#include <iostream>\nvoid f() { std::ofstream file("x"); file << 1; }\n', "<fstream>"),
        ("#include <iosfwd>\nvoid f() { std::ostringstream text; text << 1; }\n", "<sstream>"),
        ("#include <utility>\nint f() { std::array<int, 2> two{{1, 2}}; return two[0]; }\n", "<array>"),
        ("#include <cstddef>\nstd::unique_ptr<int> one();\n", "<memory>"),
        ("struct Own; int f(Own *own) { return own->size; }\n", ""),
        ("int f() { return undeclared; }\n", ""),
    ],
)
@pytest.mark.compiles
def test_a_header_that_a_source_forgot_is_named(tmp_path: Path, source: str, header: str) -> None:
    (tmp_path / "a.cpp").write_text(source)
    done = subprocess.run(["g++", "-fsyntax-only", "a.cpp"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and missing_header(done.stderr) == header, done.stderr
    error = failure_error({}, [Failure(str(tmp_path / "a.o"), "1", ["command", *done.stderr.splitlines()])])
    assert (f"#include {header}" in str(error)) == bool(header)
