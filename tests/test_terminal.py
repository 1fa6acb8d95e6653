"""Commands on a terminal: errors are blocks that fit it, colours can be switched off, Ctrl-C ends with 130."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any, Optional

import pytest
from error_blocks import last_error

import musa_sim.terminal
import musa_tools.terminal
from musa_build import errors
from musa_build.errors import ArchError, CompileFailedError, MusaBuildError
from musa_build.explain import columns
from musa_build.system.exit_status import MEANINGS
from musa_build.system.terminal import as_block
from musa_build.system.waiting import Waiting

ROOT = Path(__file__).resolve().parent.parent
WAITING = [ROOT / "musa_build/system/waiting.py", ROOT / "tools/musa_tools/waiting.py"]
ERROR = ArchError("a name is not an architecture", found="mp_99", wanted="10, 21, 22 or 31", hint="choose one of them")


def on_terminal(command: list[str], columns: int, environment: Mapping[str, str]) -> str:
    """Return the output of a program on a terminal, with its colours."""
    leader, follower = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), **environment}
    env.pop("NO_COLOR", None)
    env.update(environment)
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=env) as child:
        os.close(follower)
        said = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # Linux: the other end is closed
                break
            if not part:
                break
            said += part
        child.wait()
    os.close(leader)
    return said.decode().replace("\r\n", "\n")


def test_a_block_has_a_line_for_each_part() -> None:
    lines = ["error: a name is not an architecture [MB202]", "  found:  mp_99", "  wanted: 10, 21, 22 or 31"]
    lines += ["  hint:   choose one of them", "  see:    musa-build explain MB202"]
    assert as_block(ERROR).splitlines() == lines == f"error: {ERROR.block}".splitlines()
    assert last_error(as_block(ERROR)) == f"error: {ERROR}"


def test_long_texts_are_wrapped_and_words_are_whole() -> None:
    path = "/a/very/long/path" * 6
    text = as_block(MusaBuildError("it failed", found=f"{path} and " + "more words " * 20, hint="h"), width=60)
    assert f"  found:  {path}" in text.splitlines()
    assert all(len(line) <= 60 or path in line for line in text.splitlines())
    assert all(line.startswith(" " * 10) for line in text.splitlines()[2:-1])


def test_what_programs_printed_stays_as_it_is() -> None:
    output = "x" * 200 + "\n    ^~~"
    assert as_block(CompileFailedError("1 step failed", output=output), width=40).endswith(f"\n\n{output}")


@pytest.mark.parametrize("environment", [{"TERM": "xterm"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_an_error_on_a_terminal(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "musa_build", "env"]
    said = on_terminal(
        command, 60, {"MUSA_HOME": "/nowhere", "MUSA_BUILD_SIMULATOR": "0", "TERM": "xterm", **environment}
    )
    assert ("\033[" in said) == (environment == {"TERM": "xterm"}), said
    plain = re.sub(r"\033\[[\d;]*m", "", said)
    assert plain.startswith(
        "error: MUSA_HOME does not point to a MUSA SDK [MB101]\n  found:  no file /nowhere/bin/mcc\n"
    )
    assert max(map(len, plain.splitlines())) <= 60


def test_the_statuses_of_errors_are_in_the_table() -> None:
    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, MusaBuildError)]
    assert {kind.exit_status for kind in kinds} <= MEANINGS.keys()


def test_the_page_has_the_table_of_statuses() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", page, re.MULTILINE)
    assert {int(number): meaning for number, meaning in rows} == MEANINGS


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["new", "not a name"], 2),
        (["port", "/nowhere"], 2),
        (["port", "--query", "cudaNoSuch"], 1),
        (["port", "--query", "cudaMalloc"], 0),
        (["port", "--nonsense"], 2),
        (["explain", "MB999"], 2),
        (["nope"], 2),
        (["docter"], 2),
    ],
    ids=str,
)
def test_a_mistake_has_its_status(command: list[str], status: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "musa_build", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    assert "did you mean 'doctor'?" in done.stderr if command == ["docter"] else "Traceback" not in done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A CUDA extension, and a compiler that never ends and touches the file `started`."""
    (tmp_path / "slow").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexec sleep 60\n")
    (tmp_path / "slow").chmod(0o755)
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
        'setup(name="x", ext_modules=[CUDAExtension("x", ["x.cpp"])], cmdclass={"build_ext": BuildExtension})\n'
    )
    (tmp_path / "x.cpp").write_text("#include <cuda_runtime.h>\n")
    return tmp_path


