"""`musa-build cache`: what is cached, how large it is, and how to get rid of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from musa_build.caches import all_caches
from musa_build.cli import main
from musa_build.system import cache_directory

FOLDERS = {
    "sdk": ("sim/musa-5.1.0-0123", "sim/libraries-5.1.0-4567"),
    "force": ("user/musa_build/force/pkg-1.0-aa-bb", "user/musa_build/force/load/name-cc"),
    "cuda": ("user/musa_build/cuda/cuda-12.4-aa", "user/musa_build/cuda/cuda-12.4-bb"),
    "jit": ("torch/py311_musa/name/0123456789abcdef", "torch/py39_musa/name/0123456789abcdef"),
}
FOREIGN = ("torch/py311_cpu/name", "user/other", "sim/notes", "user/musa_build/corpus")


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("MUSA_SIM_CACHE", str(tmp_path / "sim"))
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "torch"))
    for name in (*sum(FOLDERS.values(), ()), *FOREIGN):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "file").write_bytes(b"x" * 1_000_000)
    return tmp_path


def run(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["cache", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def existing(root: Path) -> set[str]:
    return {name for name in (*sum(FOLDERS.values(), ()), *FOREIGN) if (root / name).exists()}


def test_every_cache_is_shown_with_its_size(caches: Path) -> None:
    shown = run().splitlines()
    lines = {line.split()[0]: line for line in shown if line[0] != " "}
    others = [line.strip() for line in shown if line[0] == " "]
    assert [line for line in shown if len(line) > 80 and str(caches) not in line] == []
    assert {line for line in others if line.startswith("/")} == {str(each.path) for each in all_caches()}
    assert set(lines) == set(FOLDERS)
    for name, line in lines.items():
        assert "2 folders, 2.0 MB" in line and "used today" in line, (name, line)
    rows = json.loads(run("--json"))
    assert {(row["cache"], row["path"]) for row in rows} == {
        (name, str(caches / folder)) for name, folders in FOLDERS.items() for folder in folders
    }


def test_empty_caches_are_shown_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CACHE_HOME", "MUSA_SIM_CACHE", "TORCH_EXTENSIONS_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "nowhere"))
    assert run().count("0 folders, 0.0 MB") == 4
    assert run("clear").count("removed 0 folders") == 4


@pytest.mark.parametrize("names", [(), ("sdk",), ("force", "jit")])
def test_the_named_caches_are_emptied_and_nothing_else(caches: Path, names: tuple[str, ...]) -> None:
    output = run("clear", *names)
    emptied = names or tuple(FOLDERS)
    kept = {folder for name, folders in FOLDERS.items() if name not in emptied for folder in folders}
    assert existing(caches) == kept | set(FOREIGN)
    assert output.count("removed 2 folders, 2.0 MB") == len(emptied)
    assert ("torch-musa-sim" in output) == ("sdk" in emptied)


def test_what_a_process_uses_stays(caches: Path) -> None:
    folder = caches / FOLDERS["force"][0]
    with cache_directory.use(folder):
        assert "removed 1 folder, 1.0 MB, kept 1 folder, 1.0 MB in use" in run("clear", "force")
        assert folder.is_dir()


def test_an_unknown_cache_is_refused(caches: Path) -> None:
    done = CliRunner().invoke(main, ["cache", "clear", "sdks"])
    assert done.exit_code == 2 and "sdks" in done.output
    assert existing(caches) == set(sum(FOLDERS.values(), ())) | set(FOREIGN)
