"""The comparison of a report's page, held against the texts that it is made of."""

from __future__ import annotations

import random

import pytest

from musa_build.porting.report.side_by_side import GAP, Line, Part, side_by_side


def test_a_line_that_changed_marks_its_words() -> None:
    (row,) = side_by_side(["cudaFree(p);"], ["musaFree(p);"])
    assert row.changed
    assert row.before == Line(1, (Part("cudaFree", True), Part("(p);", False)))
    assert row.after == Line(1, (Part("musaFree", True), Part("(p);", False)))


def test_edits_far_apart_have_a_gap_between_them() -> None:
    before = [str(number) for number in range(40)]
    after = [*before[:5], "five", *before[6:35], *before[36:]]
    rows = list(side_by_side(before, after))
    assert rows.count(GAP) == 1
    assert [row.before.number for row in rows[: rows.index(GAP)] if row.before] == [3, 4, 5, 6, 7, 8, 9]
    (removed,) = [row for row in rows if row.changed and row.after is None]
    assert removed.before == Line(36, (Part("35", True),))


@pytest.mark.parametrize("seed", range(20))
def test_every_line_that_differs_is_shown_as_it_is(seed: int) -> None:
    chance = random.Random(seed)
    before = [chance.choice(("a b", "c", "d(e, f)", "")) for _ in range(chance.randrange(30))]
    after = [line for line in before if chance.random() > 0.2]
    for _ in range(3):
        after.insert(chance.randrange(len(after) + 1), "new line")
    rows = list(side_by_side(before, after))
    for texts, side in ((before, 0), (after, 1)):
        shown = [line for row in rows if (line := row[side])]
        assert all("".join(part.text for part in line.parts) == texts[line.number - 1] for line in shown)
        assert [line.number for line in shown] == sorted({line.number for line in shown})
    hidden = {*range(1, len(before) + 1)} - {row.before.number for row in rows if row.before}
    hidden_after = {*range(1, len(after) + 1)} - {row.after.number for row in rows if row.after}
    assert [before[number - 1] for number in sorted(hidden)] == [after[number - 1] for number in sorted(hidden_after)]
