"""The facts that decide a graph: each is changed in turn, and the graph of the build before must not be used."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import setuptools
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

from musa_build import BuildExtension, MUSAExtension
from musa_build.builder import incremental
from musa_build.builder.incremental import Fingerprint, step_environment
from musa_build.builder.machine import Machine
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings
from musa_build.system.files import PORTING_MANIFEST


class NewCompiler:
    """setuptools' compiler object, for any release of setuptools."""

    def __new__(cls) -> Any:
        from setuptools._distutils.ccompiler import new_compiler
        from setuptools._distutils.sysconfig import customize_compiler

        compiler = new_compiler()
        customize_compiler(compiler)
        return compiler


@dataclass
class Case:
    """A project in a folder with an SDK, a compiler and packages that are files of its own, and its build_ext."""

    root: Path
    command: Any
    patch: pytest.MonkeyPatch

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, text: str = "") -> Path:
        path = self.write(name, f"#!/bin/sh\n{text}")
        path.chmod(0o755)
        return path

    @property
    def extension(self) -> Any:
        return self.command.extensions[0]

    def facts(self) -> Fingerprint | None:
        taken = Fingerprint.take(self.command, Machine(Settings.read()))
        return taken if isinstance(taken, Fingerprint) else None

    def swap_class(self, **attributes: Any) -> None:
        """As if the project's own subclass were the command."""
        self.command.__class__ = type("Own", (BuildExtension,), attributes)


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    for name in list(os.environ):
        if incremental._VARIABLES.fullmatch(name) or incremental._COMPILER_VARIABLES.fullmatch(name):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    made = Case(tmp_path, None, monkeypatch)
    made.program("bin/c++")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.defpath}")
    monkeypatch.setenv("TORCH_MUSA_ARCH_LIST", "22")
    monkeypatch.setenv("MUSA_BUILD_LAUNCHER", "none")
    monkeypatch.setenv("MUSA_HOME", str(made.program("sdk/bin/mcc").parents[1]))
    made.write("sdk/version.json", '{"musa_toolkits": {"version": "4.2"}}')
    for name in ("torch", "torch_musa", "Cython"):
        made.write(f"site/{name}/__init__.py", "")
        monkeypatch.delitem(sys.modules, name, raising=False)
    made.write("site/torch/utils/cpp_extension.py", "")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    made.write("csrc/k.mu", "")
    distribution = Distribution({"name": "x", "ext_modules": [MUSAExtension("demo", ["csrc/k.mu"], libraries=["f"])]})
    made.command = BuildExtension(distribution)
    made.command.ensure_finalized()
    made.command.compiler = NewCompiler()
    return made


def environment(name: str, value: str = "-DX") -> Callable[[Case], None]:
    return lambda case: case.patch.setenv(name, value)


def rewritten(name: str) -> Callable[[Case], None]:
    """A file that is replaced by another one of the same age and length: package managers keep time stamps."""

    def change(case: Case) -> None:
        path = case.root / name
        before = path.stat()
        path.write_bytes(path.read_bytes() + b" ")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    return change


def manifest_above(case: Case) -> None:
    case.write(f"csrc/{PORTING_MANIFEST}", "{}")


def changed_suffix(case: Case) -> None:
    """As setup.py does it to name its libraries: in distutils' copy of what sysconfig says."""
    module = sys.modules.get("distutils.sysconfig") or sys.modules["setuptools._distutils.sysconfig"]
    case.patch.setitem(module.get_config_vars(), "EXT_SUFFIX", ".so")


def another_engine(case: Case) -> None:
    """An own file of musa_build that has changed, in a copy of its folder."""
    for name in ("plan.py", "launchers/mcc_launcher.sh"):
        case.write(f"engine/{name}", "old")
    case.patch.setattr(incremental, "_PACKAGE", case.root / "engine")
    case.patch.setattr(incremental, "MCC_LAUNCHER", case.root / "engine" / "launchers" / "mcc_launcher.sh")


def another_directory(case: Case) -> None:
    case.write("elsewhere/csrc/k.mu", "")
    case.patch.chdir(case.root / "elsewhere")


def a_card(case: Case) -> None:
    case.patch.delenv("TORCH_MUSA_ARCH_LIST")


