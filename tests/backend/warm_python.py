"""A Python that has imported torch, and becomes a script's Python by a fork.

Importing torch takes 1.6 s of CPU time, more than most scripts of these tests. A fork has it already and loads
torch_musa itself, with the script's own environment. As a program, this file is what forks.
"""

from __future__ import annotations

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
from typing import Any

TIMEOUT = 300  # seconds until a script gets a SIGALRM


class WarmPython:
    """Runs scripts, one after the other, each in a fork of one process."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            text=True,
        )

    def run(
        self, code: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """`python -c code arguments...` in `folder`."""
        assert self._parent.stdin is not None and self._parent.stdout is not None
        with tempfile.NamedTemporaryFile("r") as stdout, tempfile.NamedTemporaryFile("r") as stderr:
            request = {
                "argv": ["-c", *arguments],
                "code": code,
                "folder": str(folder),
                "environment": dict(environment),
                "outputs": [stdout.name, stderr.name],
            }
            print(json.dumps(request), file=self._parent.stdin, flush=True)
            status = int(self._parent.stdout.readline())
            return subprocess.CompletedProcess(request["argv"], status, stdout.read(), stderr.read())

    def close(self) -> None:
        """End the process that forks."""
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait()


def serve() -> dict[str, Any]:
    """Fork for each line of the standard input and answer with the exit status; return the request in a fork only."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return json.loads(line)  # type: ignore[no-any-return]
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    os._exit(0)


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
    sys.path[0] = ""


if __name__ == "__main__":
    import torch

    request = serve()
    become(request)
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") != "0":
        torch._import_device_backends()  # as `import torch` does
    sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(request["code"], "<string>", "exec"), vars(sys.modules["__main__"]))
