"""The user's cache: old folders go, those in use and the last used stay."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from musa_build.system import cache_directory

DAY = 86400


def folder_of_age(root: Path, name: str, days: float) -> Path:
    cache_directory.use(root / name).close()
    then = time.time() - days * DAY
    os.utime(root / name / ".in-use", (then, then))
    return root / name


def test_old_folders_go_but_for_the_last_used(tmp_path: Path) -> None:
    for name, days in {"a": 90, "b": 80, "c": 70, "d": 60}.items():
        folder_of_age(tmp_path, name, days)
    cache_directory.prune(tmp_path.iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "d"]


def test_folders_used_lately_stay(tmp_path: Path) -> None:
    for name, days in {"a": 90, "b": 3, "c": 2, "d": 1}.items():
        folder_of_age(tmp_path, name, days)
    cache_directory.prune(tmp_path.iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "c", "d"]


def test_a_folder_in_use_stays(tmp_path: Path) -> None:
    """Another process has it; when that is gone, the folder goes."""
    old = folder_of_age(tmp_path, "old", 90)
    code = "from musa_build.system import cache_directory as c; from pathlib import Path"
    code += f"; used = c.use(Path({str(old)!r}))"
    code += "; print(); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as user:
        assert user.stdout is not None and user.stdout.readline()
        cache_directory.prune([old], kept=0, days=0)
        assert old.is_dir()
        user.communicate(b"\n")
    cache_directory.prune([old], kept=0, days=0)
    assert not old.exists()


def test_a_folder_of_an_older_release_has_the_age_of_its_own(tmp_path: Path) -> None:
    for name, days in {"a": 90, "b": 1}.items():
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - days * DAY,) * 2)
    cache_directory.prune(tmp_path.iterdir(), kept=0)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_what_is_removed_while_somebody_waits_is_made_again(tmp_path: Path) -> None:
    """The waiting process must not go on in a folder that is not there."""
    import fcntl

    folder = folder_of_age(tmp_path, "x", 1)
    code = "from musa_build.system import cache_directory as c; from pathlib import Path"
    code += f"; c.use(Path({str(folder)!r}))"
    code += "; print('has it')"
    with (folder / ".in-use").open("a") as remover:
        fcntl.flock(remover, fcntl.LOCK_EX)
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as user:
            deadline = time.monotonic() + 60
            while not _is_open_in(user.pid, folder / ".in-use") and time.monotonic() < deadline:
                time.sleep(0.01)
            (folder / ".in-use").unlink()
            folder.rmdir()
            remover.close()
            assert user.communicate()[0] == "has it\n"
    assert (folder / ".in-use").exists()


def _is_open_in(pid: int, path: Path) -> bool:
    listed = subprocess.run(["ls", "-l", f"/proc/{pid}/fd"], capture_output=True, text=True, check=False).stdout
    return f"-> {path}\n" in listed


def test_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory.user_cache() == tmp_path
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_directory.user_cache() == Path("/home/me/.cache")
