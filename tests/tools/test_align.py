"""Calls of two runs find each other although calls were inserted, deleted, moved, or have other numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from dumps import Made, network, write_msprobe, write_part
from script_modules import module_of

from musa_tools.compare_dumps.align import align, align_by_name, aligned, anchored, longest_common
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.records import Run

ROOT = Path(__file__).resolve().parents[2]


def length_by_the_book(left: Sequence[int], right: Sequence[int]) -> int:
    row = [0] * (len(right) + 1)
    for item in left:
        new = [0]
        for j, other in enumerate(right):
            new.append(row[j] + 1 if item == other else max(row[j + 1], new[-1]))
        row = new
    return row[-1]


def some(source: random.Random, kinds: int, most: int) -> list[int]:
    return [source.randrange(kinds) for _ in range(source.randrange(most))]


def is_an_alignment(pairs: list[tuple[int, int]], left: Sequence[int], right: Sequence[int]) -> bool:
    rises = all(a[0] < b[0] and a[1] < b[1] for a, b in zip(pairs, pairs[1:]))
    return rises and all(left[i] == right[j] for i, j in pairs)


@pytest.mark.parametrize("kept", [1, 40, 1 << 29], ids=["always halved", "mostly halved", "never halved"])
def test_the_longest_common_subsequence_is_the_longest(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("musa_tools.compare_dumps.align._KEPT_BITS", kept)
    source = random.Random(kept)
    for _ in range(500):
        kinds = source.choice([1, 2, 5, 30])
        left, right = some(source, kinds, 25), some(source, kinds, 25)
        pairs = longest_common(left, right)
        assert is_an_alignment(pairs, left, right) and len(pairs) == length_by_the_book(left, right), (left, right)


def test_anchors_and_alignments_never_cross() -> None:
    source = random.Random(7)
    for _ in range(500):
        kinds = source.choice([2, 8, 60])
        left, right = some(source, kinds, 40), some(source, kinds, 40)
        whole = (0, len(left), 0, len(right))
        certain, pairs = anchored(left, right, whole), aligned(left, right, whole)
        assert is_an_alignment(certain, left, right) and is_an_alignment(pairs, left, right)
        assert set(certain) <= set(pairs)


def test_without_repeated_items_an_alignment_is_a_longest_one() -> None:
    source = random.Random(3)
    for _ in range(200):
        left = source.sample(range(60), 30)
        right = [item for item in left if source.random() < 0.7]
        for item in source.sample(range(60, 90), 8):
            right.insert(source.randrange(len(right) + 1), item)
        pairs = aligned(left, right, (0, len(left), 0, len(right)))
        assert len(pairs) == length_by_the_book(left, right)


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-4])
@pytest.mark.parametrize("seed", range(3))
def test_all_equal_calls_are_matched_with_a_third_of_the_run_changed(noise: float, seed: int, tmp_path: Path) -> None:
    bench = module_of(ROOT / "benchmarks" / "compare_dumps.py", "bench_compare_dumps")
    one = bench.first_run(1500, seed)
    two, moved = bench.second_run(one, 0.3, seed + 100)
    runs = [
        read_dump(bench.write(tmp_path / name, events, share, seed)).runs[0]
        for name, events, share in (("a", one, 0.0), ("b", two, noise))
    ]
    alignment = align(*runs)
    pairs = [*alignment.pairs, *alignment.moved]
    right = [(i, j) for i, j in pairs if one[i].identity == two[j].identity]
    common = {event.identity for event in one} & {event.identity for event in two}
    assert len(right) >= (1 if noise < 1e-5 else 0.99) * len(common)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs), "no call is matched twice"
    assert {one[i].identity for i, _ in alignment.moved} <= moved | {one[i].identity for i, _ in pairs}
    assert len(alignment.moved) >= 0.9 * len(moved)
    assert len(bench.peers_pairs(runs[0].calls, runs[1].calls)) < 0.9 * len(common)  # the older alignment finds fewer


def run_of(folder: Path, calls: list[Made]) -> Run:
    return read_dump(write_msprobe(folder, calls)).runs[0]


def numbers(calls: list[Made]) -> list[Made]:
    """Give calls the numbers that a dump would give them."""
    counts: dict[tuple[str, str], int] = {}
    numbered = []
    for call in calls:
        key = call.base, call.direction
        numbered.append(call.but(number=counts.get(key, 0)))
        counts[key] = counts.get(key, 0) + 1
    return numbered


def test_an_equal_layer_that_was_inserted_is_the_one_that_is_left_over(tmp_path: Path) -> None:
    layers = network(layers=6)[:18]  # forward only: six layers of equal shapes
    plain = [call.but(parent="") for call in layers if not call.base.startswith("Module")]
    extra = [call.but(parent="") for call in network(layers=1, seed=5)[1:3]]
    longer = numbers([*plain[:4], *extra, *plain[4:]])
    alignment = align(run_of(tmp_path / "a", numbers(plain)), run_of(tmp_path / "b", longer))
    assert alignment.pairs == [(i, i if i < 4 else i + 2) for i in range(12)] and not alignment.moved


def test_calls_that_have_moved_are_found(tmp_path: Path) -> None:
    plain = [call.but(parent="") for call in network(layers=6)[:18] if not call.base.startswith("Module")]
    other = numbers([*plain[:2], *plain[4:], *plain[2:4]])
    alignment = align(run_of(tmp_path / "a", numbers(plain)), run_of(tmp_path / "b", other))
    assert alignment.moved == [(2, 10), (3, 11)] and len(alignment.pairs) == 10


def test_other_shapes_of_a_call_are_no_reason_to_part(tmp_path: Path) -> None:
    x, y = torch.ones(2, 3), torch.ones(3, 2)
    calls = [Made("Torch.a", (x,), (x,)), Made("Torch.f", (x,), (x,)), Made("Torch.b", (x,), (x,))]
    wrong = [calls[0], Made("Torch.f", (x,), (y,)), Made("Torch.new", (x,), (x,)), calls[2]]
    alignment = align(run_of(tmp_path / "a", calls), run_of(tmp_path / "b", wrong))
    assert alignment.pairs == [(0, 0), (1, 1), (2, 3)]


def test_modules_count_only_if_both_dumps_know_them(tmp_path: Path) -> None:
    calls = network()
    left = read_dump(write_part(tmp_path / "a", calls)).runs[0]  # a killed run has no construct.json
    assert len(align(left, run_of(tmp_path / "b", calls[1:])).pairs) == len(calls) - 1


def test_without_any_change_calls_are_matched_in_order(tmp_path: Path) -> None:
    zeros = [Made("Torch.f", (torch.zeros(2),), (torch.zeros(2),), number=i) for i in range(50)]
    ones = [Made("Torch.f", (torch.ones(2),), (torch.ones(2),), number=i) for i in range(50)]
    alignment = align(run_of(tmp_path / "a", zeros), run_of(tmp_path / "b", ones))
    assert alignment.pairs == [(i, i) for i in range(50)]


def test_by_name_shapes_count_if_asked_for(tmp_path: Path) -> None:
    x, y = torch.ones(2), torch.ones(3)
    left = run_of(tmp_path / "a", [Made("Torch.f", (x,), (x,)), Made("Torch.g", (x,), (x,))])
    right = run_of(tmp_path / "b", [Made("Torch.f", (y,), (y,)), Made("Torch.g", (x,), (x,))])
    assert align_by_name(left, right, with_shapes=False).pairs == [(0, 0), (1, 1)]
    assert align_by_name(left, right, with_shapes=True).pairs == [(1, 1)]
