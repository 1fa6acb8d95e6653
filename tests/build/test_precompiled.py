"""Precompiled headers: g++ really takes them, and they do not change the meaning of a source.

A small torch/extension.h of the test's own replaces torch's: it comes first on the command lines.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from demo_project import Outcome, Project

from musa_build.builder.machine import Machine
from musa_build.builder.precompiled_headers import NEVER, choose_policy, first_include
from musa_build.environment.settings import Settings

HEADER = """
#pragma once
#include <Python.h>
#ifdef TORCH_ASSERT_NO_OPERATORS
inline int operators() { return 0; }
#else
inline int operators() { return VALUE; }
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
template <class T> bool smaller(T a) { return a < 3u; }
#pragma GCC diagnostic pop
"""
MODULE = """
int without();
static PyObject* values(PyObject*, PyObject*) { return Py_BuildValue("(ii)", operators(), without() + smaller(1)); }
static PyMethodDef methods[] = {{"values", values, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "demo", "", -1, methods};
PyMODINIT_FUNC PyInit_demo() { return PyModule_Create(&definition); }
"""
FIRST = '// A licence.\n\n/* and\n   more */\n#include <torch/extension.h>\n#include "again.h"\n' + MODULE
AGAIN = "#pragma once\n#include <torch/extension.h>\n"  # as headers do that can be included alone
ASSERTING = (
    '#define TORCH_ASSERT_NO_OPERATORS\n#include <torch/extension.h>\n#include "again.h"\n'
    "int without() { return operators(); }\n"
)


@pytest.fixture
def headers(project: Project) -> Project:
    """An extension of three sources: two of them start with torch/extension.h, one of which defines a macro before."""
    project.write("include/torch/extension.h", HEADER.replace("VALUE", "5"))
    project.write("csrc/first.cpp", FIRST)
    project.write("csrc/again.h", AGAIN)
    project.write("csrc/asserting.cpp", ASSERTING)
    project.write("csrc/other.cpp", "#include <Python.h>\n#include <torch/extension.h>\n")
    configure(project)
    return project


def configure(project: Project, flags: str = "") -> None:
    sources = ["csrc/first.cpp", "csrc/asserting.cpp", "csrc/other.cpp"]
    listed = f'Extension("demo", {sources}, include_dirs=["include"], extra_compile_args=["-Wall", {flags}])'
    project.configure(extensions=listed)


def built(project: Project, mode: str = "1", **environment: str) -> Outcome:
    return project.built(MUSA_BUILD_PCH=mode, **environment)


def precompiled(project: Project) -> list[Path]:
    return sorted(project.root.rglob("*.gch"))


def test_the_first_include_decides() -> None:
    wanted = "torch/extension.h"
    for text in (
        "#include <torch/extension.h>\n",
        '// c\n/* d\n e */  #  include "torch/extension.h"',
        "#pragma once\n#ifndef A\n#define A\n\n#include <torch/extension.h>",
    ):
        assert first_include(text) == wanted, text
    assert first_include('#include "own.h"\n#include <torch/extension.h>') == "own.h"
    assert first_include("int x;\n#include <torch/extension.h>") == ""
    assert first_include("// #include <torch/extension.h>\nint x;") == ""
    assert first_include("/* a */ int x; /* b */\n#include <torch/extension.h>") == ""
    assert first_include("#define A  // why\n" * 500 + "int x;") == "", "at once"
    assert first_include("#define A  // why\n" * 500 + "#include <torch/extension.h>") == wanted
    assert first_include("") == "" and first_include("/" * 5000 + "\n/*" + "*" * 5000 + "/ x") == ""


def test_it_is_used_where_it_means_the_same(headers: Project) -> None:
    outcome = built(headers)
    assert "all extensions: precompile" not in outcome.output and "precompile torch/extension.h" in outcome.output
    assert "warning" not in outcome.output, outcome.output
    assert headers.load().values() == (5, 1)
    assert built(headers).steps == []
    (directory,) = (headers.root / "build").glob("temp.*")
    (made,) = precompiled(headers)
    assert directory in made.parents, "nowhere but in the build directory"
    taken = {}
    for entry in json.loads((directory / "compile_commands.json").read_text()):
        command = [*entry["arguments"], "-H"]
        said = subprocess.run(command, cwd=headers.root, stderr=subprocess.PIPE, text=True, check=True).stderr
        taken[entry["file"]] = any(line.startswith("! ") and line.endswith(".gch") for line in said.splitlines())
    assert taken == {"csrc/first.cpp": True, "csrc/asserting.cpp": False, "csrc/other.cpp": False}


def test_extensions_share_one(headers: Project) -> None:
    """PyTorch gives each of them its name as a macro, which no header looks at."""
    headers.write("csrc/second.cpp", FIRST.replace("PyInit_demo", "PyInit_second").replace('"demo"', '"second"'))
    one, two = (
        f'Extension("{name}", ["csrc/{file}.cpp"], include_dirs=["include"], extra_compile_args=["-Wall"])'
        for name, file in (("demo", "first"), ("second", "second"))
    )
    headers.configure(extensions=f"{one}, {two}")
    built(headers)
    (directory,) = (headers.root / "build").glob("temp.*")
    arguments = [entry["arguments"] for entry in json.loads((directory / "compile_commands.json").read_text())]
    for name, words in zip(("demo", "second"), arguments):
        assert f"-DTORCH_EXTENSION_NAME={name}" in words
    assert len(precompiled(headers)) == 1


def test_a_changed_header_reaches_everything(headers: Project) -> None:
    built(headers)
    headers.write("include/torch/extension.h", HEADER.replace("VALUE", "6"))
    again = built(headers)
    assert len(again.steps) == 5, again.output
    assert headers.load().values() == (6, 1)
    headers.write("csrc/first.cpp", "#define VALUE_ 1\n" + FIRST.replace("operators(), ", "operators() + VALUE_, "))
    assert len(built(headers).compiled) == 1
    assert headers.load().values() == (7, 1)


def test_a_header_that_cannot_be_made_stops_nothing_and_is_tried_again(headers: Project, tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    full = f"{tmp_path}/full"
    text = f'case "$*" in *c++-header*) [ ! -e {full} ] || {{ echo "the disk is full" >&2; exit 1; }};; esac'
    compiler.write_text(f'#!/bin/sh\n{text}\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    Path(full).touch()
    outcome = built(headers, CXX=str(compiler))
    assert "the disk is full" in outcome.output and len(outcome.compiled) == 4
    assert "warning: the header could not be precompiled" in outcome.output
    assert headers.load().values() == (5, 1) and precompiled(headers) == []
    Path(full).unlink()
    outcome = built(headers, CXX=str(compiler))
    assert outcome.steps == ["precompile torch/extension.h"]
    assert len(precompiled(headers)) == 1 and built(headers, CXX=str(compiler)).steps == []


@pytest.mark.slow
def test_flags_make_another_and_the_old_one_goes(headers: Project) -> None:
    built(headers)
    (first,) = precompiled(headers)
    configure(headers, '"-O1", "-DTORCH_ASSERT_NO_OPERATORS"')
    headers.write("csrc/asserting.cpp", ASSERTING.replace("#define TORCH_ASSERT_NO_OPERATORS\n", ""))
    built(headers)
    (second,) = precompiled(headers)
    assert second != first and headers.load().values() == (0, 1)
    built(headers, "0")
    assert precompiled(headers) == []
    configure(headers)
    built(headers, "auto")
    assert precompiled(headers) == [], "two sources would not pay for it"


@pytest.mark.skipif(shutil.which("ccache") is None, reason="there is no ccache here")
def test_together_with_ccache(headers: Project, tmp_path: Path) -> None:
    cache = {"MUSA_BUILD_LAUNCHER": "ccache", "CCACHE_DIR": str(tmp_path / "ccache")}
    built(headers, **cache)
    assert headers.load().values() == (5, 1)
    headers.write("include/torch/extension.h", HEADER.replace("VALUE", "6"))
    built(headers, **cache)
    assert headers.load().values() == (6, 1), "the cache knows the header, not only the .gch"
    headers.write("include/torch/extension.h", HEADER.replace("VALUE", "5"))
    built(headers, **cache)
    assert headers.load().values() == (5, 1)


@pytest.mark.parametrize(("launcher", "never"), [("", False), ("ccache", True)])
def test_by_itself_none_with_a_cache_as_the_compiler(
    launcher: str, never: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ccache"  # only its name counts; this one caches nothing
    program.write_text('#!/bin/sh\nexec "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUSA_BUILD_LAUNCHER", "none")
    monkeypatch.setenv("CXX", f"{program} g++" if launcher else "g++")
    monkeypatch.delenv("MUSA_BUILD_PCH", raising=False)
    assert (choose_policy(Machine(Settings.read())) is NEVER) is never
