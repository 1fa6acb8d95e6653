"""The descriptions of runs: session.json, which a dump writes beside its steps."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_RANK = re.compile(r"rank(\d*)")
_STEP = re.compile(r"step\d+")
#: The settings that select the calls and values of a dump.
_CONFIG = ("form", "task", "level", "scope", "names", "tensor_names", "data_mode", "summary_mode", "wrap_ops")
_DIGITS = 12  # of a commit


def session_of_folder(path: Path, rank: str) -> Mapping[str, Any]:
    """Return the description of the run in a folder of PrecisionDebugger; empty if there is no such file.

    Args:
        path: The folder of a run, a step or a rank.
        rank: The rank of the file.
    """
    names = [f"session_rank{rank}.json"] if rank else []
    for folder in (path, *path.absolute().parents[:2]):
        for name in (*names, "session.json"):
            if (folder / name).is_file():
                return _read(folder / name)
        if not (_STEP.fullmatch(folder.name) or _RANK.fullmatch(folder.name)):
            break
    return {}


def session_of_file(path: Path) -> Mapping[str, Any]:
    """Return the description of the run in a file of lines."""
    return _read(path.with_suffix(".session.json"))


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # the comparison does not depend on it
        return {}
    return content if isinstance(content, dict) else {}


def described(session: Mapping[str, Any]) -> str:
    """Return a run in one line, for a person; empty where nothing is known."""
    versions = _part(session, "versions")
    command = session.get("argv")
    head = session.get("git_head")
    words = [
        str(session.get("time") or "").replace("T", " ")[:19],
        str(session.get("accelerator") or ""),
        *(f"{name} {version}" for name, version in versions.items() if version),
        f"git {str(head)[:_DIGITS]}" if head else "",
        shlex.join(map(str, command)) if isinstance(command, list) else "",
    ]
    return ", ".join(word for word in words if word)


def differences(left: Mapping[str, Any], right: Mapping[str, Any]) -> list[str]:
    """Return the differing settings and versions of two runs, which may explain differing values."""
    if not left or not right:
        return []
    found = [
        f"the runs differ in {name}: {_shown(here)} in the run, {_shown(there)} in the reference"
        for name, here, there in _compared(left, right)
        if here != there
    ]
    generators = _other_random_numbers(_part(left, "seeds"), _part(right, "seeds"))
    if generators:
        found.append(f"the random states differ ({', '.join(generators)}): use the same seed")
    return found


def _compared(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for key in _CONFIG:
        yield key, _part(left, "config").get(key), _part(right, "config").get(key)
    for part in ("versions", "settings"):
        here, there = _part(left, part), _part(right, part)
        for key in dict.fromkeys((*here, *there)):
            if key == "torch_musa" and not (here.get(key) and there.get(key)):
                continue  # one run is CUDA's or the CPU's, as a reference usually is
            words = f"version of {key}" if part == "versions" else key
            yield words, here.get(key), there.get(key)


def _other_random_numbers(left: Mapping[str, Any], right: Mapping[str, Any]) -> list[str]:
    """Return the generators with differing states, if PyTorch's is among them: few programs seed all others."""
    states = [key for key in left if key.endswith("_state") and key in right]
    found = [key.removesuffix("_state") for key in states if left[key] != right[key]]
    return found if "torch" in found else []


def _part(session: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = session.get(name)
    return value if isinstance(value, dict) else {}


def _shown(value: Any) -> str:
    return "none" if value in (None, [], ()) else str(value)
