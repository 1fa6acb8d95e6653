"""A copy of the example, in which something can be built."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from musa_build.system.files import write_if_changed

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "freqencoder"

_MADE_BY_BUILDS = ("build", "*.egg-info", "*.so", "src_musa", "__pycache__", "*.svg", ".gitignore")


@dataclass(frozen=True)
class Project:
    """The example in the folder `root`, and the environment of what runs there."""

    root: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run this Python with `arguments` in the project; output and errors come together in stdout."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=dict(self.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout
        return done


def copy_sources(source: Path, target: Path) -> Path:
    """Copy the example without what builds made in it. What is there already keeps its time: by it a build knows."""
    ignored = shutil.ignore_patterns(*_MADE_BY_BUILDS)

    def copy_if_changed(file: str, copy: str) -> None:
        write_if_changed(Path(copy), Path(file).read_bytes())

    return Path(shutil.copytree(source, target, ignore=ignored, copy_function=copy_if_changed, dirs_exist_ok=True))
