"""The README's MUSAExtension: its setup_musa.py as printed, and half types in a .cpp with force_mcc."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from musa_build.system.files import write_if_changed

Run = Callable[..., str]
PROGRAMS, CHECKS = Path(__file__).parent / "programs", Path(__file__).parent / "checks"

SOURCES = Path(__file__).resolve().parents[2] / "examples" / "freqencoder" / "freqencoder" / "src"


def _put(program: str, target: Path) -> None:
    """Write a program where it is built; a build whose inputs are unchanged has nothing to do."""
    write_if_changed(target, (PROGRAMS / program).read_text(encoding="utf-8"))


@pytest.mark.slow
def test_setup_musa_as_printed(run: Run, kept_folder: Path) -> None:
    shutil.copytree(SOURCES, kept_folder / "freqencoder" / "src", dirs_exist_ok=True)
    _put("setup_musa.py", kept_folder / "setup_musa.py")
    run("setup_musa.py", "build_ext", "--inplace", cwd=kept_folder)
    run(str(CHECKS / "check_freqencoder.py"), cwd=kept_folder, PYTHONPATH=str(kept_folder))


@pytest.mark.slow
def test_half_in_cpp_with_force_mcc(run: Run, kept_folder: Path) -> None:
    """The C++ flags reach the file although mcc compiles it, and the caller's flags are not changed."""
    _put("halves.cpp", kept_folder / "halves.cpp")
    _put("setup_halves.py", kept_folder / "setup.py")
    run("setup.py", "build_ext", "--inplace", cwd=kept_folder)
    run(str(CHECKS / "check_halves.py"), cwd=kept_folder, PYTHONPATH=str(kept_folder))