def a_launcher(case: Case) -> None:
    case.program("bin/ccache")
    case.patch.setenv("MUSA_BUILD_LAUNCHER", "ccache")


def a_linker(case: Case) -> None:
    """g++, or as Debian's Python names it: x86_64-linux-gnu-g++."""
    case.program(f"bin/{Path(case.command.compiler.linker_so_cxx[0]).name}")


CHANGES: list[tuple[str, str, Callable[[Case], None]]] = [
    ("python", "interpreter", lambda case: case.patch.setattr(sys, "executable", "/other/python")),
    ("python", "release", lambda case: case.patch.setattr(sys, "version", "3.99.0")),
    ("python_build", "sysconfig", lambda case: case.patch.setitem(sysconfig.get_config_vars(), "LIBDIR", "/other")),
    ("python_build", "distutils", changed_suffix),
    ("outputs", "EXT_SUFFIX", changed_suffix),
    ("engine", "files", another_engine),
    ("packages", "torch", rewritten("site/torch/__init__.py")),
    ("packages", "cpp_extension", rewritten("site/torch/utils/cpp_extension.py")),
    ("packages", "torch_musa", rewritten("site/torch_musa/__init__.py")),
    ("packages", "Cython", rewritten("site/Cython/__init__.py")),
    ("packages", "setuptools", lambda case: case.patch.setattr(setuptools.__spec__, "origin", "/other/__init__.py")),
    ("programs", "c++", rewritten("bin/c++")),
    ("programs", "mcc", rewritten("sdk/bin/mcc")),
    ("programs", "another c++ before it", lambda case: (case.program("first/c++"), environment("PATH", "first")(case))),
    ("programs", "the linker", a_linker),
    ("launcher", "ccache", a_launcher),
    ("sdk", "version", rewritten("sdk/version.json")),
    ("cards", "found", a_card),
    ("settings", "pyproject.toml", lambda case: case.write("pyproject.toml", "[tool.musa-build]\npch = false\n")),
    ("environment", "CFLAGS", environment("CFLAGS")),
    ("environment", "CXXFLAGS", environment("CXXFLAGS")),
    ("environment", "CPPFLAGS", environment("CPPFLAGS")),
    ("environment", "LDFLAGS", environment("LDFLAGS")),
    ("environment", "CC", environment("CC", "clang")),
    ("environment", "CPATH", environment("CPATH", "/other/include")),
    ("environment", "MUSA_SIM_CPU", environment("MUSA_SIM_CPU", "x86-64")),
    ("environment", "LIBRARY_PATH", environment("LIBRARY_PATH", "/other/lib")),
    ("environment", "TORCH_CXX_FLAGS", environment("TORCH_CXX_FLAGS")),
    ("directory", "of the project", another_directory),
    ("options", "debug", lambda case: setattr(case.command, "debug", True)),
    ("options", "build_temp", lambda case: setattr(case.command, "build_temp", "elsewhere")),
    ("options", "swig_opts", lambda case: setattr(case.command, "swig_opts", ["-c++"])),
    ("options", "data of a subclass", lambda case: case.swap_class(keep_going=True)),
    ("compiler", "flags", lambda case: case.command.compiler.compiler_so.append("-DX")),
    ("extensions", "macros", lambda case: case.extension.define_macros.append(("X", "1"))),
    ("extensions", "libraries", lambda case: case.extension.libraries.append("g")),
    ("extensions", "arch", lambda case: setattr(case.extension, "arch", "31")),
    ("extensions", "class", lambda case: setattr(case.extension, "__class__", Extension)),
    ("porting", "manifest", manifest_above),
]


