"""Give the hooks of a build system (PEP 517) the CUDA toolkit. Standard library only: isolated builds run this.

A helper process prepares the build, holds its lock, and judges the wheel when it is made.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Optional

from ...environment.build_isolation import is_isolated_build
from ...system.process import Conversation
from ..patches import Patches

_WHEELS = ("build_wheel", "build_editable")
_METADATA = ("prepare_metadata_for_build_wheel", "prepare_metadata_for_build_editable")
# The option of config_settings for the build directory, in the build systems that have no variable for it.
_BUILD_DIRECTORY = {"mesonpy": "build-dir"}
_HELPER = "musa_build.force_musa.with_toolkit.helper"


def install(backend: ModuleType) -> None:
    """Let a build system build with the toolkit, and let no wheel pass that has no code for MUSA."""
    # setuptools.build_meta has a second set of hooks, for projects without a pyproject.toml.
    for owner in (backend, getattr(backend, "__legacy__", None)):
        for name in (name for name in _METADATA if hasattr(owner, name)):
            setattr(owner, name, _with_variables(getattr(owner, name), backend.__name__))
        for name in (name for name in _WHEELS if hasattr(owner, name)):
            setattr(owner, name, _wheel_hook(getattr(owner, name), backend.__name__, name.partition("_")[2]))


def _with_variables(hook: Any, build_system: str) -> Any:
    """Wrap a hook for metadata: Meson configures the project for it."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with Helper() as helper:
            answer = helper.prepare(build_system, "metadata", "", ())
            with environment_of(answer["variables"], Path.cwd()):
                return hook(*args, **kwargs)

    return run


def _wheel_hook(hook: Any, build_system: str, wanted: str) -> Any:
    def build(
        wheel_directory: str,
        config_settings: Optional[Mapping[str, Any]] = None,
        metadata_directory: Optional[str] = None,
    ) -> Any:
        target = Path(wheel_directory).absolute()
        metadata = Path(metadata_directory).absolute() if metadata_directory else None
        with Helper() as helper:
            options = sorted(f"{key}={value}" for key, value in (config_settings or {}).items())
            answer = helper.prepare(build_system, wanted, _version(metadata), options)
            settings = dict(config_settings or {})
            if build_system in _BUILD_DIRECTORY:
                settings.setdefault(_BUILD_DIRECTORY[build_system], answer["build"])
            with environment_of(answer["variables"], Path(answer["source"])):
                name = hook(str(target), settings or None, str(metadata) if metadata else None)
            return helper.finish(target / name)

    return build


class Helper:
    """The helper process of one build. It holds the lock of the build directory until the end of the block."""

    def __init__(self) -> None:
        environment = {**os.environ, "FORCE_MUSA": "0"}  # it builds nothing itself
        if is_isolated_build():
            environment.pop("PYTHONPATH", None)  # pip's way to isolate this process and all that it starts
        self._conversation = Conversation([sys.executable, "-I", "-m", _HELPER], environment)

    def __enter__(self) -> Helper:
        self._conversation.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._conversation.__exit__()

    def prepare(self, build_system: str, wanted: str, version: str, options: Sequence[str]) -> dict[str, Any]:
        """Return the folder to build in ("source"), a build directory ("build") and the "variables" of the build.

        `wanted` is "wheel", "editable" or "metadata".
        """
        isolated = is_isolated_build()
        return self._ask(
            build_system=build_system, wanted=wanted, is_isolated=isolated, version=version, options=options
        )

    def finish(self, wheel: Path) -> str:
        """Return the name of the finished wheel. A wheel without code for MUSA is removed, and ends the process."""
        name: str = self._ask(wheel=str(wheel))["wheel"]
        return name

    def _ask(self, **question: Any) -> dict[str, Any]:
        line = self._conversation.ask(json.dumps(question))
        if not line:  # it said why
            raise SystemExit(1)
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def environment_of(variables: Mapping[str, str], directory: Path) -> Iterator[None]:
    """Set variables and the working directory until the end of the block."""
    patches, before = Patches(), Path.cwd()
    for name, value in variables.items():
        patches.replace_item(os.environ, name, value)
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
        patches.undo()


def _version(metadata: Optional[Path]) -> str:
    """Return the version in the metadata that the build system made before."""
    if metadata is None or not (metadata / "METADATA").is_file():
        return ""
    from email.parser import HeaderParser

    text = (metadata / "METADATA").read_text(encoding="utf-8", errors="replace")
    return HeaderParser().parsestr(text, headersonly=True).get("Version", "")
