"""Why a build plans again or repeats a step: the log names what changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest
from demo_project import Project

from musa_build.builder.incremental import Fingerprint
from musa_build.builder.reasons import _PARTS, StepReasons, log_planning, save_facts

SOURCE = """
#include <Python.h>
#include "common.h"
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "demo", "", -1, nullptr};
PyMODINIT_FUNC PyInit_demo() { return PyModule_Create(&definition); }
"""
EXTENSION = 'Extension("demo", ["csrc/demo.cpp", "csrc/second.cpp"], include_dirs=["include"], {options})'


def configure(project: Project, options: str = "") -> None:
    project.configure(extensions=EXTENSION.format(options=options))


@pytest.fixture
def demo(project: Project) -> Project:
    """Two C++ sources, built once."""
    project.write("csrc/demo.cpp", SOURCE)
    project.write("csrc/second.cpp", '#include "common.h"\nint second = OFFSET;\n')
    configure(project)
    assert lines(project) == [], "the first build needs no reason"
    return project


def lines(project: Project, **environment: str) -> list[str]:
    """The lines of a build's log."""
    output = re.sub(r"csrc/\w+\.cpp is", "csrc/NAME.cpp is", project.built(**environment).output)  # in any order
    return [line for line in output.splitlines() if line.startswith("musa_build | ")]


def remove_object(project: Project) -> None:
    (found,) = project.root.glob("build/temp*/demo/csrc/second.cpp.o")
    found.unlink()


def replace_compiler(project: Project) -> None:
    project.write("compiler/c++", '#!/bin/sh\nexec g++ -DNEW "$@"\n')


def edit_build_ninja(project: Project) -> None:
    (found,) = project.root.glob("build/temp*/build.ninja")
    found.write_text(f"{found.read_text()}\n")


CHANGES: list[tuple[str, Callable[[Project], object], dict[str, str], list[str]]] = [
    ("nothing", lambda project: None, {}, []),
    (
        "a header",
        lambda project: (project.root / "include/common.h").touch(),
        {},
        ["demo: c++ csrc/NAME.cpp is built again: include/common.h is newer"],
    ),
    (
        "each step, with the commands",
        lambda project: (project.root / "include/common.h").touch(),
        {"MUSA_BUILD_VERBOSE": "1"},
        2 * ["demo: c++ csrc/NAME.cpp is built again: include/common.h is newer"],
    ),
    (
        "a flag",
        lambda project: configure(project, 'extra_compile_args=["-DX"]'),
        {},
        [
            "the commands are planned again; changed: extension demo: extra_compile_args ([] -> ['-DX'])",
            "changed flags of csrc/demo.cpp, csrc/second.cpp: added -DX",
            "demo: c++ csrc/NAME.cpp is built again: its command changed",
        ],
    ),
    (
        "a variable of the compiler",
        lambda project: None,
        {"CPATH": "/other"},
        [
            "the commands are planned again; changed: environment variable CPATH (not set -> /other)",
            "demo: c++ csrc/NAME.cpp is built again: Python, torch, the SDK or a variable that compilers read changed",
        ],
    ),
    ("a missing object", remove_object, {}, ["demo: c++ csrc/NAME.cpp is built again: it is missing"]),
]


@pytest.mark.parametrize(("change", "environment", "expected"), [c[1:] for c in CHANGES], ids=[c[0] for c in CHANGES])
def test_a_build_says_why(
    change: Callable[[Project], object], environment: dict[str, str], expected: list[str], demo: Project
) -> None:
    change(demo)
    assert lines(demo, **environment) == [f"musa_build | INFO : {line}" for line in expected]
    assert lines(demo, **environment) == []


