"""A Python that has imported torch, and becomes a script's Python by a fork.

Importing torch takes 1.6 s of CPU time, more than most scripts of these tests. A fork has it already and loads
torch_musa itself, with the script's own environment. As a program, this file is what forks.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing.process
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Optional

TIMEOUT = 300  # seconds until a script gets a SIGALRM


class WarmPython:
    """Runs scripts, each in a fork of one process.

    Args:
        modules: What is imported before the forks are made.
    """

    def __init__(self, *modules: str) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, __file__, "torch", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            text=True,
        )
        self._processes: list[int] = []
        self._statuses: dict[int, int] = {}

    def start(
        self, code: str, argv: Sequence[str], folder: Path, environment: Mapping[str, str], outputs: Sequence[str]
    ) -> int:
        """Start a script and return its number.

        Args:
            code: What it runs.
            argv: Its `sys.argv`; the first is "-c", or the file that the code is from.
            folder: Where it runs.
            environment: All of its environment variables.
            outputs: The files to which stdout and stderr are appended.
        """
        number = len(self._processes)
        request = {
            "number": number,
            "argv": list(argv),
            "code": code,
            "folder": str(folder),
            "environment": dict(environment),
            "outputs": list(outputs),
        }
        assert self._parent.stdin is not None
        print(json.dumps(request), file=self._parent.stdin, flush=True)
        while len(self._processes) == number:
            self._read()
        return number

    def process(self, number: int) -> int:
        """Return the process of a script."""
        return self._processes[number]

    def has_ended(self, number: int) -> bool:
        """Return whether the end of a script was seen."""
        return number in self._statuses

    def wait(self, number: int) -> int:
        """Wait until a script has ended and return its exit status; a signal's is negative."""
        while number not in self._statuses:
            self._read()
        return self._statuses[number]

    def _read(self) -> None:
        assert self._parent.stdout is not None
        what, number, value = self._parent.stdout.readline().split()
        if what == "started":
            assert int(number) == len(self._processes)
            self._processes.append(int(value))
        else:
            self._statuses[int(number)] = int(value)

    def run(
        self, code: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """`python -c code arguments...` in `folder`."""
        argv = ["-c", *arguments]
        with tempfile.NamedTemporaryFile("r") as stdout, tempfile.NamedTemporaryFile("r") as stderr:
            status = self.wait(self.start(code, argv, folder, environment, [stdout.name, stderr.name]))
            return subprocess.CompletedProcess(argv, status, stdout.read(), stderr.read())

    def close(self) -> None:
        """End the process that forks."""
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait()


def serve() -> dict[str, Any]:
    """Fork for each line of the standard input and tell when the fork ends; return the request in the fork only."""
    waiting = set()
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        child = os.fork()
        if child == 0:
            if wait_for_a_fork(request["number"]):
                os._exit(0)
            return request
        waiting = {other for other in waiting if os.waitpid(other, os.WNOHANG)[0] == 0} | {child}
    for other in waiting:
        os.waitpid(other, 0)
    os._exit(0)


def wait_for_a_fork(number: int) -> bool:
    """Fork, and tell of the fork's beginning and end; return False in the fork."""
    child = os.fork()
    if child == 0:
        return False
    tell(f"started {number} {child}")
    tell(f"ended {number} {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")
    return True


def tell(text: str) -> None:
    """Write a line at once, so that lines of several processes do not mix."""
    os.write(1, f"{text}\n".encode())


def become(request: dict[str, Any]) -> None:
    """Make this process what `python -c` with these arguments is before its first line."""
    signal.alarm(TIMEOUT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(request["outputs"], 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_APPEND), number)
    os.chdir(request["folder"])
    multiprocessing.process.ORIGINAL_DIR = request["folder"]  # where it looks for the file of __main__
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[:] = request["argv"]
    script = file_of(request)
    sys.path[0] = str(Path(script).parent) if script else ""


def file_of(request: dict[str, Any]) -> Optional[str]:
    """Return the path of the script, unless it has none."""
    first: str = request["argv"][0]
    return None if first == "-c" else first


if __name__ == "__main__":
    import torch

    for name in sys.argv[1:]:
        importlib.import_module(name)
    request = serve()
    become(request)
    if torch.distributed.is_available():
        torch.distributed.set_debug_level_from_env()  # torch reads it while it is imported
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") != "0":
        torch._import_device_backends()  # as `import torch` does
    main = sys.modules["__main__"] = ModuleType("__main__")
    if file_of(request):
        main.__file__ = file_of(request)
    exec(compile(request["code"], file_of(request) or "<string>", "exec"), vars(main))
