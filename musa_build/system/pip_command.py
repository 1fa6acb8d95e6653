"""The command that installs packages into this environment: pip, or uv where an environment has no pip."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder

from ..errors import ToolNotFoundError
from .process import find_program


def install_command() -> tuple[str, ...]:
    """Return the start of a command that installs, with the options that keep it from asking its cache for wheels.

    `uv venv`, `uv sync` and Poetry make environments without pip. uv's pip takes pip's options.

    Raises:
        ToolNotFoundError: There is neither.
    """
    # importlib.util.find_spec asks setuptools' hook too, and that takes its distutils out of sys.modules if it sees pip
    if PathFinder.find_spec("pip") is not None:
        return (sys.executable, "-m", "pip", "--disable-pip-version-check", "install")
    uv = find_program("uv")
    if uv is None:
        raise ToolNotFoundError(
            "nothing can be installed into this environment",
            found=f"no pip in {sys.prefix}, no uv on PATH",
            hint=f"{sys.executable} -m ensurepip, or install uv",
        )
    return (str(uv), "pip", "install", "--no-cache", "--python", sys.executable)
