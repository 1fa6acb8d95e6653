"""Nothing stale: what makes a build compile or link again, beside sources and flags (test_build_extension.py).

A project of one C++ source or one with a kernel, without torch's headers; each test changes one thing after another.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from demo_project import KERNEL, Outcome, Project

from musa_build.system.files import PORTING_MANIFEST
from musa_build.toolchain.link_inputs import link_inputs

SOURCE = """
#include <Python.h>
#include "system.h"
extern "C" int archived(); extern "C" int shared(); extern "C" int object();
#ifndef FROM_FILE
#define FROM_FILE 0
#endif
#ifndef FROM_COMPILER
#define FROM_COMPILER 0
#endif
static PyObject* values(PyObject*, PyObject*) {
    return Py_BuildValue("(iiiiii)", SYSTEM, FROM_FILE, FROM_COMPILER, archived(), shared(), object());
}
static PyMethodDef methods[] = {{"values", values, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "demo", "", -1, methods};
PyMODINIT_FUNC PyInit_demo() { return PyModule_Create(&definition); }
"""
OPTIONS = (
    'libraries=["archived", "shared"], library_dirs=["early", "lib"], extra_objects=["lib/object.lo"], '
    'runtime_library_dirs=[os.path.abspath("lib")], '
    'extra_compile_args=["-isystem", "third_party", "@flags.txt"], '
    'extra_link_args=["-Wl,--version-script=exports.map", "@link.txt"]'
)
OLD = 1_000_000_000  # seconds, in the year 2001


def make(project: Project, name: str, value: int, old: bool = False) -> Path:
    """A library or an object with one function that returns `value`."""
    path = project.root / name
    function = path.name.removeprefix("lib").partition(".")[0]
    text = f"int {function}() {{ return {value}; }}\n"
    path.parent.mkdir(exist_ok=True)
    target = path.with_suffix(".o") if path.suffix == ".a" else path
    kind = ["-shared"] if path.suffix == ".so" else ["-c"]
    compiler = ["gcc", "-fPIC", *kind, "-x", "c", "-", "-o", str(target)]
    subprocess.run(compiler, input=text, text=True, check=True)
    if path.suffix == ".a":
        path.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", str(path), str(target)], check=True)
        target.unlink()
    if old:
        os.utime(path, (OLD, OLD))
    return path


@pytest.fixture
def stale(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, built once."""
    project.write("csrc/demo.cpp", SOURCE)
    project.write("third_party/system.h", "#define SYSTEM 1\n")
    project.write("flags.txt", "-DFROM_FILE=1")
    project.write("exports.map", "{ global: PyInit_demo; local: *; };\n")
    project.write("link.txt", "-Wl,-O1")
    write_compiler(project, 1)
    make(project, "lib/libarchived.a", 1)
    make(project, "lib/libshared.so", 1)
    make(project, "lib/object.lo", 1)
    project.configure(extensions=f'Extension("demo", ["csrc/demo.cpp"], {OPTIONS})', prelude="import os")
    assert len(built(project).compiled) == 1
    assert project.load().values() == (1, 1, 1, 1, 1, 1)
    return project


def write_compiler(project: Project, value: int, old: bool = False) -> None:
    project.write("compiler/c++", f'#!/bin/sh\n# {"release" * value}\nexec g++ -DFROM_COMPILER={value} "$@"\n')
    program = project.root / "compiler" / "c++"
    program.chmod(0o755)
    if old:
        os.utime(program, (OLD, OLD))


def built(project: Project, *arguments: str, **environment: str) -> Outcome:
    environment.setdefault("CXX", str(project.root / "compiler" / "c++"))
    outcome = project.build(*arguments, **environment)
    assert outcome.returncode == 0, outcome.output
    return outcome


def work(outcome: Outcome) -> tuple[int, int]:
    return len(outcome.compiled), outcome.linked


def test_what_a_linker_reads_makes_it_link_again(stale: Project) -> None:
    assert work(built(stale)) == (0, 0)
    make(stale, "lib/libarchived.a", 20)
    assert work(built(stale)) == (0, 1) and stale.load().values()[3:] == (20, 1, 1)
    make(stale, "lib/libarchived.a", 300, old=True)
    assert work(built(stale)) == (0, 1) and stale.load().values()[3:] == (300, 1, 1), "an older file is another one"
    make(stale, "lib/libshared.so", 2)
    assert work(built(stale)) == (0, 1)
    make(stale, "lib/object.lo", 4)
    assert work(built(stale)) == (0, 1) and stale.load().values()[5] == 4
    stale.write("exports.map", "{ global: PyInit_demo; other; local: *; };\n")
    assert work(built(stale)) == (0, 1)
    stale.write("link.txt", "-Wl,-O2")
    assert work(built(stale)) == (0, 1)
    make(stale, "early/libarchived.a", 5, old=True)
    assert work(built(stale)) == (0, 1) and stale.load().values()[3] == 5, "it is found first now"
    assert work(built(stale)) == (0, 0)


def test_what_a_compiler_reads_makes_it_compile_again(stale: Project) -> None:
    stale.write("third_party/system.h", "#define SYSTEM 2\n")
    assert work(built(stale)) == (1, 1) and stale.load().values()[0] == 2, "by -isystem, as of another package"
    stale.write("flags.txt", "-DFROM_FILE=2")
    assert work(built(stale)) == (1, 1) and stale.load().values()[1] == 2
    write_compiler(stale, 2, old=True)
    assert work(built(stale)) == (1, 1) and stale.load().values()[2] == 2, "a release that is older than the object"
    stale.write("first/system.h", "#define SYSTEM 7\n")
    assert work(built(stale, CPATH="first"))[0] == 1 and stale.load().values()[0] == 7
    assert work(built(stale, CPATH="first")) == (0, 0)


def write_kernel_that_tells_cuda(project: Project) -> None:
    """flags()[2] is 1 where the kernel's file is compiled as what was CUDA's, without half's operators."""
    project.write("csrc/kernel.mu", "#ifdef __MUSA_NO_HALF_OPERATORS__\n#define MCC_FLAG 1\n#endif\n" + KERNEL)


@pytest.mark.slow
def test_a_porting_manifest_that_comes_or_goes_compiles_kernels_again(project: Project) -> None:
    write_kernel_that_tells_cuda(project)
    project.built()
    assert project.load().flags()[2] == 0
    project.write(f"csrc/{PORTING_MANIFEST}", "{}")
    assert "mcc csrc/kernel.mu" in project.built().compiled and project.load().flags()[2] == 1
    (project.root / "csrc" / PORTING_MANIFEST).unlink()
    assert "mcc csrc/kernel.mu" in project.built().compiled and project.load().flags()[2] == 0


def test_a_porting_manifest_above_the_project_decides_nothing(project: Project) -> None:
    write_kernel_that_tells_cuda(project)
    (project.root.parent / PORTING_MANIFEST).write_text("{}")
    project.built()
    assert project.load().flags()[2] == 0


def test_force_makes_all_anew(stale: Project) -> None:
    assert work(built(stale, "--force")) == (1, 1)
    assert work(built(stale)) == (0, 0)


def test_a_hook_of_the_projects_own_is_asked_each_time(stale: Project) -> None:
    """Its result may depend on anything."""
    own = (
        "import os, pathlib\n"
        "class Own(BuildExtension):\n"
        "    def get_libraries(self, ext):\n"
        "        return [*super().get_libraries(ext), pathlib.Path('library.txt').read_text()]\n"
    )
    for name in ("dl", "rt"):
        stale.write("library.txt", name)
        extensions = f'Extension("demo", ["csrc/demo.cpp"], {OPTIONS})'
        stale.configure(extensions=extensions, prelude=own, command="Own")
        built(stale)
        (ninja,) = stale.root.rglob("build.ninja")
        assert f"-l{name}" in ninja.read_text().split()


def test_a_failure_keeps_nothing_from_being_compiled_in_the_second_build_too(project: Project) -> None:
    project.write("csrc/one.cpp", "#error one\n")
    project.write("csrc/two.cpp", "#error two\n")
    project.configure(
        extensions='Extension("demo", ["csrc/one.cpp", "csrc/two.cpp"])',
        prelude="class Own(BuildExtension):\n    keep_going = True\n",
        command="Own",
    )
    for _ in range(2):
        outcome = project.build(MAX_JOBS="1")
        assert outcome.returncode == 1 and "error: 2 steps failed" in outcome.output, outcome.output


def test_what_a_linker_looks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/libone.a", "b/libone.so", "b/libtwo.so", "b/libtwo.a", "b/libthree.so.3", "system/libc.so"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    for name in ("script.ld", "exports.map", "names.txt", "bare.a", "x.o"):
        Path(name).touch()
    Path("more.txt").write_text("-Lb '-l:libthree.so.3'")
    command = "c++ -shared x.o -La -lone @more.txt -ltwo -Wl,-Bstatic -ltwo -Wl,-Bdynamic -lc -lmissing bare.a"
    command += " -Wl,-T,script.ld -Wl,--version-script=exports.map -Xlinker --dynamic-list -Xlinker names.txt"
    command += " -Wl,-soname,x.o -Wl,-rpath,a -z now -o demo.so"
    found = link_inputs(command.split(), ("system",))
    assert set(found.files) == {
        *("more.txt", "x.o", "bare.a", "script.ld", "exports.map", "names.txt"),
        *("a/libone.a", "b/libthree.so.3", "b/libtwo.so", "b/libtwo.a", "system/libc.so"),
    }
    lacking = set(found.candidates) - set(found.files)
    assert {"a/libone.so", "a/libtwo.so", "b/libc.a", "system/libmissing.a"} <= lacking
    assert "b/libone.so" not in found.candidates, "the first directory has one"
