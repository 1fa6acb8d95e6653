"""Compare two dumps of many rows, of which calls were inserted, deleted and moved: musa-tools against a peer's way.

    python benchmarks/compare_dumps.py [--rows 100000] [--changed 0.3]

Makes two dumps in msprobe's form: a model of equal layers, whose calls repeat over and over, and the same with a share
of the calls inserted, deleted or moved, and with rounding errors. Measures reading, aligning, judging and writing, and
counts how many calls were given their true partner. The peer's way is that of ptdbg_ascend and msprobe, written afresh:
two queues are read in lock step; the newest call of one is looked for in the other; what does not fit is skipped.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musa_tools.compare_dumps.align import align
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.records import Call
from musa_tools.compare_dumps.report.content import as_content
from musa_tools.compare_dumps.report.files import write_files
from musa_tools.compare_dumps.table import compare

_BLOCK = ("linear", "linear", "linear", "matmul", "softmax", "dropout", "matmul", "linear", "add", "layer_norm", "gelu")
_KINDS = ("inserted", "deleted", "moved")


@dataclass(frozen=True)
class Event:
    """A call of a run: which function, on what numbers. ``identity`` is the same in both runs."""

    identity: int
    function: str
    size: int
    numbers: tuple[float, ...]


def first_run(calls: int, seed: int = 0) -> list[Event]:
    """Return a run of a model with equal layers: a function's calls differ by their numbers only."""
    source = random.Random(seed)
    return [
        Event(i, _BLOCK[i % len(_BLOCK)], 64 << (i % 3), tuple(source.uniform(0.1, 9) for _ in range(3)))
        for i in range(calls)
    ]


def second_run(events: Sequence[Event], changed: float, seed: int = 1) -> tuple[list[Event], set[int]]:
    """Return a run with a share of the calls inserted, deleted or moved, and the identities of the moved ones."""
    source = random.Random(seed)
    kept: list[Event] = []
    moved: list[Event] = []
    for event in events:
        kind = source.choice(_KINDS) if source.random() < changed else ""
        if kind == "moved":
            moved.append(event)
        elif kind != "deleted":
            kept.append(event)
        if kind == "inserted":
            numbers = tuple(source.uniform(0.1, 9) for _ in range(3))
            kept.append(Event(-1 - event.identity, source.choice(_BLOCK), event.size, numbers))
    for event in moved:
        kept.insert(source.randrange(len(kept) + 1), event)
    return kept, {event.identity for event in moved}


def write(folder: Path, events: Sequence[Event], noise: float, seed: int) -> Path:
    """Write a run as dump.json: three rows for a call."""
    source = random.Random(seed)
    folder.mkdir(parents=True)
    counts: dict[str, int] = {}
    data: dict[str, Any] = {}
    for event in events:
        number = counts[event.function] = counts.get(event.function, -1) + 1
        rows = []
        for value in event.numbers:
            value *= 1 + source.gauss(0, noise)
            rows.append(
                {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [event.size, 64], "Max": value,
                 "Min": -value / 2, "Mean": value / 50, "Norm": value * 30, "requires_grad": True}
            )  # fmt: skip
        data[f"Functional.{event.function}.{number}.forward"] = {"input_args": rows[:2], "output": rows[2:]}
    content = {"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}
    (folder / "dump.json").write_text(json.dumps(content))
    return folder


def peers_pairs(left: Sequence[Call], right: Sequence[Call]) -> list[tuple[int, int]]:
    """Return pairs as two queues in lock step find them."""
    names = [[(call.base, tuple(value.shape for value in call.values)) for call in side] for side in (left, right)]
    here: list[int] = []
    there: list[int] = []
    pairs = []
    for step in range(max(len(left), len(right))):
        if step < len(left):
            here.append(step)
        if step < len(right):
            there.append(step)
        found = _newest(names, here, there)
        if found:
            pairs.append((here[found[0]], there[found[1]]))
            del here[: found[0] + 1], there[: found[1] + 1]
    return pairs


def _newest(names: list[list[Any]], here: list[int], there: list[int]) -> tuple[int, int] | None:
    if not here or not there:
        return None
    newest, other = names[0][here[-1]], names[1][there[-1]]
    if newest == other:
        return len(here) - 1, len(there) - 1
    for index, j in enumerate(there):
        if names[1][j] == newest:
            return len(here) - 1, index
    for index, i in enumerate(here):
        if names[0][i] == other:
            return index, len(there) - 1
    return None


def right_ones(pairs: Sequence[tuple[int, int]], one: Sequence[Event], two: Sequence[Event]) -> int:
    """Return how many pairs are of the same call."""
    return sum(one[i].identity == two[j].identity for i, j in pairs)


def seconds(begin: float) -> float:
    """Return the CPU time since then."""
    return time.process_time() - begin


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--changed", type=float, default=0.3)
    choice = parser.parse_args()
    one = first_run(choice.rows // 3)
    two, moved = second_run(one, choice.changed)
    common = {event.identity for event in one} & {event.identity for event in two}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [write(folder / "a", one, 0.0, 2), write(folder / "b", two, 1e-6, 3)]
        gc.disable()  # as the command does
        begin = time.process_time()
        left, right = read_dump(paths[0]), read_dump(paths[1])
        reading = seconds(begin)
        begin = time.process_time()
        alignment = align(left.runs[0], right.runs[0])
        aligning = seconds(begin)
        begin = time.process_time()
        comparison = compare(left, right)
        comparing = seconds(begin)
        begin = time.process_time()
        files = write_files(comparison, folder / "out", ["csv"], None)
        table = seconds(begin)
        begin = time.process_time()
        files += write_files(comparison, folder / "out", ["json", "html"], as_content(comparison))
        pages = seconds(begin)
        sizes = ", ".join(f"{path.suffix[1:]} {path.stat().st_size / 1e6:.0f} MB" for path in files)
        begin = time.process_time()
        theirs = peers_pairs(left.runs[0].calls, right.runs[0].calls)
        peer = seconds(begin)
    print(f"{choice.rows} rows, {len(one)} and {len(two)} calls, {len(common)} in both, {len(moved)} of them moved")
    print(f"read {reading:.2f} s, align {aligning:.2f} s, align and judge {comparing:.2f} s")
    print(f"write the table {table:.2f} s, JSON and page {pages:.2f} s: {sizes}")
    ours = right_ones([*alignment.pairs, *alignment.moved], one, two)
    total = reading + comparing + table
    print(f"read, align, judge and write the table: {total:.2f} s (goal 10); and JSON and page: {total + pages:.2f} s")
    print("| | true partners | wrong partners | seconds to align |\n|---|--:|--:|--:|")
    wrong = len(alignment.pairs) + len(alignment.moved) - ours
    print(f"| musa-tools | {ours / len(common):.2%} | {wrong} | {aligning:.2f} |")
    found = right_ones(theirs, one, two)
    print(f"| the peer's way | {found / len(common):.2%} | {len(theirs) - found} | {peer:.2f} |")


if __name__ == "__main__":
    main()
