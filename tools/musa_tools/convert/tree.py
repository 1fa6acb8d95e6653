"""The files of a project: its scripts, without folders of generated or installed files."""

# ruff: noqa: PTH110, PTH113, PTH114, PTH118, PTH119, PTH122, PTH123
# (Paths are plain text here: there are thousands, and a Path object costs more than the calls made with it.)

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

_PYTHON = frozenset({".py", ".pyw", ".pyi"})
_SHELL = frozenset({".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".pbs"})
_SCRIPTS = frozenset({*_PYTHON, *_SHELL, ".ipynb"})
_CONFIG = frozenset({".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".env", ".conf", ".mk"})
_CONFIG_NAMES = re.compile(r"\.env(?:\..+)?|(?:Dockerfile|Containerfile)(?:\..+)?|(?:GNU)?[Mm]akefile")
_IGNORED = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".tox", ".nox", ".eggs", ".ipynb_checkpoints"}
)
_BUILT = frozenset({"build", "dist"})
_SHEBANG = re.compile(rb"#!.*\b(?:(python)|(?:ba|z|k|da)?sh\b)")


def kind_of_file(path: str) -> str:
    """Return "python", "notebook", "shell", "config", or nothing for a file that is not looked at."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in _PYTHON:
        return "python"
    if suffix == ".ipynb":
        return "notebook"
    if suffix in _SHELL:
        return "shell"
    if suffix in _CONFIG or _CONFIG_NAMES.fullmatch(os.path.basename(path)):
        return "config"
    # A pipe has no first line until somebody writes to it.
    return _kind_by_shebang(path) if not suffix and os.path.isfile(path) else ""


def _kind_by_shebang(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            found = _SHEBANG.match(stream.read(100))
    except OSError:
        return ""
    return "" if found is None else "python" if found[1] else "shell"


class Exclusions:
    """The files and folders that a user wants left alone: paths and patterns."""

    def __init__(self, root: Path, texts: Iterable[str]) -> None:
        self.unknown: list[str] = []
        self._paths: set[str] = set()
        self._patterns: list[str] = []
        for text in texts:
            for each in [text] if Path(text).exists() or (root / text).exists() else text.split(","):
                if each.strip():
                    self._add(root, each.strip())

    def _add(self, root: Path, text: str) -> None:
        found = [os.path.realpath(path) for path in (Path(text), root / text) if path.exists()]
        if found:
            self._paths.update(found)
        elif glob.has_magic(text):
            self._patterns.append(text.rstrip("/"))
        else:
            self.unknown.append(text)

    def add_folder(self, path: Path) -> None:
        """Leave a folder alone, whether it is there or not."""
        self._paths.add(os.path.realpath(path))

    def covers(self, path: str, relative: str) -> bool:
        """Whether a file or folder is excluded."""
        name = os.path.basename(relative)
        return os.path.realpath(path) in self._paths or any(
            fnmatch(relative, pattern) or fnmatch(name, pattern) or fnmatch(path, pattern) for pattern in self._patterns
        )


def files_of(root: Path, exclusions: Exclusions) -> Iterator[str]:
    """Yield the scripts under a folder, in order. Links are not followed: targets inside it are found anyway."""
    return (path for path in _scripts(root, exclusions) if not os.path.islink(path))


def links_of(root: Path, exclusions: Exclusions) -> Iterator[str]:
    """Yield the links to scripts under a folder, in order."""
    return filter(os.path.islink, _scripts(root, exclusions))


def unusual_of(root: Path, exclusions: Exclusions) -> Iterator[tuple[str, str]]:
    """Yield entries that are called like scripts and are none, and linked folders outside of `root`, with reasons."""
    if root.is_file():
        return
    for folder, folders, names, relative in _folders(root, exclusions):
        for name in sorted(names):
            path = os.path.join(folder, name)
            is_script = os.path.splitext(name)[1].lower() in _SCRIPTS and not os.path.isfile(path)
            if is_script and not exclusions.covers(path, os.path.normpath(os.path.join(relative, name))):
                yield path, "a link to nothing" if os.path.islink(path) else "neither a file nor a folder"
        for name in folders:
            target = os.path.realpath(os.path.join(folder, name))
            if os.path.islink(os.path.join(folder, name)) and not f"{target}/".startswith(f"{os.path.realpath(root)}/"):
                yield os.path.join(folder, name), f"a link to the folder {target}"


def _folders(root: Path, exclusions: Exclusions) -> Iterator[tuple[str, list[str], list[str], str]]:
    """Yield each folder that is looked at, the names of the folders and the files in it, and its path below `root`."""
    for folder, folders, names in os.walk(os.path.realpath(root)):
        relative = os.path.relpath(folder, os.path.realpath(root))
        folders[:] = sorted(name for name in folders if _enters(folder, name, relative, exclusions))
        yield folder, folders, names, relative


def _scripts(root: Path, exclusions: Exclusions) -> Iterator[str]:
    """Yield scripts and links to scripts."""
    if root.is_file():
        if not exclusions.covers(str(root), root.name):
            yield os.path.realpath(root)
        return
    for folder, _, names, relative in _folders(root, exclusions):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if (
                kind_of_file(path)
                and os.path.isfile(path)
                and not exclusions.covers(path, os.path.normpath(os.path.join(relative, name)))
            ):
                yield path


def _enters(folder: str, name: str, relative: str, exclusions: Exclusions) -> bool:
    path = os.path.join(folder, name)
    if name in _IGNORED or name.endswith(".egg-info") or os.path.exists(os.path.join(path, "pyvenv.cfg")):
        return False
    if name in _BUILT and not os.path.exists(os.path.join(path, "__init__.py")):
        return False
    return not exclusions.covers(path, os.path.normpath(os.path.join(relative, name)))
