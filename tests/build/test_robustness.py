"""Builds that are killed, that run at the same time, or whose sources cannot be written to."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Optional

import pytest
from demo_project import Project, check_kernel
from error_blocks import last_error

from musa_build.extension import refused_access

BUILD = (sys.executable, "setup.py", "build_ext", "--inplace")

# A compiler that stops half-way: it writes a broken object, says so in a file, and waits to be killed.
HANGING = """#!/bin/sh
stage=
case "$*" in *-shared*) stage=link;; *-c*) stage=compile;; esac
if [ -n "$stage" ] && [ -e "$HANG_AT" ] && [ "$(cat "$HANG_AT")" = "$stage" ]; then
    out=
    for word in "$@"; do [ "$out" = next ] && out=$word; [ "$word" = -o ] && out=next; done
    case "$out" in
        next | '') ;;
        *) echo broken > "$out"; echo $$ >> "$HANG_AT.reached"; exec sleep 600;;
    esac
fi
exec g++ "$@"
"""


def kill_at(stage: str, project: Project, tmp_path: Path, command: tuple[str, ...] = BUILD) -> Mapping[str, str]:
    """Starts a build, waits until it is in the middle of `stage`, and kills it and its children at once (SIGKILL).

    Returns the environment for the next build, in which the compiler works.
    """
    compiler, hang_at = tmp_path / "hanging-g++", tmp_path / "hang_at"
    compiler.write_text(HANGING)
    compiler.chmod(0o755)
    hang_at.write_text(stage)
    # the linker that setuptools uses is another variable
    environment = {"CXX": str(compiler), "LDCXXSHARED": f"{compiler} -shared", "HANG_AT": str(hang_at)}
    merged = {**project.environment, **environment}
    build = subprocess.Popen(
        command, cwd=project.root, env=merged, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    reached = Path(f"{hang_at}.reached")
    deadline = time.monotonic() + 120
    while not (reached.exists() and reached.read_text().strip()):
        assert build.poll() is None and time.monotonic() < deadline, build.communicate()[0].decode()
        time.sleep(0.05)
    os.killpg(build.pid, signal.SIGKILL)
    for compiler_id in reached.read_text().split():  # with process groups of their own, they outlive the build
        with suppress(ProcessLookupError):
            os.kill(int(compiler_id), signal.SIGKILL)
    build.communicate()
    hang_at.unlink()
    reached.unlink()
    return environment


@pytest.mark.parametrize("stage", ["compile", pytest.param("link", marks=pytest.mark.slow)])
def test_a_killed_build_leaves_nothing_that_hinders_the_next(stage: str, project: Project, tmp_path: Path) -> None:
    environment = kill_at(stage, project, tmp_path)
    assert not list(project.root.glob("demo.*.so"))
    after = project.built(**environment)
    assert after.steps, "what was half written is made again"
    check_kernel(project.load(), sizes=(64,))


@pytest.mark.slow
def test_a_killed_load_leaves_no_lock(project: Project, tmp_path: Path) -> None:
    project.write("jit.cpp", "#include <Python.h>\n" + MODULE)
    project.write(
        "load.py",
        "import musa_build\n"
        "print('answer:', musa_build.load('jit', 'jit.cpp', build_directory='jit', verbose=True).answer())\n",
    )
    environment = kill_at("compile", project, tmp_path, (sys.executable, "load.py"))
    outcome = project.run("load.py", **environment)
    assert outcome.returncode == 0 and "answer: 42" in outcome.output, outcome.output


MODULE = """
static PyObject* answer(PyObject*, PyObject*) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "jit", "", -1, methods};
PyMODINIT_FUNC PyInit_jit() { return PyModule_Create(&definition); }
"""


@pytest.mark.slow
def test_two_pips_at_once(project: Project, tmp_path: Path) -> None:
    """Of one source tree: they share the build directory."""
    install = (
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "--target",
    )
    folders = (tmp_path / "one", tmp_path / "two")
    running = [
        subprocess.Popen(
            [*install, str(folder), "."],
            cwd=project.root,
            env=dict(project.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for folder in folders
    ]
    for process in running:
        output, _ = process.communicate()
        assert process.returncode == 0, output
    for folder in folders:
        check_kernel(project.load(folder=str(folder)), sizes=(64,))


def without_roots_rights() -> list[str]:
    """Return a prefix of a command that makes permissions hold for it, even where the tests run as root."""
    if os.geteuid() != 0:
        return []
    prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which("setpriv") is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    return prefix


@pytest.fixture
def read_only(project: Project) -> Iterator[Project]:
    folders = [project.root, *(path for path in project.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield project
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.slow
def test_a_read_only_source_tree(read_only: Project, tmp_path: Path) -> None:
    """The error is one sentence; with the two options that it names, the build works."""

    def build(*options: str) -> subprocess.CompletedProcess[str]:
        command = [*without_roots_rights(), sys.executable, "setup.py", "build_ext", *options]
        return subprocess.run(
            command,
            cwd=read_only.root,
            env=dict(read_only.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    refused = build()
    assert refused.returncode == 1 and "Traceback" not in refused.stdout
    last = last_error(refused.stdout)
    assert "error: permission denied while writing build output" in last and "--build-temp DIR --build-lib DIR" in last
    before = sorted(read_only.root.rglob("*"))
    assert "[MB204]" in last
    built = build("--build-temp", str(tmp_path / "temporary"), "--build-lib", str(tmp_path / "library"))
    assert built.returncode == 0, built.stdout
    assert sorted(read_only.root.rglob("*")) == before and list((tmp_path / "library").glob("demo.*.so"))


@pytest.mark.slow
def test_a_source_that_may_not_be_read_is_named(project: Project) -> None:
    (project.root / "csrc" / "kernel.mu").chmod(0)
    done = subprocess.run(
        [*without_roots_rights(), sys.executable, "setup.py", "build_ext"],
        cwd=project.root,
        env=dict(project.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 1 and "Traceback" not in done.stdout, done.stdout
    last = last_error(done.stdout)
    assert "error: a source of demo cannot be read; found: permission denied: csrc/kernel.mu" in last


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        (errno.EACCES, "readable", "permission denied while writing build output"),
        (errno.EACCES, "secret", "permission denied while reading"),
        (errno.EACCES, "closed/inside", "permission denied while reading"),
        (errno.EACCES, "missing", "permission denied while writing build output"),
        (errno.EROFS, "readable", "the file system of the build output is read-only"),
        (errno.ENOSPC, None, "no space is left for build output"),
    ],
)
def test_what_was_refused(
    code: int, name: Optional[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file, mode in (("readable", 0o444), ("secret", 0)):
        (tmp_path / file).touch(mode=mode)
    (tmp_path / "closed").mkdir()
    closed = {str(tmp_path / "secret"), str(tmp_path / "closed")}
    # root may read everything
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) not in closed)
    error = refused_access(OSError(code, os.strerror(code), *([str(tmp_path / name)] if name else [])))
    assert error is not None and str(error).startswith(said) and os.strerror(code) in str(error)
    assert refused_access(FileNotFoundError(errno.ENOENT, "No such file")) is None
