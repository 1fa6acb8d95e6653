"""Runs cmake as a developer would, and tells what it built."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")

CHECK_AFFINE = (PROGRAMS / "checks_affine.py").read_text(encoding="utf-8")


@dataclass(frozen=True)
class CMake:
    """Runs cmake in the environment of a build for the simulated SDK."""

    program: str
    environment: Mapping[str, str]

    def configure(self, source: Path, build: Path, *options: str, generator: str = "Ninja") -> str:
        return self.run("-S", str(source), "-B", str(build), "-G", generator, *options)

    def build(self, build: Path) -> list[str]:
        """Builds, and returns what ran: "MUSA affine.mu", "CXX bindings.cpp", "link"."""
        output = self.run("--build", str(build))
        steps = []
        for line in output.splitlines():
            _, building, what = line.partition("] Building ")
            if building:
                language, _, path = what.split(" ", 2)
                steps.append(f"{language} {Path(path).name.removesuffix('.o')}")
            elif "] Linking " in line:
                steps.append("link")
        return sorted(steps)

    def run(self, *arguments: str) -> str:
        done = self.attempt(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def attempt(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments],
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def import_affine(self, folder: Path) -> str:
        """Imports the module `affine` from `folder` in a new Python, checks its kernel, returns what it greets with."""
        done = subprocess.run(
            [sys.executable, "-c", CHECK_AFFINE],
            env={**self.environment, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