def ended(child: subprocess.Popen[str], whole_group: bool) -> str:
    """Interrupt a program, or it and all that it started. Return what it writes to stderr; it must end with 130."""
    try:
        if whole_group:
            os.killpg(child.pid, signal.SIGINT)
        else:
            child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=30)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    assert child.returncode == 130 and "Traceback" not in said[1], said
    return said[1]


@pytest.mark.compiles
@pytest.mark.parametrize("command", ["doctor", "demo", "install . --no-deps"])
@pytest.mark.parametrize("whole_group", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["terminal", "kill"])
def test_ctrl_c_ends_a_command(command: str, whole_group: bool, project: Path, sim_sdk_root: Path) -> None:
    """As Ctrl-C in a terminal, which signals all programs, and as `kill -INT`, which signals one."""
    child = subprocess.Popen(
        [sys.executable, "-m", "musa_build", *command.split()],
        cwd=project,
        env={**os.environ, "MUSA_BUILD_SIMULATOR": "1", "CXX": str(project / "slow")},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 90
    while not (project / "started").exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "interrupted" in ended(child, whole_group)


@pytest.mark.parametrize("width", [None, 40, 72], ids=str)
@pytest.mark.parametrize("colour", [True, False], ids=["colour", "plain"])
def test_all_packages_print_the_same_block(width: Optional[int], colour: bool) -> None:
    """Neither musa_sim nor musa_tools needs musa_build, so each has a copy of the block."""
    parts = (("found", "/a/long/path and " + "more words " * 20), ("hint", "two\nlines"))
    error = MusaBuildError("it " + "failed " * 12, found=parts[0][1], hint=parts[1][1])
    own = as_block(error, width=width, colour=colour)
    for module in (musa_sim.terminal, musa_tools.terminal):
        assert module.as_block(f"{error.what} [{error.code}]", parts, width=width, colour=colour) == own


@pytest.mark.parametrize(
    ("command", "environment", "labels"),
    [
        (["musa_tools.cli", "compare", "nope1", "nope2"], {}, ["error", "wanted"]),
        (["musa_tools.cli", "parse", "nope", "x"], {}, ["error", "wanted"]),
        (["musa_tools.cli", "replay", "nope"], {}, ["error", "wanted"]),
        (["musa_tools.cli", "report", "nope"], {}, ["error", "found"]),
        (["musa_tools.cli", "convert", "-r", "nope"], {}, ["error", "wanted"]),
        (["musa_sim", "root"], {"MUSA_SIM_CACHE": "/dev/null/x"}, ["error", "found", "hint"]),
        (["musa_sim", "libraries"], {"MUSA_SIM_CACHE": "/dev/null/x"}, ["error", "found", "hint"]),
        (["musa_build", "env"], {"MUSA_HOME": "/nowhere", "MUSA_BUILD_SIMULATOR": "0"}, ["error", "found", "wanted"]),
    ],
    ids=str,
)
def test_an_error_of_every_program_is_a_block(
    command: list[str], environment: dict[str, str], labels: list[str], tmp_path: Path
) -> None:
    module, *words = command
    program = ["-c", "from musa_tools.cli import main; main()"] if module == "musa_tools.cli" else ["-m", module]
    done = subprocess.run(
        [sys.executable, *program, *words],
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (1, 2) and done.stdout == ""
    found = [line.split(":")[0] for line in done.stderr.splitlines()]
    assert found[: len(labels)] == [label if label == "error" else f"  {label}" for label in labels], done.stderr


def test_ctrl_c_ends_a_command_of_the_tools() -> None:
    script = (
        "import time; import musa_tools.compare_dumps.command as command; from musa_tools.cli import main\n"
        "command.compare_command = lambda *_: (print('started', flush=True), time.sleep(60))\n"
        "main(['compare', 'run', 'reference'])"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None and child.stdout.readline() == "started\n"
    assert "interrupted" in ended(child, whole_group=True)


def test_the_copies_of_the_waiting_line_are_equal() -> None:
    code = [path.read_text().split('"""\n', 1)[1] for path in WAITING]
    assert code[0] == code[1]


class Screen(StringIO):
    """A terminal of some columns, whose lines wrap; it keeps the lines that a user sees."""

    def __init__(self, columns: int, encoding: str) -> None:
        super().__init__()
        self.columns, self.charset = columns, encoding
        self.at, self.lines = 0, [""]

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.charset

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        text.encode(self.charset)
        for part in re.findall(r"\033\[K|.", text, re.DOTALL):
            if part == "\033[K":
                self.lines[-1] = self.lines[-1][: self.at]
            elif part in "\r\n":
                self.at = 0
                self.lines += [""] if part == "\n" else []
            else:
                assert part.isprintable()
                cells = part + ("\0" if columns(part) == 2 else "")
                if self.at + len(cells) > self.columns:
                    self.at = 0
                    self.lines.append("")
                self.lines[-1] = self.lines[-1][: self.at] + cells + self.lines[-1][self.at + len(cells) :]
                self.at += len(cells)
        return len(text)


@pytest.mark.parametrize("width", [1, 5, 8, 10, 12, 30, 80])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize(
    "text", ["porting /src", "porting /源代码目录很长的名字测试用例", "a\nb\033[31m\tc", "\udcff\u0301é" * 9, "x" * 200]
)
def test_the_waiting_line_stays_one_line_and_leaves_nothing(
    text: str, encoding: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(width, encoding)
    monkeypatch.setattr("musa_build.system.waiting._width", lambda _: width)
    with Waiting(screen, quiet=0) as waiting:
        for step in (text, "next"):
            waiting.begins(step)
            later = time.monotonic() + 7
            monkeypatch.setattr("time.monotonic", lambda later=later: later)
            waiting.continues(step)
            waiting._show()
            assert len(screen.lines) == 1 and (width < 12 or " ... 7 s" in screen.lines[0]), screen.lines
            monkeypatch.undo()
            monkeypatch.setattr("musa_build.system.waiting._width", lambda _: width)
        waiting.before(screen.write)("done\n" if width > 4 else "\n")
    assert screen.lines in (["done", ""], ["", ""])


@pytest.mark.parametrize("stream", [None, object(), "closed"])
def test_a_stream_that_is_none_gets_no_waiting_line(stream: Any) -> None:
    if stream == "closed":
        stream = StringIO()
        stream.close()
    with Waiting(stream, quiet=0) as waiting:
        waiting.begins("porting")
        waiting.continues("porting more")


def test_a_closed_stderr_changes_nothing_but_messages(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/k.cu").write_text("#include <cuda_runtime.h>\n")
    for options in ("--diff", "--analyze", "--dry-run"):
        command = f"{shlex.join([sys.executable, '-m', 'musa_build'])} port {tmp_path}/src {options}"
        closed, whole = (
            subprocess.run(command + end, shell=True, stdout=subprocess.PIPE, text=True, check=True)
            for end in (" 2>&-", " 2>/dev/null")
        )
        assert closed.stdout == whole.stdout != "", options


@pytest.mark.slow
def test_a_command_that_works_for_long_says_so(tmp_path: Path) -> None:
    """The line comes on a terminal alone, and nothing stays of it."""
    for number in range(2500):
        folder = tmp_path / "csrc" / str(number % 50)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"k{number}.cu").write_text("#include <cuda_runtime.h>\n" + "cudaStream_t stream;\n" * 400)
    command = [sys.executable, "-m", "musa_build", "port", str(tmp_path / "csrc")]
    said = on_terminal([*command, "-o", str(tmp_path / "one")], 200, {})
    assert re.search(r"porting /\S+ \.\.\. \d+ s\r", said), said
    assert said.split("\033[K")[-1].startswith("ported "), said
    quiet = subprocess.run([*command, "-o", str(tmp_path / "two")], capture_output=True, text=True, check=True)
    assert quiet.stderr.startswith("ported ") and quiet.stdout == ""
