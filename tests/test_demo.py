"""`musa-build demo`: what it copies and refuses, and the whole way."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from musa_build.demo import ProgressLog, copy_example, example, sources
from musa_build.errors import ProjectError

ROOT = Path(__file__).resolve().parent.parent


def tracked() -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=example(), capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return {name for name in done if name and not name.startswith(".") and "/." not in name}


def test_it_copies_what_was_written_by_hand(tmp_path: Path) -> None:
    said: list[str] = []
    folder = copy_example(tmp_path / "demo", said.append)
    copied = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert copied == {path.as_posix() for path in sources(example())}
    assert {"setup_musa.py", "demo.py", "freqencoder/src/freqencoder.cu"} <= copied
    if (ROOT / ".git").exists():
        assert copied == tracked()
    copy_example(tmp_path / "demo", said.append)  # again: the folder is that of an earlier demo


def test_it_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ProjectError, match=r"there are files in it.*MB206"):
        copy_example(tmp_path, lambda line: None)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_wheel_has_the_same_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    namespace: dict[str, Any] = {"__name__": "setup_script"}
    text = (ROOT / "setup.py").read_text(encoding="utf-8").replace("setup(cmdclass", "dict(cmdclass")
    exec(compile(text, "setup.py", "exec"), namespace)
    build_py = namespace["BuildPy"]
    files = build_py.example_files(build_py)  # it needs no distribution, only the class's folder
    prefix = Path("musa_build", "demo", "example")
    assert {Path(file) for file in files.values()} == {prefix / path for path in sources(example())}


def test_progress_is_shown_and_the_rest_is_kept() -> None:
    said: list[str] = []
    log = ProgressLog(said.append)
    for line in ("running build_ext", "[1/2] mcc k.mu", "warning: a thing"):
        log.line(line)
    assert said == ["    [1/2] mcc k.mu"] and list(log.last) == [
        "running build_ext",
        "[1/2] mcc k.mu",
        "warning: a thing",
    ]


@pytest.mark.slow
@pytest.mark.compiles
def test_the_demo(tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]) -> None:
    command = ["musa-build", "demo", "--output", str(tmp_path / "demo")]
    environment = fresh_environment()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[3/3] freqencoder._MUSAC: link" in done.stdout and "musa agrees with the reference" in done.stdout
    assert f"picture: {tmp_path / 'demo' / 'freqencoder.png'}" in done.stdout
    assert (tmp_path / "demo" / "freqencoder.png").read_bytes().startswith(b"\x89PNG")
