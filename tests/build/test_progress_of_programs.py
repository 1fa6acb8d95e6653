"""Programs that take long: their lines of progress are shown as they come, the others are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.errors import ToolNotFoundError
from musa_build.system.process import run_with_progress, stream

PROGRAMS = Path(__file__).with_name("programs")

PROGRAM = (PROGRAMS / "prints_progress.py").read_text(encoding="utf-8")
CALLER = """
import sys
from musa_build.system.process import run_with_progress
run_with_progress(sys.argv[1:])
"""


def test_lines_of_progress_are_shown_and_the_others_are_returned(capfd: pytest.CaptureFixture[str]) -> None:
    done = run_with_progress([sys.executable, "-c", PROGRAM])
    assert (done.returncode, done.stdout) == (3, "/a/path\n")
    assert done.stderr.splitlines()[0] == "a warning, [1/2] no progress" and "error: \ufffd" in done.stderr
    assert "[2/2]" not in done.stderr
    assert capfd.readouterr().err == "[1/2] one\n[2/2] two\n"


def test_a_line_is_shown_before_the_program_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "end")
    waiting = "import sys; print('[1/1] now', file=sys.stderr, flush=True); open(sys.argv[1]).read()"
    arguments = [sys.executable, "-c", waiting, str(tmp_path / "end")]
    with subprocess.Popen([sys.executable, "-c", CALLER, *arguments], stderr=subprocess.PIPE, text=True) as caller:
        assert caller.stderr is not None
        assert caller.stderr.readline() == "[1/1] now\n"
        (tmp_path / "end").write_text("")


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ToolNotFoundError, match="no-such-program"):
        run_with_progress(["no-such-program"])


@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_a_program_is_interrupted_if_its_caller_alone_is(tmp_path: Path, error: type[BaseException]) -> None:
    """As by `kill -INT`: a terminal signals both. The program ends in its own way."""
    program = (PROGRAMS / "waits_for_an_interrupt.py").read_text(encoding="utf-8")

    def interrupted(line: str) -> None:
        raise error

    with pytest.raises(error):
        stream([sys.executable, "-c", program, str(tmp_path / "said")], interrupted)
    assert (tmp_path / "said").read_text() == "interrupted"
