"""How fast musa-converter is, against reading the files, parsing them, and torch_musa's way.

    python benchmarks/convert.py [TREE] [--runs 5] [--every 20]

TREE is a folder of Python files; without it, PyTorch's own package. Everything happens in memory: nothing is written.
The competitors take turns. Numbers are MB of tree in a second of CPU time (and of wall time, for the processes), from
the best run. torch_musa's way (libcst, every word replaced in names, comments and strings) is written afresh here; it
converts each 20th file only, and needs `pip install libcst`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Optional

from musa_tools.convert.files import Job, convert_files
from musa_tools.convert.python_file import parse
from musa_tools.convert.results import Options
from musa_tools.convert.tree import Exclusions, files_of

WORDS = {"CUDA": "MUSA", "cuda": "musa", "NCCL": "MCCL", "nccl": "mccl", "nvcc": "mcc"}


def read(paths: Sequence[str]) -> None:
    """Read all: the floor."""
    for path in paths:
        Path(path).read_bytes()


def read_and_parse(paths: Sequence[str]) -> None:
    """Read and parse all: what a converter without a look at the bytes begins with."""
    for path in paths:
        with suppress(SyntaxError):  # of a newer Python
            parse(Path(path).read_bytes())


def convert(paths: Sequence[str], processes: int) -> None:
    """Convert all in memory, as the command does before it writes."""
    for _ in convert_files([Job(path) for path in paths], Options(), processes):
        pass


def peers_way() -> Optional[Callable[[Sequence[str]], None]]:
    """Return torch_musa's way, if libcst is installed."""
    if find_spec("libcst") is None:
        return None
    import libcst

    def replaced(text: str) -> str:
        for old, new in WORDS.items():
            text = text.replace(old, new)
        return text

    class Replace(libcst.CSTTransformer):
        def leave_Name(self, original_node: libcst.Name, updated_node: libcst.Name) -> libcst.Name:
            return updated_node.with_changes(value=replaced(updated_node.value))

        leave_Comment = leave_SimpleString = leave_FormattedStringText = leave_Name

    def run(paths: Sequence[str]) -> None:
        for path in paths:
            _ = libcst.parse_module(Path(path).read_text(encoding="utf-8")).visit(Replace()).code

    return run


def measured(action: Callable[[], None]) -> tuple[float, float]:
    """Return CPU time, children's included, and wall time."""
    before, start = os.times(), time.perf_counter()
    action()
    return sum(os.times()[:4]) - sum(before[:4]), time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--every", type=int, default=20)
    arguments = parser.parse_args()
    tree = arguments.tree
    if tree is None:
        spec = find_spec("torch")
        assert spec is not None and spec.origin is not None, "no torch here: name a folder"
        tree = Path(spec.origin).parent
    paths = [path for path in files_of(tree, Exclusions(tree, [])) if path.endswith(".py")]
    some = paths[:: arguments.every]
    processes = os.cpu_count() or 1
    rows: list[tuple[str, Callable[[], None], Sequence[str], int]] = [
        ("read", lambda: read(paths), paths, arguments.runs),
        ("read and parse", lambda: read_and_parse(paths), paths, arguments.runs),
        ("musa-converter --jobs 1", lambda: convert(paths, 1), paths, arguments.runs),
        (f"musa-converter --jobs {processes}", lambda: convert(paths, processes), paths, arguments.runs),
    ]
    peer = peers_way()
    if peer is not None:
        rows.append((f"torch_musa's way, each {arguments.every}th file", lambda: peer(some), some, 1))
    else:
        print("torch_musa's way: needs libcst")
    print(f"{tree}: {len(paths)} files, {size(paths) / 1e6:.1f} MB")
    print("| | CPU s | MB/s of CPU time | wall s | MB/s of wall time |\n|---|--:|--:|--:|--:|")
    found: list[list[tuple[float, float]]] = [[] for _ in rows]
    for turn in range(arguments.runs):
        for (_, action, _, runs), times in zip(rows, found):
            if turn < runs:
                times.append(measured(action))
    for (name, _, files, _), times in zip(rows, found):
        (cpu, wall), megabytes = (min(each) for each in zip(*times)), size(files) / 1e6
        print(f"| {name} | {cpu:.2f} | {rate(megabytes, cpu)} | {wall:.2f} | {rate(megabytes, wall)} |")


def rate(megabytes: float, seconds: float) -> str:
    """Return megabytes per second; of a few files, the clock of CPU time does not move."""
    return f"{megabytes / seconds:.2f}" if seconds else "-"


def size(paths: Sequence[str]) -> int:
    return sum(Path(path).stat().st_size for path in paths)


if __name__ == "__main__":
    main()
