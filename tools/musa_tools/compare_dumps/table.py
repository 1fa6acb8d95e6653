"""Compare two dumps: pairs of runs, of calls, of values, and their marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Optional

from musa_tools.compare_dumps.align import Alignment, align
from musa_tools.compare_dumps.measure import measure, without_noise
from musa_tools.compare_dumps.records import BACKWARD, FORWARD, GRADIENT, OUTPUT, Call, Dump, Run, Value
from musa_tools.compare_dumps.result import CallPair, Comparison, Section, ValuePair, first_divergence
from musa_tools.compare_dumps.sessions import described, differences
from musa_tools.compare_dumps.unread_values import MatchedCalls, MatchedValues, unread_values
from musa_tools.errors import ToolError
from musa_tools.judge.dump_rules import PROFILES, Judge, Judgement, Mark, without_content, worst
from musa_tools.judge.measures import Measures

Aligner = Callable[[Run, Run], Alignment]
_MISSING_LEFT, _MISSING_RIGHT = "only in the second dump", "only in the first dump"
_MOVED = "made elsewhere in the second run"
_UNREAD, _UNWRITTEN = "not read", "uninitialised"


def compare(left: Dump, right: Dump, profile: str = "default", aligner: Aligner = align) -> Comparison:
    """Return two dumps side by side.

    Args:
        left: The run to judge.
        right: The reference.
        profile: The rules: ``default``, ``msprobe`` or ``ptdbg``.
        aligner: Pairs the calls.
    """
    if profile not in PROFILES:
        raise ToolError(f"there is no profile {profile!r}", wanted=f"one of {', '.join(PROFILES)}")
    pairs, notes = _paired_runs(left, right)
    sections = tuple(_section(a, b, PROFILES[profile], aligner) for a, b in pairs)
    warnings = tuple(differences(left.session, right.session))
    sources = described(left.session), described(right.session)
    return Comparison(left.path, right.path, profile, sections, tuple(notes), warnings, sources)


def _paired_runs(left: Dump, right: Dump) -> tuple[list[tuple[Run, Run]], list[str]]:
    """Return runs of the same step and rank.

    Two dumps of one run each belong together, whatever the names of the runs.
    """
    if len(left.runs) == len(right.runs) == 1:
        return [(left.runs[0], right.runs[0])], []
    same_ranks = [sorted({run.rank for run in dump.runs}) for dump in (left, right)]
    one_rank = all(len(ranks) == 1 for ranks in same_ranks)

    def key(run: Run) -> tuple[str, str]:
        return run.step, "" if one_rank else run.rank

    here, there = {key(run): run for run in left.runs}, {key(run): run for run in right.runs}
    pairs = [(here[each], there[each]) for each in here if each in there]
    if not pairs:
        raise ToolError(
            "the dumps have no step and rank in common",
            found=f"{_names(left)} in {left.path}, {_names(right)} in {right.path}",
            hint="name the two folders of ranks to compare them",
        )
    notes = [
        f"only in {dump.path}: {_name(run)}"
        for dump, other in ((left, there), (right, here))
        for run in dump.runs
        if key(run) not in other
    ]
    return pairs, notes


def _name(run: Run) -> str:
    return ", ".join(each for each in (run.step and f"step {run.step}", f"rank {run.rank}" if run.rank else "") if each)


def _names(dump: Dump) -> str:
    return "; ".join(_name(run) or run.source.name for run in dump.runs)


def _section(left: Run, right: Run, judge: Judge, aligner: Aligner) -> Section:
    calls = [
        MatchedCalls(a, b, moved, _measured(a, b) if a is not None and b is not None else ())
        for a, b, moved in _merged(left.calls, right.calls, aligner(left, right))
    ]
    pairs: list[CallPair] = []
    forward: dict[tuple[str, int], CallPair] = {}
    for each, unread in zip(calls, unread_values(calls)):
        a = each.left
        saved = _saved(forward.get((a.base, a.number))) if a is not None and a.direction == BACKWARD else ()
        pairs.append(_pair(each, unread, judge, saved))
        if a is not None and a.direction == FORWARD:
            forward[a.base, a.number] = pairs[-1]
    notes = (*left.notes, *right.notes)
    return Section(left.step, left.rank or right.rank, tuple(pairs), first_divergence(pairs), notes)


def _merged(
    left: Sequence[Call], right: Sequence[Call], alignment: Alignment
) -> list[tuple[Optional[Call], Optional[Call], bool]]:
    """Return all calls of both runs in one order: the first run's, with the calls that only the second made."""
    moved = dict(alignment.moved)
    taken = set(moved.values())
    merged: list[tuple[Optional[Call], Optional[Call], bool]] = []
    i = j = 0
    for at, other in [*alignment.pairs, (len(left), len(right))]:
        for index in range(i, at):
            merged.append((left[index], right[moved[index]] if index in moved else None, index in moved))
        merged += [(None, right[index], False) for index in range(j, other) if index not in taken]
        if at < len(left):
            merged.append((left[at], right[other], False))
        i, j = at + 1, other + 1
    return merged


