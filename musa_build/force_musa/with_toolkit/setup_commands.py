"""Build with the CUDA toolkit by a command of setup.py: releases of pip before 25.3 use these commands.

A wheel is built by the same command in a second process, which starts in the folder that was prepared. Standard library
only, as in build_hooks.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ...system.process import run_in_place
from ..setup_script import METADATA
from .build_hooks import Helper, environment_of

_WHEEL = "bdist_wheel"
_BUILD_SYSTEM = "setuptools.build_meta"  # the hooks of this one run the same commands
_FOLDER_OPTIONS = ("-d", "--dist-dir")
# setuptools comes first: a setup.py may import distutils only.
_PROGRAM = """
import sys, setuptools
sys.argv[0] = __file__ = "setup.py"
with open(__file__, "rb") as stream:
    exec(compile(stream.read(), __file__, "exec"))
"""


@dataclass(frozen=True)
class WheelCommand:
    """The command line of a wheel: the folder that gets it, and all other words."""

    folder: Path
    words: tuple[str, ...]


def run(words: Sequence[str], set_variable: Callable[[str, str], None]) -> bool:
    """Give the toolkit to the command of setup.py in `words`. Return False for one that cannot be judged by its wheel.

    A command for metadata continues in this process; one for a wheel ends it.
    """
    command = wheel_command(words)
    if command is not None:
        raise SystemExit(_build(command))
    if words and words[0] in METADATA:
        with Helper() as helper:
            variables = helper.prepare(_BUILD_SYSTEM, "metadata", "", ())["variables"]
        for name, value in variables.items():
            set_variable(name, value)
        return True
    return False


def wheel_command(words: Sequence[str]) -> Optional[WheelCommand]:
    """Return the parts of a command line that makes a wheel and nothing else, None for any other."""
    commands = [word for word in words[:1] if not word.startswith("-")]
    if commands != [_WHEEL]:
        return None
    folder, others, rest = "dist", [_WHEEL], list(words[1:])
    while rest:
        word = rest.pop(0)
        name, is_joined, value = word.partition("=")
        if name in _FOLDER_OPTIONS and (is_joined or rest):
            folder = value if is_joined else rest.pop(0)
        else:
            others.append(word)
    return WheelCommand(Path(folder), tuple(others))


def _build(command: WheelCommand) -> int:
    """Run the command where the build was prepared, and judge the wheels that are new. Return the exit status."""
    folder = command.folder.absolute()
    with Helper() as helper:
        answer = helper.prepare(_BUILD_SYSTEM, "wheel", "", command.words[1:])
        before = _wheels(folder)
        with environment_of(answer["variables"], Path(answer["source"])):
            words = [*command.words, "--dist-dir", str(folder)]
            status = run_in_place([sys.executable, "-c", _PROGRAM, *words])
        if status == 0:
            for name, _ in sorted(_wheels(folder).items() - before.items()):
                helper.finish(folder / name)
    return status


def _wheels(folder: Path) -> dict[str, int]:
    """Map the names of the wheels in a folder to the times of their last change."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.whl")}
