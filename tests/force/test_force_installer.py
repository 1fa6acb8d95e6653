"""`musa-build install` reports on an install: dependencies, operators, and pip where it is silent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from forcing import Project

from musa_build.force_musa import installer
from musa_build.force_musa.installer import Installed
from musa_build.force_musa.report import VARIABLE, BuiltExtension, ExcludedSource, Ported, Report
from musa_build.force_musa.self_test import code_for_musa, missing_dependencies

METADATA = """Metadata-Version: 2.1
Name: demo-of-requirements
Version: 1.0
Requires-Dist: torch>=2
Requires-Dist: numpy>=900
Requires-Dist: not-there-at-all (>=1.0,<2)
Requires-Dist: not-there-here; python_version >= "3.8"
Requires-Dist: for-another-system; sys_platform == "win32"
Requires-Dist: for-an-extra; extra == "all"
Provides-Extra: all
"""


def test_dependencies_with_markers_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "demo_of_requirements-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA)
    monkeypatch.syspath_prepend(str(tmp_path))
    missing = tuple(missing_dependencies("demo-of-requirements"))
    assert missing == ("numpy>=900", "not-there-at-all<2,>=1.0", "not-there-here")
    lines = Installed(Report("demo", "1.0", 1), {}, {}, missing).lines()
    assert lines[-1] == "not installed yet: pip install 'numpy>=900' 'not-there-at-all<2,>=1.0' not-there-here"


@pytest.mark.parametrize(
    ("requirement", "name"),
    [("mmcv==2.2.0", "mmcv"), ("a.b_c[x]>=1", "a.b_c"), ("./mmcv", ""), ("https://example.org/mmcv-2.2.0.tar.gz", "")],
)
def test_the_name_in_a_requirement(requirement: str, name: str) -> None:
    assert installer._project_name(requirement) == name


@pytest.mark.compiles  # the self-test imports torch_musa, which is compiled
def test_the_self_test_looks_where_pip_installed(tmp_path: Path) -> None:
    for options in (("-U", "--target", "there"), ("--target=there",), ("-t", "there", "-U")):
        assert installer._target(options) == Path("there").absolute()
    folder = tmp_path / "demo_of_target-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA.replace("demo-of-requirements", "demo-of-target"))
    result = installer._self_tested(Report("demo-of-target", "1.0", 1), tmp_path)
    assert result.missing == ("numpy>=900", "not-there-at-all<2,>=1.0", "not-there-here")


def test_a_report_is_read_as_it_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ported = Ported(files=7, edits=110, warnings=1, findings={"warp-32": 1, "double": 3})
    built = (BuiltExtension("a._C", for_musa=True, sources=4), BuiltExtension("a.cpu", for_musa=False, sources=1))
    report = Report("a", "2.0", 3, built, (ExcludedSource("a._C", "k.mu", "error: no", ("f()",)),), "why", ported)
    report.save()  # the environment names no file
    monkeypatch.setenv(VARIABLE, str(tmp_path / "report.json"))
    report.save()
    assert Report.load(tmp_path / "report.json") == report
    assert "ported: 7 files, 110 edits, 1 warning" in report.lines()


def test_which_code_an_operator_has_for_musa() -> None:
    library = torch.library.Library("installer_demo", "DEF")
    for name, key in (("own", "PrivateUse1"), ("any", "CompositeImplicitAutograd"), ("cpu", "CPU"), ("no", None)):
        library.define(f"{name}(Tensor x) -> Tensor")
        if key:
            library.impl(name, lambda x: x, key)
    kinds = {name: code_for_musa(torch, f"installer_demo::{name}") for name in ("own", "any", "cpu", "no")}
    assert kinds == {"own": "musa", "any": "all devices", "cpu": "none", "no": "none"}
    said = "\n".join(Installed(Report("demo", "1.0", 1), {}, kinds).lines())
    assert "with a MUSA implementation: 1 of 4" in said
    assert "one implementation for all devices, not tested: any" in said
    assert "operator without a MUSA implementation: cpu\noperator without a MUSA implementation: no" in said


def test_a_pip_that_fails_without_a_word(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    """pip installs an old setuptools where there is no pkg_resources, and is killed as in a container."""
    project = new_project("")
    (project.folder / "setup.py").write_text("from setuptools import setup\nsetup(name='pure', py_modules=['pure'])\n")
    hide = tmp_path / "sitecustomize"
    hide.mkdir()
    (hide / "sitecustomize.py").write_text(
        "import importlib.util, os, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'pkg_resources' else find(name, *a)\n"
        "if sys.argv[0] == '-m' and 'pip' in sys.orig_argv:\n    os._exit(9)\n"
    )
    command = [sys.executable, "-m", "musa_build", "install", str(project.folder)]
    environment = {**project.environment, "PYTHONPATH": str(hide)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "pip exited with code 9 and printed no error" in done.stderr


@pytest.mark.slow
def test_a_package_that_is_left_alone_is_named_without_verbose(new_project: Callable[[str], Project]) -> None:
    project = new_project("")
    (project.folder / "setup.py").write_text(
        "from setuptools import setup\nimport torch.utils.cpp_extension\nfrom musa_build import MUSAExtension\n"
        "setup(name='pure', py_modules=[])\n"
    )
    target = project.folder.parent / "installed"
    command = [sys.executable, "-m", "musa_build", "install", str(project.folder), "--target", str(target)]
    done = subprocess.run(command, env=project.environment, capture_output=True, text=True, check=False)
    assert "this package is not modified" in done.stdout + done.stderr
