"""`load` and `load_inline`: compiled for the simulated SDK and run, in processes of their own as programs would."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from demo_project import BINDINGS, KERNEL, Outcome, Project
from test_diagnostics import HEADER, OVERLOADS, SOURCE

PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
from demo_project import check_kernel
from musa_build import load, load_inline
from musa_build.errors import MusaBuildError

def go(**options):
    return load("demo", ["csrc/bindings.cpp", "csrc/kernel.mu"], extra_include_paths=["include"], **options)

{body}
"""


def run(project: Project, body: str) -> Outcome:
    project.write("program.py", PROGRAM.format(tests=str(Path(__file__).parent), body=body))
    return project.script("program.py", TORCH_EXTENSIONS_DIR=str(project.root / "cache"), CC="gcc")


def test_load_runs_and_notices_flags_headers_and_sources(project: Project) -> None:
    outcome = run(
        project,
        """
module = go(verbose=True)
check_kernel(module)
assert go() is module
flagged = go(extra_musa_cflags=["-DMCC_FLAG=3"], extra_cflags=["-DCXX_FLAG=2"])
assert flagged.flags() == (1, 2, 3, 0) and module.flags() == (1, 0, 0, 0)
open("include/common.h", "w").write("#define OFFSET 8\\n")
edited = go()
check_kernel(edited, offset=8)
assert edited.flags() == (8, 0, 0, 0) and module.flags() == (1, 0, 0, 0)
""",
    )
    assert outcome.returncode == 0, outcome.output
    assert len(outcome.compiled) == 2, "only the first was asked to be verbose"
    written = [file.read_text() for file in (project.root / "cache").rglob("build.ninja")]
    assert written and all("--offload-arch=mp_22" in text and "-ccbin" not in text for text in written)


def test_every_fact_of_a_build_changes_its_directory(project: Project) -> None:
    """All facts that decide an object must be in the key: otherwise `load` would take the objects of other commands."""
    outcome = run(
        project,
        """
import os
from dataclasses import replace
from pathlib import Path
from musa_build.builder.context import BuildContext
from musa_build.builder.jit_plan import JitJob, job_key
from musa_build.builder.machine import Machine

def key(sources=("/a/kernel.mu", "/a/bindings.cpp"), flags=(), link=(), include=(), standalone=False, **changes):
    job = JitJob.of("demo", sources, dict(flags), list(link), list(include), standalone=standalone)
    context = BuildContext.find(Machine.read(), [job.spec])
    changed = {name: replace(getattr(context, name), **fields) for name, fields in changes.items()}
    context = replace(context, **changed)
    return job_key(job, context, context.toolchains(job.spec))

first = key()
assert key() == first
keys = {
    "source": key(sources=("/a/kernel.mu", "/b/bindings.cpp")),
    "flag of C++": key(flags={"cxx": ["-DA"]}),
    "flag of mcc": key(flags={"mcc": ["-DA"]}),
    "flag of nvcc": key(flags={"nvcc": ["--ftz=true"]}),
    "flag of the linker": key(link=["-lm"]),
    "include directory": key(include=["/a/include"]),
    "program": key(standalone=True),
    "torch": key(torch={"version": "0"}),
    "torch's headers": key(torch={"include_dirs": ()}),
    "ABI": key(torch={"cxx11_abi": False}),
    "torch_musa": key(torch_musa={"root": Path.cwd() / "torch_musa"}),
    "SDK": key(sdk={"version": "0"}),
    "compiler": key(cxx={"command": ("clang++",)}),
}
os.environ["TORCH_MUSA_ARCH_LIST"] = "21"
keys["architecture"] = key()
os.environ["TORCH_MUSA_ARCH_LIST"] = "22"
sys.version += "0"
keys["Python"] = key()
same = [name for name, value in keys.items() if value == first]
assert not same, same
assert len(set(keys.values())) == len(keys)
""",
    )
    assert outcome.returncode == 0, outcome.output


def test_a_compiler_older_than_its_objects_compiles_again(project: Project) -> None:
    """Package managers keep the time stamps of what they install: a new release may be older than an object."""
    outcome = run(
        project,
        """
import os

def compiler(flag):
    with open("c++", "w") as file:
        file.write(f'#!/bin/sh\\nexec g++ {flag} "$@"\\n')
    os.chmod("c++", 0o755)
    os.utime("c++", (1e9, 1e9))

os.environ["CXX"] = os.path.abspath("c++")
compiler("-DCXX_FLAG=5")
assert go().flags() == (1, 5, 0, 0)
assert go().flags() == (1, 5, 0, 0)
compiler("-DCXX_FLAG=61")
assert go().flags() == (1, 61, 0, 0), go().flags()
""",
    )
    assert outcome.returncode == 0, outcome.output


