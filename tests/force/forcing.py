"""Running builds as users of FORCE_MUSA=1 do, and what they leave."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command: its exit status and its output."""

    returncode: int
    output: str


@dataclass(frozen=True)
class Project:
    """A package's folder and the environment that it is built in."""

    folder: Path
    environment: dict[str, str]

    def run(self, *arguments: str, **environment: str) -> Outcome:
        """Run this Python in the folder."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Outcome(done.returncode, done.stdout)

    def setup(self, *commands: str, **environment: str) -> Outcome:
        """`python setup.py COMMANDS`."""
        return self.run("setup.py", *commands, **environment)

    def wheel(self) -> Path:
        (found,) = (self.folder / "dist").glob("*.whl")
        return found


def contents(folder: Path, left_out: Sequence[str] = ("build", "dist", "affine_cuda.egg-info")) -> dict[str, bytes]:
    """Every file below `folder` but what setuptools makes."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    inside = ((path.relative_to(folder), path) for path in files)
    return {str(name): path.read_bytes() for name, path in inside if name.parts[0] not in left_out}
