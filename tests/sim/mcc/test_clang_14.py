"""The C++ that clang 14, which the real mcc is, takes and newer clangs refuse: mcc takes it too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

#: bodies that a newer clang refuses before any use: `T` is the template's parameter
UNUSED = {
    "a member of its own class": "template <class T> struct A { template <class U> void f(U u) { this->no(u); } };",
    "a member, not a template": "template <class T> struct A { void f() { A *p = this; p->no = 1; } };",
    "of another": "template <class T> struct A; template <class T> struct A<T&> { void f() { A q; q.a(); } };",
    "minus on a pointer": "template <class T> int f(T *p) { return -p; }",
    "a pointer to a member": "template <class T> int f(int T::*p) { return *p; }",
    "an array": "template <class T> void f(T (&a)[3]) { a++; }",
}
#: the same kinds, in a function that is used: an error in every clang
USED = {
    "a member of its class": "template <class T> struct A { void f() { this->no(); } };\nvoid g() { A<int>{}.f(); }",
    "minus on a pointer": "template <class T> auto f(T *p) { return -p; }\nvoid g() { f(new int); }",
}
#: a program whose own templates are needed for a constant and a kernel, beside one without a use
PROGRAM = (PROGRAMS / "templates_of_clang_14.mu").read_text(encoding="utf-8")
NARROWED = """
struct Holder { const float &value; };
constexpr long large = 16777217;
float rounded() { return Holder{large}.value; }
"""


def compile_text(root: Path, folder: Path, text: str, *args: str) -> subprocess.CompletedProcess[str]:
    source = folder / "k.mu"
    source.write_text(text, encoding="utf-8")
    command = [f"{root}/bin/mcc", "--offload-arch=mp_31", str(source), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("standard", ["c++14", "c++20"])
def test_a_template_without_a_use_may_name_what_is_not_there(standard: str, sim_sdk_root: Path, tmp_path: Path) -> None:
    text = "\n".join(f"namespace n{number} {{ {body} }}" for number, body in enumerate(UNUSED.values()))
    done = compile_text(sim_sdk_root, tmp_path, text, f"-std={standard}", "-fsyntax-only")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("kind", USED)
def test_one_that_is_used_may_not(kind: str, sim_sdk_root: Path, tmp_path: Path) -> None:
    done = compile_text(sim_sdk_root, tmp_path, USED[kind], "-fsyntax-only")
    assert done.returncode == 1
    assert "k.mu:1:" in done.stderr
    assert "error: " in done.stderr


def test_another_error_beside_it_is_reported_with_it(sim_sdk_root: Path, tmp_path: Path) -> None:
    text = "template <class T> struct A { void f() { this->no(); undeclared(); } };"
    done = compile_text(sim_sdk_root, tmp_path, text, "-fsyntax-only")
    assert done.returncode == 1
    assert "undeclared" in done.stderr


def test_a_program_with_such_a_template_runs(sim_sdk_root: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    done = compile_text(sim_sdk_root, tmp_path, PROGRAM, "-O2", "-o", str(program), "-lmusart")
    assert (done.returncode, done.stderr) == (0, "")
    run = subprocess.run(
        [program], env={**os.environ, "MUSA_SIM_ARCH": "mp_31"}, capture_output=True, text=True, check=True
    )
    assert run.stdout == "10 11 12 13\n"


def test_a_reference_may_be_bound_to_a_narrowed_constant(sim_sdk_root: Path, tmp_path: Path) -> None:
    done = compile_text(sim_sdk_root, tmp_path, NARROWED, "-fsyntax-only")
    assert done.returncode == 0, done.stderr
    asked = compile_text(sim_sdk_root, tmp_path, NARROWED, "-fsyntax-only", "-Wc++11-narrowing-const-reference")
    assert "narrowing-const-reference" in asked.stderr, "a -W of the command line wins"


def test_the_builtins_of_its_time_are_no_warning(sim_sdk_root: Path, tmp_path: Path) -> None:
    text = "static_assert(__has_trivial_copy(int) && __has_trivial_assign(int) && __has_trivial_destructor(int));"
    done = compile_text(sim_sdk_root, tmp_path, text, "-fsyntax-only", "-Werror")
    assert (done.returncode, done.stderr) == (0, "")
