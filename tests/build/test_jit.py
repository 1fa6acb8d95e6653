"""`load` and `load_inline`: compiled for the simulated SDK and run, in processes of their own as programs would."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from demo_project import BINDINGS, KERNEL, Outcome, Project
from test_diagnostics import HEADER, OVERLOADS, SOURCE

PROGRAMS = Path(__file__).with_name("programs")

PROGRAM = str(Path(__file__).parent / "programs" / "loads_and_edits.py")


def run(project: Project, function: str) -> Outcome:
    return project.script(PROGRAM, function, TORCH_EXTENSIONS_DIR=str(project.root / "cache"), CC="gcc")


def test_load_runs_and_notices_flags_headers_and_sources(project: Project) -> None:
    outcome = run(project, "flags_headers_and_sources")
    assert outcome.returncode == 0, outcome.output
    assert len(outcome.compiled) == 2, "only the first was asked to be verbose"
    written = [file.read_text() for file in (project.root / "cache").rglob("build.ninja")]
    assert written and all("--offload-arch=mp_22" in text and "-ccbin" not in text for text in written)


def test_every_fact_of_a_build_changes_its_directory(project: Project) -> None:
    """All facts that decide an object must be in the key: otherwise `load` would take the objects of other commands."""
    outcome = run(project, "keys_of_directories")
    assert outcome.returncode == 0, outcome.output


def test_a_compiler_older_than_its_objects_compiles_again(project: Project) -> None:
    """Package managers keep the time stamps of what they install: a new release may be older than an object."""
    outcome = run(project, "an_older_compiler")
    assert outcome.returncode == 0, outcome.output


@pytest.mark.slow
def test_old_libraries_and_directories_go(project: Project) -> None:
    """Each edit makes a library. What the program has loaded stays, of the others the last two."""
    outcome = run(project, "old_libraries_and_directories")
    assert outcome.returncode == 0, outcome.output
    assert "libraries: 3 True" in outcome.output and "directories: [True, False]" in outcome.output


def test_a_macro_in_both_lists_of_flags_is_given_once(project: Project) -> None:
    """The same choice as in a setup.py, for a C++ source that mcc compiles."""
    outcome = run(project, "a_macro_in_both_lists")
    assert outcome.returncode == 0, outcome.output
    (text,) = [file.read_text() for file in (project.root / "cache").rglob("build.ninja")]
    assert [line.count("-DCXX_FLAG=2") for line in text.splitlines() if "-DCXX_FLAG=2" in line] == [1, 1]


def test_load_inline(project: Project) -> None:
    project.write("main.txt", BINDINGS.replace('#include "common.h"', "#define OFFSET 1"))
    project.write("musa.txt", KERNEL.replace('#include "common.h"', "#define OFFSET 1"))
    outcome = run(project, "inline")
    assert outcome.returncode == 0, outcome.output


def test_an_error_holds_the_compilers_text(project: Project) -> None:
    project.write("csrc/kernel.mu", KERNEL.replace("values[i] = factor", "values[i] = undeclared_name"))
    outcome = run(project, "an_error")
    assert outcome.returncode == 0 and "use of undeclared identifier 'undeclared_name'" in outcome.output
    assert outcome.output.rstrip().endswith("error generated when compiling for mp_22.")


def test_an_error_of_many_notes_is_short(project: Project) -> None:
    project.write("include/deep.h", HEADER)
    project.write("csrc/kernel.mu", SOURCE)
    outcome = run(project, "an_error")
    _, tail = re.split(r"1 step failed: .*; see: musa-build explain MB401 \[MB401\]", outcome.output)
    assert "no matching function for call to 'pick'" in tail and len(tail.splitlines()) < 20, outcome.output
    log = re.search(r"log: (\S+)\)", tail)
    assert log and Path(log[1]).read_text().count("note: ") > OVERLOADS


@pytest.mark.slow
def test_processes_and_threads_at_once_build_once(project: Project) -> None:
    environment = {**project.environment, "TORCH_EXTENSIONS_DIR": str(project.root / "cache")}
    command = [sys.executable, PROGRAM, "three_threads"]
    children = [
        subprocess.Popen(command, cwd=project.root, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [child.communicate(timeout=300)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sum(output.count("demo: link") for output in outputs) == 1


STANDALONE = (PROGRAMS / "standalone.cpp").read_text(encoding="utf-8")


def test_a_standalone_program(project: Project) -> None:
    """torch's is_standalone: the path of a program that runs by itself, with torch's libraries but without Python's."""
    project.write("csrc/main.cpp", STANDALONE)
    outcome = run(project, "standalone")
    assert outcome.returncode == 0, outcome.output
    (program,) = [line.removeprefix("program: ") for line in outcome.output.splitlines() if "program: " in line]
    ran = subprocess.run([program], capture_output=True, text=True, env=dict(project.environment), check=False)
    assert (ran.returncode, ran.stdout) == (0, "0 11 21 31\n"), ran.stderr
    linked = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    assert "torch_python" not in linked
