"""The files of a plan: which text goes where. A file is written only if its text has changed."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from pathlib import Path
from typing import Optional

from . import emit
from .entries import MAIN_KEY
from .plan import Plan, Registration

MOST_SHARDS = 16  # files that compile in parallel; one with sixty functions takes a g++ 1 GB
_PER_SHARD = 40  # functions: with fewer, PyTorch's headers take most of the time


def files_of(plan: Plan, shards: Optional[int] = None) -> dict[str, str]:
    """Return the text of each file, by its path below the folder of generated files.

    The shard of a function depends on its name alone, so a changed entry compiles one shard again.

    Args:
        plan: The code to write.
        shards: Number of C++ files; by the number of functions if None.
    """
    shards = shards or min(MOST_SHARDS, 1 + len(plan.registrations) // _PER_SHARD)
    by_root: dict[str, list[Registration]] = defaultdict(list)
    by_shard: dict[int, list[Registration]] = defaultdict(list)
    for each in plan.registrations:
        by_root[each.root].append(each)
        by_shard[_shard(each.root, shards)].append(each)
    files: dict[str, str] = {}
    for root, members in by_root.items():
        main = [each for each in members if each.key == MAIN_KEY]
        files[f"ATen/ops/{root}_native.h"] = emit.native_header(root, members)
        if main:
            files[f"ATen/ops/{root}_musa_dispatch.h"] = emit.dispatch_header(root, main)
    for number, members in sorted(by_shard.items()):
        files[f"RegisterMUSA_{number}.cpp"] = emit.source(members)
    roots = sorted(root for root in by_root if f"ATen/ops/{root}_musa_dispatch.h" in files)
    includes = "".join(f"#include <ATen/ops/{root}_musa_dispatch.h>\n" for root in roots)
    files["ATen/MUSAFunctions.h"] = f"#pragma once\n{includes}"
    return files


def _shard(root: str, shards: int) -> int:
    return int.from_bytes(hashlib.sha256(root.encode()).digest()[:4], "big") % shards


def write(files: dict[str, str], folder: Path) -> tuple[list[str], list[str]]:
    """Write changed files, and remove generated files that no longer belong there.

    Args:
        files: Text by path.
        folder: Where they go. Nothing but generated files may be in it.

    Returns:
        The paths that were written, and those that were removed.
    """
    written = []
    for name, text in files.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
            written.append(name)
    stale = [
        path
        for pattern in ("RegisterMUSA_*.cpp", "ATen/ops/*_native.h", "ATen/ops/*_musa_dispatch.h")
        for path in folder.glob(pattern)
        if str(path.relative_to(folder)) not in files
    ]
    for path in stale:
        path.unlink()
    return written, [str(path.relative_to(folder)) for path in stale]
