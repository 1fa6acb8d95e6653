"""`musa-build new`: what it makes, what it refuses, and whether the projects build and pass their tests."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from error_blocks import only_error
from workflow_runner import Run, Runner

from musa_build.errors import ProjectError
from musa_build.new_project import KINDS, TEMPLATES, create, package_name

COMMON = {
    ".github/workflows/test.yml",
    ".gitignore",
    "README.md",
    "csrc/bindings.cpp",
    "csrc/scaled_add.mu",
    "src/my_ops/__init__.py",
    "src/my_ops/ops.py",
    "tests/test_scaled_add.py",
}
OWN = {
    "setuptools": {"pyproject.toml", "setup.py"},
    "scikit-build-core": {"pyproject.toml", "CMakeLists.txt"},
    "cmake": {"CMakeLists.txt", "pytest.ini"},
    "jit": {"src/my_ops/extension.py", "pytest.ini"},
}


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_of_a_project(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "a folder" / "made"
    assert {*create("my-ops", kind, folder)} == files_in(folder) == COMMON | OWN[kind]
    for path in folder.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"))
    assert not any(
        "{{ " in path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.suffix in (".py", ".md")
    )
    workflow = yaml.safe_load((folder / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["test"]["steps"]
    assert "--check=${{ matrix.check }} --report=findings.html -- pytest tests" in steps[-2]["run"]
    report = {"name": "findings-${{ strategy.job-index }}", "path": "findings.html", "if-no-files-found": "ignore"}
    assert steps[-1]["if"] == "always()" and steps[-1]["with"] == report
    (installs,) = [step["run"] for step in steps if step.get("name") == "PyTorch, and a MUSA SDK on the CPU"]
    assert "pip install torch --index-url https://download.pytorch.org/whl/cpu\n" in installs


@pytest.mark.parametrize("kind", KINDS)
def test_the_readme_installs_what_the_workflow_does(kind: str, tmp_path: Path) -> None:
    create("my-ops", kind, tmp_path / "made")
    readme = (tmp_path / "made/README.md").read_text(encoding="utf-8")
    for name in ("torch", "wheel", "numpy", "pytest", '"musa-build[sim]"', "torch-musa-sim", *KINDS[kind].requirements):
        assert re.search(rf"^pip install .*{re.escape(name)}", readme, re.MULTILINE), name
    assert readme.index("pip install torch ") < readme.index("export MUSA_BUILD_SIMULATOR=1")


@pytest.mark.parametrize("kind", KINDS)
def test_without_torch_musa_the_import_names_it(kind: str, tmp_path: Path) -> None:
    create("my-ops", kind, tmp_path / "made")
    program = "import sys; sys.modules.update(torch=sys, torch_musa=None); import my_ops"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path / "made/src", capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("ImportError: my_ops needs torch_musa: ")
    assert "torch-musa-sim" in done.stderr.splitlines()[-1]


def test_every_template_belongs_to_a_kind() -> None:
    assert {path.name for path in TEMPLATES.iterdir()} == {"common", *KINDS}


@pytest.mark.parametrize(
    "name", ["", "7ops", "-ops", "class", "my ops", "../ops", "json", "torch", "Torch-MUSA", "a/b"]
)
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(ProjectError, match="cannot be the name of a project"):
        package_name(name)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "mine"):
        with pytest.raises(ProjectError, match="wanted: a folder that is empty or does not exist"):
            create("my-ops", "jit", folder)
    assert files_in(tmp_path) == {"mine"}


def test_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "musa_build", "new"]
    done = subprocess.run([*command, "my-ops"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "  my-ops/src/my_ops/ops.py\n" in done.stdout and "pytest tests\n" in done.stdout
    again = subprocess.run([*command, "my-ops"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert only_error(again.stderr).startswith("error: cannot make the project in my-ops; found:")


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_project_builds_and_passes_its_tests_under_the_checks(
    kind: str, tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]
) -> None:
    """Run the steps of its own workflow in a new environment, except those that install PyTorch and this project."""
    environment = fresh_environment(MUSA_BUILD_SIMULATOR="1", TORCH_EXTENSIONS_DIR=str(tmp_path / "extensions"))
    folder = tmp_path / "my-ops"
    command = ["musa-build", "new", "my-ops", "--build", kind]
    subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=True)
    steps = yaml.safe_load((folder / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"]["test"]["steps"]
    run = [step["run"] for step in steps if step.get("name") in ("build", "test")]
    assert len(run) == 2
    for command in run:
        checked = command.replace("${{ matrix.check }}", "memory,race,sync,init")
        done = subprocess.run(
            ["bash", "-ec", checked], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "The checks found nothing." in (folder / "findings.html").read_text(encoding="utf-8")


def _ccache(home: Path) -> dict[str, int]:
    """The hits and misses of a home's ccache so far."""
    environment = {**os.environ, "CCACHE_DIR": str(home / ".cache/ccache")}
    command = ["ccache", "--print-stats"]
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    counts = dict(line.split("\t") for line in said.splitlines())
    hits = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
    return {"hits": hits, "misses": int(counts["cache_miss"])}


