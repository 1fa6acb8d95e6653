"""Objects of a package in a temporary folder are kept in a build directory, which one build at a time locks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Project

from musa_build.force_musa import build_environment
from musa_build.force_musa.package_name import Package

DEMO = Package("demo", "1.0")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "k.cu").write_text("__global__ void k();\n")
    return tmp_path / "one"


def test_the_same_sources_elsewhere_have_the_same_directory(tree: Path) -> None:
    """pip unpacks a source distribution into another folder each time."""
    before = build_environment.cached_build_directory(DEMO, tree)
    (tree / "notes.txt").write_text("")
    assert build_environment.cached_build_directory(DEMO, tree.rename(tree.with_name("two"))) == before


def test_other_sources_of_the_same_name_and_version_have_another(tree: Path) -> None:
    before = build_environment.cached_build_directory(DEMO, tree)
    (tree / "k.cu").write_text("__global__ void other();\n")
    assert build_environment.cached_build_directory(DEMO, tree) != before


def test_nameless_packages_share_nothing(tree: Path) -> None:
    nameless = Package("UNKNOWN", "0.0.0")
    before = build_environment.cached_build_directory(nameless, tree)
    (tree / "k.cu").rename(tree / "l.cu")
    assert build_environment.cached_build_directory(nameless, tree) != before


def test_another_environment_has_another(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build_environment.cached_build_directory(DEMO, tree)
    with monkeypatch.context() as patch:
        patch.setattr(build_environment, "installed_torch_version", lambda: "2.0.0")
        assert build_environment.cached_build_directory(DEMO, tree) != before
    with monkeypatch.context() as patch:
        patch.setattr(sys, "prefix", "/another/environment")
        assert build_environment.cached_build_directory(DEMO, tree) != before
    assert build_environment.cached_build_directory(DEMO, tree) == before


PROGRAMS = Path(__file__).with_name("programs")
SETUP = (PROGRAMS / "setup_with_a_lock.py").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.compiles
def test_a_directory_is_locked_from_porting_to_the_last_link(new_project: Callable[[str], Project]) -> None:
    project = new_project("")
    (project.folder / "setup.py").write_text(SETUP)
    (project.folder / "k.cu").write_text("__global__ void k() {}\n")
    outcome = project.setup("build_ext")
    assert outcome.returncode == 0, outcome.output
    assert "ported: True held: True" in outcome.output and "compiled, held: True" in outcome.output


@pytest.mark.slow
@pytest.mark.compiles
def test_a_directory_that_was_chosen_is_used(new_project: Callable[[str], Project]) -> None:
    project = new_project("")
    (project.folder / "setup.py").write_text(SETUP)
    (project.folder / "k.cu").write_text("__global__ void k() {}\n")
    outcome = project.setup("build_ext", "--build-temp", "chosen")
    assert outcome.returncode == 0, outcome.output
    assert (project.folder / "chosen" / "force.lock").exists()
