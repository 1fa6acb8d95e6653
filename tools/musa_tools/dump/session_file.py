"""session.json: which program, with which versions, seeds and settings, has written a dump. Once per run.

The commit is read from git's own files: git need not be installed, and is not run.
"""

from __future__ import annotations

import json
import os
import platform
import random
import sys
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.files import whole_file
from musa_tools.observe.process import rank, unobserved

FORMAT = "musa-tools session 1"
NAME = "session.json"


def session_name(rank_number: Optional[int]) -> str:
    """Return the file's name: ranks share a folder."""
    return NAME if rank_number is None else f"session_rank{rank_number}.json"


def write_session(path: Path, config: Mapping[str, Any]) -> None:
    """Write the description of this run; an earlier file is replaced.

    Args:
        path: The file. Its folder is made.
        config: The user's settings.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(_facts(config), indent=1, default=str) + "\n", encoding="utf-8")


def _facts(config: Mapping[str, Any]) -> dict[str, Any]:
    program = Path(sys.argv[0]).absolute() if sys.argv and sys.argv[0] not in ("", "-c", "-m") else None
    start = program.parent if program is not None and program.exists() else Path.cwd()
    return {
        "format": FORMAT,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "argv": list(sys.argv),
        "git_head": git_head(start),
        "rank": rank(),
        "versions": _versions(),
        "accelerator": _accelerator(),
        "settings": {
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "threads": torch.get_num_threads(),
        },
        "seeds": _seeds(),
        "config": dict(config),
    }


def _versions() -> dict[str, Optional[str]]:
    musa = sys.modules.get("torch_musa")
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "torch_musa": str(getattr(musa, "__version__", "unknown")) if musa is not None else None,
    }


def _accelerator() -> Optional[str]:
    """Return the type of this PyTorch's accelerator, without initialising it."""
    find = getattr(getattr(torch, "accelerator", None), "current_accelerator", None)
    found = find() if find is not None else None
    return str(found.type) if found is not None else "cuda" if torch.version.cuda else None


def _seeds() -> dict[str, Any]:
    """Return the seeds, and checksums of the generators' states: the same ones draw the same numbers."""
    with unobserved():
        seeds: dict[str, Any] = {
            "torch": torch.initial_seed(),
            "torch_state": _checksum(bytes(torch.get_rng_state().tolist())),
            "python_state": _checksum(repr(random.getstate()).encode()),
        }
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        _, key, position, *_ = numpy.random.get_state()
        seeds["numpy_state"] = _checksum(key.tobytes() + str(position).encode())
    if "PYTHONHASHSEED" in os.environ:
        seeds["PYTHONHASHSEED"] = os.environ["PYTHONHASHSEED"]
    return seeds


def _checksum(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"


_HASHES = (40, 64)


def git_head(start: Path) -> Optional[str]:
    """Return the commit of the working tree that a folder is in, or None.

    Args:
        start: The folder.
    """
    try:
        found = next((each / ".git" for each in (start, *start.parents) if (each / ".git").exists()), None)
        return _commit(found) if found is not None else None
    except (OSError, UnicodeDecodeError):
        return None


def _commit(dot_git: Path) -> Optional[str]:
    folder = dot_git
    if dot_git.is_file():  # a worktree or submodule: "gitdir: PATH"
        folder = dot_git.parent / _text(dot_git).partition("gitdir:")[2].strip()
    head = _text(folder / "HEAD")
    if not head.startswith("ref:"):
        return _hash(head)
    name = head.partition("ref:")[2].strip()
    shared = folder / "commondir"
    common = folder / _text(shared) if shared.is_file() else folder
    for each in (folder, common):
        if (each / name).is_file():
            return _hash(_text(each / name))
    packed = common / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []
    return next((_hash(line.split()[0]) for line in lines if line.endswith(f" {name}")), None)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()


def _hash(text: str) -> Optional[str]:
    return text if len(text) in _HASHES and set(text) <= set("0123456789abcdef") else None


def seed_all(seed: int = 1234) -> None:
    """Seed Python, NumPy, PyTorch and its devices. Layers, and dropout too, stay as they are.

    Args:
        seed: From 0 on.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise ValueError(f"seed: found {seed!r}, wanted a number from 0 to {2**32 - 1}")
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)  # for processes that this one starts
    torch.manual_seed(seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(seed)