def _sdk_roots(home: Path) -> dict[str, float]:
    """The simulated SDKs below a home, and when each was laid out."""
    return {path.parent.name: path.stat().st_mtime for path in (home / ".cache/musa_build").rglob("version.json")}


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.skipif(shutil.which("ccache") is None, reason="there is no ccache here")
def test_the_second_run_of_the_workflow_finds_its_caches(
    tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]
) -> None:
    """Each run is on a new machine. Its `run:` steps are those of the file but apt-get's, whose programs are here."""
    environment = fresh_environment()
    python = tmp_path / "environment/bin/python"
    command = [sys.executable, "-m", "musa_sim", "libraries"]
    libraries = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    (site,) = (tmp_path / "environment/lib").glob("python3*/site-packages")
    shutil.copytree(libraries, site / "musa_sim/compiled", symlinks=True)  # as in the wheel of a release
    project = tmp_path / "my-ops"
    command = [str(python), "-m", "musa_build", "new", "my-ops"]
    subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=True)
    runner = Runner(kept=tmp_path / "kept", home=tmp_path / "machine/home", work=tmp_path / "machine/my-ops")

    def run(commit: str) -> tuple[Run, dict[str, int], dict[str, float], str]:
        values = {"matrix.check": "memory,race,sync,init", "strategy.job-index": "1", "github.sha": commit}
        run = runner.run(
            Path(".github/workflows/test.yml"), project, values, environment, lambda step: step.startswith("sudo ")
        )
        (page,) = run.artefacts["findings-1"]
        return run, _ccache(runner.home), _sdk_roots(runner.home), page.read_text(encoding="utf-8")

    first, counts, roots, page = run("a")
    assert first.status == 0, first.outputs
    assert {*first.restored.values()} == {""} and counts["misses"] >= 2 and len(roots) == 1
    assert "The checks found nothing." in page

    second, counts_2, roots_2, page = run("b")
    assert second.status == 0, second.outputs
    assert all(second.restored.values()) and len(second.restored) == 2
    assert counts_2 == {"hits": counts["hits"] + counts["misses"], "misses": counts["misses"]}
    assert roots_2 == roots, "the SDK was laid out again"
    assert "The checks found nothing." in page

    kernel = project / "csrc/scaled_add.mu"
    text = kernel.read_text(encoding="utf-8")
    assert "if (i < count)" in text
    kernel.write_text(text.replace("if (i < count)", "if (i < count + 1)"), encoding="utf-8")
    third, counts_3, roots_3, page = run("c")
    assert third.status != 0 and "csrc/scaled_add.mu" in page, "the page of a run that fails is kept, too"
    assert counts_3["misses"] == counts["misses"] + 1 and roots_3 == roots
