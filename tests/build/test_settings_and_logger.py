"""Precedence of settings, errors as sentences, files, and a logger that leaves the root logger alone."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

import musa_build
from musa_build.environment.settings import ARCH, CXX, SIMULATOR, Settings, Value
from musa_build.errors import ArchError, MusaBuildError, SettingError
from musa_build.logger_util import make_logger
from musa_build.system import files

PROGRAMS = Path(__file__).with_name("programs")


def test_precedence() -> None:
    environment = {"MUSA_ARCH": "21", "TORCH_MUSA_ARCH": "31"}
    settings = Settings(environment, {"arch": ["22", "31"]})
    assert settings.value(ARCH, "10") == Value("10", "the keyword arch")
    assert settings.value(ARCH, ["21", "22"]).text == "21;22"
    assert settings.value(ARCH) == Value("21", "MUSA_ARCH")
    assert Settings({**environment, "TORCH_MUSA_ARCH_LIST": "22"}, {}).value(ARCH).origin == "TORCH_MUSA_ARCH_LIST"
    assert Settings({"MUSA_ARCH": " "}, {"arch": ["22", "31"]}).value(ARCH).text == "22;31"
    assert Settings({}, {}).value(ARCH) == Value("mp_22", "the default")


def test_kinds() -> None:
    assert Settings({"CXX": "ccache 'my g++'"}, {}).command(CXX) == ("ccache", "my g++")
    assert [Settings({"MUSA_BUILD_SIMULATOR": text}, {}).flag(SIMULATOR) for text in ("1", "0", "", "off", "yes")] == [
        True, False, False, False, True]  # fmt: skip
    with pytest.raises(SettingError, match="CXX is not a command"):
        Settings({"CXX": "g++ 'unclosed"}, {}).command(CXX)


def test_the_table_of_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.musa-build]\narch = "21 22"\nsimulator = true\n')
    settings = Settings.read(tmp_path)
    assert settings.project == {"arch": "21 22", "simulator": True} and settings.flag(SIMULATOR)
    (tmp_path / "pyproject.toml").write_text('[tool.musa-build]\nachr = "21"\n')
    with pytest.raises(SettingError, match="did you mean arch"):
        Settings.read(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.musa-build\n")
    with pytest.raises(SettingError, match="cannot be read"):
        Settings.read(tmp_path)
    assert Settings.read(tmp_path / "nowhere").project == {}
    (tmp_path / "pyproject.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(SettingError, match="cannot be read; found: 'utf-8' codec"):
        Settings.read(tmp_path)
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "pyproject.toml").mkdir()
    with pytest.raises(SettingError, match=r"cannot be read; found: .*Is a directory"):
        Settings.read(tmp_path)


def test_an_error_is_one_sentence_with_a_code() -> None:
    error = ArchError("no such thing", found="a", wanted="b", hint="c")
    assert str(error) == "no such thing; found: a; wanted: b; hint: c; see: musa-build explain MB202 [MB202]"
    assert str(MusaBuildError("bare")) == "bare [MB000]"


def test_codes_are_unique() -> None:
    def family(cls: type[MusaBuildError]) -> list[type[MusaBuildError]]:
        return [cls, *(grandchild for child in cls.__subclasses__() for grandchild in family(child))]

    codes = [cls.code for cls in family(MusaBuildError)]
    assert len(codes) == len(set(codes))


def test_files_are_written_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    assert files.write_if_changed(path, "text\r\n") is True
    stamp = path.stat().st_mtime_ns
    assert files.write_if_changed(path, "text\r\n") is False and path.stat().st_mtime_ns == stamp
    assert path.read_bytes() == b"text\r\n"
    path.chmod(0o750)
    files.replace_atomically(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o750 and list(path.parent.iterdir()) == [path]


def test_digests_frame_their_parts() -> None:
    assert files.digest("ab", "c") != files.digest("a", "bc") and files.digest("a") == files.digest(b"a")


def test_the_five_calls_and_the_root_logger() -> None:
    """In a process of its own: what matters is what importing does."""
    program = (PROGRAMS / "logger_calls.py").read_text(encoding="utf-8")

    def said(level: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "MUSA_BUILD_LOG": level},
        )
        assert done.stdout == ""
        return [line.split(":")[-1].strip() for line in done.stderr.splitlines()]

    assert said("debug") == ["debug", "info", "warn", "error", "critical", "theirs"]
    assert said("nonsense") == ["info", "warn", "error", "critical", "theirs"]
    assert said("ERROR") == ["error", "critical", "theirs"]


def test_a_reload_prints_nothing_twice(capsys: pytest.CaptureFixture[str]) -> None:
    logger = make_logger("musa_build.test", "info")
    assert make_logger("musa_build.test", "info") is logger and len(logger.handlers) == 1
    logger.info("once")
    assert capsys.readouterr().err.count("once") == 1 and "\033" not in capsys.readouterr().err
    assert isinstance(logger, logging.Logger)


def test_public_names_are_there() -> None:
    from musa_build.cmake_lists_generator import CMakeListsGenerator

    assert all(callable(getattr(musa_build, name)) for name in musa_build.__all__)
    assert musa_build.CMakeListsGenerator is CMakeListsGenerator and set(musa_build.__all__) <= set(dir(musa_build))
    with pytest.raises(AttributeError):
        _ = musa_build.nothing_like_it