def _saved(pair: Optional[CallPair]) -> tuple[Measures, ...]:
    """Return the values of a forward call: gradients are computed from them as well."""
    return tuple(row.measures for row in pair.rows if row.measures is not None) if pair is not None else ()


def _pair(calls: MatchedCalls, unread: frozenset[int], judge: Judge, saved: tuple[Measures, ...]) -> CallPair:
    left, right, moved, values = calls
    if left is None or right is None:
        words = _MISSING_LEFT if left is None else _MISSING_RIGHT
        call = left or right
        rows = tuple(
            ValuePair(value if left else None, None if left else value, None, Mark.UNMATCHED, (words,))
            for value in (call.values if call else ())
        )
        return CallPair(left, right, False, rows, None, None)
    found = [
        replace(measures, negligible=measures.structure_equal) if measures and index in unread else measures
        for index, (_, _, measures) in enumerate(values)
    ]
    inputs = [(measures, a) for measures, (a, _, _) in zip(found, values) if measures and a and not _is_result(a)]
    before = [measures for measures, _ in inputs]
    judged_rows: list[ValuePair] = []
    for index, (measures, (a, b, _)) in enumerate(zip(found, values)):
        if measures is None:
            words = _MISSING_LEFT if a is None else _MISSING_RIGHT
            judged_rows.append(ValuePair(a, b, None, Mark.UNMATCHED, (words,)))
            continue
        assert a is not None
        if index in unread:
            judged = without_content(measures, _UNWRITTEN if _is_result(a) else _UNREAD)
        else:
            measures = without_noise(measures, a, inputs) if _is_result(a) else measures
            judged = judge(measures, [*before, *saved], a.part == OUTPUT)
        judged_rows.append(_row(a, b, measures, judged, moved))
    after = [row.measures for row in judged_rows if row.measures and row.left and _is_result(row.left)]
    return CallPair(left, right, moved, tuple(judged_rows), _distance(before), _distance(after), saved)


def _row(left: Value, right: Optional[Value], found: Measures, judged: Judgement, moved: bool) -> ValuePair:
    reasons = (*judged.reasons, _MOVED) if moved else judged.reasons
    return ValuePair(left, right, found, judged.mark, reasons)


def _is_result(value: Value) -> bool:
    return value.part in (OUTPUT, GRADIENT)


def _distance(rows: Sequence[Measures]) -> Optional[float]:
    return worst(rows) if rows else None


def _measured(left: Call, right: Call) -> list[MatchedValues]:
    return [(a, b, measure(a, b) if a is not None and b is not None else None) for a, b in _values(left, right)]


def _values(left: Call, right: Call) -> list[tuple[Optional[Value], Optional[Value]]]:
    """Return the values of two calls by position; a single result may be named without a number."""
    if len(left.values) == len(right.values) and all(
        a.part == b.part and a.position == b.position for a, b in zip(left.values, right.values)
    ):
        return list(zip(left.values, right.values))
    there = {(value.part, value.position or "0"): value for value in right.values}
    pairs: list[tuple[Optional[Value], Optional[Value]]] = [
        (value, there.pop((value.part, value.position or "0"), None)) for value in left.values
    ]
    return [*pairs, *((None, value) for value in there.values())]