@pytest.mark.parametrize(("fact", "change"), [pytest.param(f, c, id=f"{f}-{what}") for f, what, c in CHANGES])
def test_each_fact_makes_another_key(
    fact: str, change: Callable[[Case], None], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The vendor's program reads the card; here the result is given.
    monkeypatch.setattr(MusaSdk, "cards", lambda self: ("mp_31",))
    before = case.facts()
    assert before is not None and before == case.facts() and before.key == case.facts().key
    change(case)
    after = case.facts()
    assert after is not None and after.key != before.key
    assert getattr(after, fact) != getattr(before, fact)


def test_every_fact_is_changed_above() -> None:
    assert {fact for fact, _, _ in CHANGES} == {field.name for field in fields(Fingerprint)}


def test_jobs_and_progress_decide_nothing(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    before = case.facts()
    monkeypatch.setenv("MAX_JOBS", "7")
    monkeypatch.setenv("MUSA_BUILD_VERBOSE", "1")
    assert before is not None and case.facts() == before


def a_hook(self: Any, *_: Any) -> list[str]:
    return ["rt"]


FOREIGN: dict[str, Callable[[Case], None]] = {
    "a hook of a subclass": lambda case: case.swap_class(get_libraries=a_hook),
    "a property of a subclass": lambda case: case.swap_class(swig_opts=property(a_hook)),
    "a class method of a subclass": lambda case: case.swap_class(get_export_symbols=classmethod(a_hook)),
    "a method of torch's class": lambda case: case.swap_class(_add_compile_flag=a_hook),
    "a hook that setup.py replaced": lambda case: case.patch.setattr(build_ext, "get_libraries", a_hook),
    "a hook of this command": lambda case: setattr(case.command, "get_libraries", a_hook),
    "a patched compiler": lambda case: setattr(case.command.compiler, "spawn", a_hook),
    "a patched compiler class": lambda case: case.patch.setattr(type(case.command.compiler), "link", a_hook),
    "an extension that computes": lambda case: setattr(
        case.extension, "__class__", type("Own", (MUSAExtension,), {"libraries": property(a_hook)})
    ),
    "a generated source": lambda case: case.extension.sources.append("a.pyx"),
    "a missing source": lambda case: case.extension.sources.append("missing.cpp"),
}


@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN)
def test_what_cannot_be_compared_is_planned_each_time(change: Callable[[Case], None], case: Case) -> None:
    assert case.facts() is not None
    change(case)
    assert case.facts() is None


def test_forced_builds_are_planned_each_time(case: Case) -> None:
    assert isinstance(case.command._fingerprint(Machine(Settings.read())), Fingerprint)
    case.command.force = True
    assert case.command._fingerprint(Machine(Settings.read())) == "--force"


def test_what_runs_in_every_build_may_be_overridden(case: Case) -> None:
    """Its effects are seen: it has run before."""
    case.swap_class(run=a_hook, build_extensions=a_hook, finalize_options=a_hook, __init__=a_hook)
    assert case.facts() is not None


def test_a_step_knows_more_than_its_command(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of the environment that compiles again although no command has changed."""
    sdk = MusaSdk.find(Settings.read())
    seen = [step_environment(sdk)]
    for change in (
        rewritten("site/torch/__init__.py"),
        rewritten("site/torch_musa/__init__.py"),
        rewritten("sdk/version.json"),
        environment("CPLUS_INCLUDE_PATH", "/other"),
        lambda case: case.patch.setattr(sys, "version", "3.99.0"),
    ):
        change(case)
        seen.append(step_environment(sdk))
    assert len(set(seen)) == 6
    monkeypatch.setenv("TORCH_MUSA_ARCH_LIST", "31")
    assert step_environment(sdk) == seen[-1], "commands show that"
    alone = step_environment(sdk, ("torch",))
    rewritten("site/torch_musa/__init__.py")(case)
    assert step_environment(sdk, ("torch",)) == alone


@pytest.mark.parametrize(
    ("source", "manifest", "found"),
    [
        ("csrc/deep/k.mu", "project/csrc", True),
        ("csrc/deep/k.mu", "project", True),
        ("csrc/deep/k.mu", ".", False),
        ("../ported/deep/k.mu", "ported", True),
        ("../ported/deep/k.mu", "project", False),
        ("../home/cache/k.mu", "home/cache", True),
        ("../home/cache/k.mu", "home", False),
        ("../other/csrc/k.mu", "other", True),
        ("../other/csrc/k.mu", ".", False),
    ],
)
def test_a_manifest_of_porting_counts_within_its_project(
    source: str, manifest: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("project", "ported", "home", "other/.git", manifest):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / manifest / PORTING_MANIFEST).write_text("{}")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert bool(incremental.files.porting_manifests([source])) is found