@pytest.mark.slow
def test_old_libraries_and_directories_go(project: Project) -> None:
    """Each edit makes a library. What the program has loaded stays, of the others the last two."""
    outcome = run(
        project,
        """
import os, time, torch
from pathlib import Path

first = go()
here = Path(first.__file__).parent
for offset in (2, 3, 4, 5):
    open("include/common.h", "w").write(f"#define OFFSET {offset}\\n")
    child = os.fork()
    if not child:
        assert go().flags()[0] == offset
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
libraries = {path.parent for path in here.parent.glob("*/demo.so")}
print("libraries:", len(libraries), here in libraries)

unused = {days: here.parent.parent / f"{days:016}" for days in (40, 50)}
for days, folder in unused.items():
    folder.mkdir()
    os.utime(folder, (time.time() - days * 86400,) * 2)
go()
print("directories:", [folder.exists() for folder in unused.values()])
""",
    )
    assert outcome.returncode == 0, outcome.output
    assert "libraries: 3 True" in outcome.output and "directories: [True, False]" in outcome.output


def test_a_macro_in_both_lists_of_flags_is_given_once(project: Project) -> None:
    """The same choice as in a setup.py, for a C++ source that mcc compiles."""
    outcome = run(
        project,
        """
module = go(extra_cflags=["force_mcc", "-DCXX_FLAG=2"], extra_musa_cflags=["-DCXX_FLAG=2", "-DMCC_FLAG=3"])
assert module.flags() == (1, 2, 3, 1), module.flags()
""",
    )
    assert outcome.returncode == 0, outcome.output
    (text,) = [file.read_text() for file in (project.root / "cache").rglob("build.ninja")]
    assert [line.count("-DCXX_FLAG=2") for line in text.splitlines() if "-DCXX_FLAG=2" in line] == [1, 1]


def test_load_inline(project: Project) -> None:
    project.write("main.txt", BINDINGS.replace('#include "common.h"', "#define OFFSET 1"))
    project.write("musa.txt", KERNEL.replace('#include "common.h"', "#define OFFSET 1"))
    outcome = run(
        project,
        """
texts = [open(name).read() for name in ("main.txt", "musa.txt")]
module = load_inline("demo", texts[0], [texts[1]], no_implicit_headers=True)
check_kernel(module)
""",
    )
    assert outcome.returncode == 0, outcome.output


def test_an_error_holds_the_compilers_text(project: Project) -> None:
    project.write("csrc/kernel.mu", KERNEL.replace("values[i] = factor", "values[i] = undeclared_name"))
    outcome = run(project, "try:\n    go()\nexcept MusaBuildError as error:\n    print(error)\n")
    assert outcome.returncode == 0 and "use of undeclared identifier 'undeclared_name'" in outcome.output
    assert outcome.output.rstrip().endswith("error generated when compiling for mp_22.")


def test_an_error_of_many_notes_is_short(project: Project) -> None:
    project.write("include/deep.h", HEADER)
    project.write("csrc/kernel.mu", SOURCE)
    outcome = run(project, "try:\n    go()\nexcept MusaBuildError as error:\n    print(error)\n")
    _, _, tail = outcome.output.partition("1 step failed; see: musa-build explain MB401 [MB401]")
    assert "no matching function for call to 'pick'" in tail and len(tail.splitlines()) < 20, outcome.output
    log = re.search(r"log: (\S+)\)", tail)
    assert log and Path(log[1]).read_text().count("note: ") > OVERLOADS


@pytest.mark.slow
def test_processes_and_threads_at_once_build_once(project: Project) -> None:
    run(project, "")  # writes program.py
    with (project.root / "program.py").open("a") as program:
        program.write("from concurrent.futures import ThreadPoolExecutor\n")
        program.write("with ThreadPoolExecutor(3) as pool:\n")
        program.write("    first, *others = pool.map(lambda _: go(verbose=True), range(3))\n")
        program.write("assert all(other is first for other in others)\n")
        program.write("check_kernel(first)\n")
    environment = {**project.environment, "TORCH_EXTENSIONS_DIR": str(project.root / "cache")}
    command = [sys.executable, "program.py"]
    children = [
        subprocess.Popen(command, cwd=project.root, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [child.communicate(timeout=300)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sum(output.count("demo: link") for output in outputs) == 1


STANDALONE = """
#include <cstdio>
int affine(float* values, int count, float factor);
int main() {
    float values[3] = {1, 2, 3};
    int status = affine(values, 3, 10);
    std::printf("%d %g %g %g\\n", status, values[0], values[1], values[2]);
    return status;
}
"""


def test_a_standalone_program(project: Project) -> None:
    """torch's is_standalone: the path of a program that runs by itself, with torch's libraries but without Python's."""
    project.write("csrc/main.cpp", STANDALONE)
    outcome = run(
        project,
        """
path = load("tool", ["csrc/main.cpp", "csrc/kernel.mu"], extra_include_paths=["include"], is_standalone=True)
print("program:", path)
""",
    )
    assert outcome.returncode == 0, outcome.output
    (program,) = [line.removeprefix("program: ") for line in outcome.output.splitlines() if "program: " in line]
    ran = subprocess.run([program], capture_output=True, text=True, env=dict(project.environment), check=False)
    assert (ran.returncode, ran.stdout) == (0, "0 11 21 31\n"), ran.stderr
    linked = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    assert "torch_python" not in linked