def test_a_replaced_compiler_and_graph_are_named(project: Project) -> None:
    project.write("csrc/demo.cpp", SOURCE)
    project.write("compiler/c++", '#!/bin/sh\nexec g++ "$@"\n')
    compiler = project.root / "compiler/c++"
    compiler.chmod(0o755)
    project.configure(extensions='Extension("demo", ["csrc/demo.cpp"], include_dirs=["include"])')
    project.built(CXX=str(compiler))
    replace_compiler(project)
    planned, repeated = lines(project, CXX=str(compiler))
    assert planned.endswith(f"changed: compiler or linker {compiler}")
    assert repeated.endswith("demo: c++ csrc/NAME.cpp is built again: the program c++ changed")
    edit_build_ninja(project)
    (planned,) = lines(project, CXX=str(compiler))
    assert "changed: file build/temp." in planned and planned.endswith("/build.ninja")
    outcome = project.build("--force", CXX=str(compiler))
    assert "the commands are planned again: --force" in outcome.output


def test_the_log_names_the_code_that_plans_a_project_each_time(demo: Project) -> None:
    own = "class Own(BuildExtension):\n    def get_libraries(self, ext):\n        return super().get_libraries(ext)\n"
    demo.configure(extensions=EXTENSION.format(options=""), prelude=own, command="Own")
    planned = "musa_build | INFO : the commands are planned again: Own.get_libraries is code of the project"
    assert lines(demo) == [planned]


def test_a_build_with_nothing_to_do_does_not_import_the_reasons(demo: Project) -> None:
    """They cost nothing where there is nothing to say."""
    epilogue = "import sys\nprint('reasons:', 'musa_build.builder.reasons' in sys.modules)"
    demo.configure(extensions=EXTENSION.format(options=""), epilogue=epilogue)
    command = ("setup.py", "build_ext", "--inplace")  # in a process of its own: this one has imported them
    demo.run(*command)
    assert "reasons: False" in demo.run(*command).output
    (demo.root / "include/common.h").touch()
    assert "reasons: True" in demo.run(*command).output


FACTS = Fingerprint(
    **{field.name: "old" for field in fields(Fingerprint)}
    | dict.fromkeys(("settings", "environment", "options", "compiler", "extensions"), (("A", "1"), ("B", "2")))
    | dict.fromkeys(("python", "engine", "packages", "programs", "sdk"), ("/a/file 10 123", "no /b/file"))
    | {"outputs": ("a.so",), "porting": ()}
)


@pytest.mark.parametrize("part", [field.name for field in fields(Fingerprint)])
def test_each_part_of_the_fingerprint_has_words(part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A part without words would end the build with a KeyError."""
    save_facts(FACTS.facts, tmp_path)
    state = tmp_path / "graph.json"
    state.write_text('{"watched": {}}')
    old = getattr(FACTS, part)
    changed: object = "new"
    expected = f"{_PARTS[part]} (old -> new)"
    if isinstance(old, tuple) and old and isinstance(old[0], tuple):
        changed, expected = (("A", "1"), ("B", "3")), f"{_PARTS[part]} B (2 -> 3)"
    elif isinstance(old, tuple):
        changed, expected = (*old, "/c/file 1 2"), f"{_PARTS[part]} /c/file"
    log_planning(state, replace(FACTS, **{part: changed}).facts)
    assert capsys.readouterr().err == f"musa_build | INFO : the commands are planned again; changed: {expected}\n"


def test_a_header_that_is_gone_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    log = "# ninja log v7\n0\t1\t2\to/a.o\tabc\n"
    reasons = StepReasons({"o/a.o": "demo: c++ a.cpp", "o/b.o": "demo: c++ b.cpp"}, log, verbose=False)
    for explanation in (
        "old.h is dirty",
        "o/a.o is dirty",
        "output o/b.o doesn't exist",
        "recorded mtime of o/a.o older than most recent input o/demo.so.libraries.txt (1 vs 2)",
        "output other.o doesn't exist",
    ):
        reasons.log(explanation)
    assert capsys.readouterr().err.splitlines() == [
        "musa_build | INFO : what includes it is built again: old.h is missing",
        "musa_build | INFO : demo: c++ a.cpp is built again: a file that its link looks for changed",
    ]
