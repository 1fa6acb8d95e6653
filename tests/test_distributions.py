"""The source distributions hold every file that is under version control."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {".gitignore", ".clang-format", ".clangd", ".gitattributes"}
FOLDERS_LEFT_OUT = (".ci/", ".github/")


def tracked(folder: Path) -> set[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=folder, capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split("\0") if name}


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".", "simulator", "tools", "backend"])
def test_a_source_distribution_is_whole(folder: str, tmp_path: Path) -> None:
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout: nothing says which files belong to it")
    copy = tmp_path / "copy"
    for name in tracked(ROOT):  # nothing that an earlier build left
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path / "dist"), "."]
    done = subprocess.run(command, cwd=copy / folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as contents:
        packed = {name.partition("/")[2] for name in contents.getnames()}
    wanted = {
        name
        for name in tracked(ROOT / folder)
        if Path(name).name not in LEFT_OUT and not name.startswith(FOLDERS_LEFT_OUT)
    }
    assert sorted(wanted - packed) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "folder"), [("musa_sim", "simulator"), ("musa_tools", "tools")])
def test_a_distribution_works_alone(
    name: str, folder: str, tmp_path: Path, fresh_environment: Callable[..., Mapping[str, str]]
) -> None:
    """Its own tests pass in an environment that has none of the others."""
    environment = fresh_environment(name)
    shutil.copytree(ROOT / folder / "tests", tmp_path / "own" / "tests")
    for other in {"musa_build", "musa_sim", "musa_tools"} - {name}:
        assert run(["python", "-c", f"import {other}"], tmp_path, environment).returncode == 1
    done = run(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider"], tmp_path / "own", environment)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout + done.stderr


def test_the_toolkit_says_how_to_get_the_simulator(
    tmp_path: Path, fresh_environment: Callable[..., Mapping[str, str]]
) -> None:
    environment = fresh_environment("musa_build", MUSA_BUILD_SIMULATOR="1")
    for command in (["musa-build", "sim", "root"], ["musa-build", "env"]):
        done = run(command, tmp_path, environment)
        assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
        assert re.search("hint: +pip install .*musa-sim==", done.stderr) and "is not installed" in done.stderr


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    program = shutil.which(command[0], path=environment["PATH"])
    assert program is not None
    return subprocess.run(
        [program, *command[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_every_command_that_compiles_the_backend_leaves_pips_cache_out() -> None:
    """pip's cache of wheels knows no torch: it would hand over one that was compiled in another environment."""
    folders = (ROOT / name for name in ("musa_build", "backend", "simulator", "tools", "docs"))
    texts = [*ROOT.glob("*.md"), *(path for folder in folders for path in folder.rglob("*"))]
    commands = [
        (str(path), line.strip())
        for path in texts
        if path.suffix in (".md", ".py", ".jinja") and path.name != "CHANGELOG.md"
        for line in path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ").splitlines()
        if re.search(r"pip install .*\btorch-musa-sim\b", line)
    ]
    assert len(commands) > 3
    assert not [command for command in commands if "--no-cache-dir" not in command[1]]
    again = [command for command in commands if "--force-reinstall" in command[1]]
    assert len(again) >= 4 and all("--no-binary torch-musa-sim" in line for _, line in again), again
