"""Find the first divergence: the call that made a bad result of good inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from musa_tools.compare_dumps.records import FORWARD, GRADIENT, OUTPUT, Call
from musa_tools.compare_dumps.result import CallPair, Cause, Divergence
from musa_tools.judge.dump_rules import grows

_RANDOM = ("dropout", "rand", "randn", "bernoulli", "normal", "uniform", "multinomial", "randint", "randperm", "rrelu")
_RANDOM_HINT = "it draws random numbers: seed both runs alike, or set the dropout to 0, and dump again"
_DATA_HINT = (
    "no call in the dumps has made this difference: compare the batches, the weights and the seeds of both runs"
)
_UNMATCHED_HINT = "{} before it in one dump only, the last one {}: look at these first"
_SUM_HINT = "errors add up over many calls, and none stands out"
_CODE_HINT = "CompareWithCPU(dump_error_data=True) writes its inputs, and musa-tools replay runs it alone"


def first_divergence(pairs: Sequence[CallPair]) -> Divergence:
    """Return the first call that made a difference, or another cause of the difference.

    Args:
        pairs: The calls of both runs, in the order of the first.
    """
    inputs = _inputs_of_modules(pairs)
    made = {index: rows for index, pair in enumerate(pairs) if (rows := _made(pair, inputs))}
    received = next((index for index, pair in enumerate(pairs) if _receives(pair)), None)
    if made and (received is None or min(made) <= received):
        index = _innermost(pairs, made)
        return Divergence(Cause.MADE, index, made[index], _hint(pairs[index].call))
    if received is not None:
        rows = tuple(i for i, row in enumerate(pairs[received].rows) if row.measures and row.measures.different)
        if _grown(pairs[:received]):
            return Divergence(Cause.ACCUMULATED, received, rows, _SUM_HINT)
        unmatched = [pair.call.name for pair in pairs[:received] if pair.left is None or pair.right is None]
        hint = _DATA_HINT
        if unmatched:
            hint = _UNMATCHED_HINT.format(f"{len(unmatched)} calls" if len(unmatched) > 1 else "a call", unmatched[-1])
        return Divergence(Cause.RECEIVED, received, rows, hint)
    for index, pair in enumerate(pairs):
        rows = tuple(i for i, row in enumerate(pair.rows) if row.measures and row.measures.different)
        if rows:
            return Divergence(Cause.ACCUMULATED, index, rows, _SUM_HINT)
    return Divergence(Cause.NONE)


def _made(pair: CallPair, inputs_of_modules: dict[str, list[CallPair]]) -> tuple[int, ...]:
    """Return the rows that are bad although all inputs are good."""
    if pair.left is None or pair.right is None:
        return ()
    call = pair.left
    inputs = [row.measures for row in pair.rows if row.measures and row.left and not _is_result(row.left.part)]
    if call.direction == GRADIENT:
        others = inputs_of_modules.get(call.base)
        if not others:
            return ()  # its inputs are not in the dump
        inputs = [row.measures for other in others for row in other.rows if row.measures]
    elif not inputs and call.direction != FORWARD:
        return ()
    inputs += pair.saved
    return tuple(
        index
        for index, row in enumerate(pair.rows)
        if row.measures and row.left and _is_result(row.left.part) and grows(row.measures, inputs)
    )


def _is_result(part: Optional[str]) -> bool:
    return part in (OUTPUT, GRADIENT)


def _receives(pair: CallPair) -> bool:
    """Return whether inputs of a call differ."""
    return any(
        row.measures is not None and row.measures.different
        for row in pair.rows
        if row.left is not None and not _is_result(row.left.part)
    )


def _grown(pairs: Sequence[CallPair]) -> bool:
    """Return whether earlier results have come close to their limits."""
    return any(
        row.measures is not None and row.measures.tensor and row.measures.error > row.measures.allowed / 10 > 0
        for pair in pairs
        for row in pair.rows
        if row.left is not None and _is_result(row.left.part)
    )


def _inputs_of_modules(pairs: Sequence[CallPair]) -> dict[str, list[CallPair]]:
    """Return the calls of every module whose parameters have gradients in the dump."""
    wanted = {pair.call.base for pair in pairs if pair.call.direction == GRADIENT}
    found: dict[str, list[CallPair]] = {}
    for pair in pairs:
        if pair.call.base in wanted and pair.call.direction != GRADIENT and pair.left and pair.right:
            found.setdefault(pair.call.base, []).append(pair)
    return found


def _innermost(pairs: Sequence[CallPair], made: dict[int, tuple[int, ...]]) -> int:
    """Return the first call that made a difference, or the first inside it: a module is as bad as its functions."""
    parents = _parents(pairs)
    at = min(made)
    while True:
        direction = pairs[at].call.direction
        inside = [
            index for index in made if pairs[index].call.direction == direction and _is_inside(index, at, parents)
        ]
        if not inside or min(inside) == at:
            return at
        made = {index: made[index] for index in inside}
        at = min(made)


def _parents(pairs: Sequence[CallPair]) -> dict[int, int]:
    """Map each call to the call of its module; one of the runs may not know it."""
    left = {pair.left.name: index for index, pair in enumerate(pairs) if pair.left}
    right = {pair.right.name: index for index, pair in enumerate(pairs) if pair.right}
    found: dict[int, int] = {}
    for index, pair in enumerate(pairs):
        for call, names in ((pair.left, left), (pair.right, right)):
            if call is not None and call.parent in names:
                found.setdefault(index, names[call.parent])
    return found


def _is_inside(index: int, outer: int, parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    while index in parents and index not in seen:
        seen.add(index)
        index = parents[index]
        if index == outer:
            return True
    return False


def _hint(call: Call) -> str:
    words = call.base.replace(".", "_").lower().strip("_").split("_")
    return _RANDOM_HINT if any(each in words for each in _RANDOM) else _CODE_HINT
