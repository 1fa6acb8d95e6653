"""A comparison in words."""

from __future__ import annotations

from musa_tools.compare_dumps.report.tree import module_path
from musa_tools.compare_dumps.result import Cause, Comparison, Pair, Section
from musa_tools.judge.rows import Mark


def headline(comparison: Comparison) -> str:
    """Return the outcome in one line."""
    first = comparison.first
    if first is None:
        errors = comparison.count(Mark.ERROR)
        return f"{errors} values differ" if errors else "The runs agree"
    call = first.pairs[first.divergence.index].call
    where = f" ({first.title})" if first.title else ""
    return {
        Cause.MADE: f"First divergence: {call.name}{where}",
        Cause.RECEIVED: f"The runs differ before {call.name}{where}",
        Cause.ACCUMULATED: f"Errors add up; usual bounds are first left at {call.name}{where}",
    }[first.divergence.cause]


def paragraphs(comparison: Comparison) -> list[str]:
    """Return what is known about the first divergence, and notes."""
    words = []
    first = comparison.first
    if first is not None:
        pair = first.pairs[first.divergence.index]
        words += [agreement(first, pair)]
        layer = module_path(pair)
        words += [f"module: {layer}"] if layer else []
        for index in first.divergence.rows:
            row = pair.rows[index]
            value = row.left or row.right
            if value is not None:
                words.append(f"{value.part} {value.position}: {'; '.join(row.reasons) or 'differs'}")
        words += [f"code: {pair.call.stack[0]}"] if pair.call.stack else []
        words.append(f"hint: {first.divergence.hint}")
    words += [f"note: {note}" for section in comparison.sections for note in section.notes]
    return words + [f"note: {note}" for note in comparison.notes]


def agreement(section: Section, pair: Pair) -> str:
    """Return how far inputs and results of a call are apart."""
    before = "no inputs in the dump" if pair.before is None else f"inputs {distance(pair.before)}"
    after = "no results in the dump" if pair.after is None else f"result {distance(pair.after)}"
    if section.divergence.cause is Cause.MADE:
        return f"{before}, but {after}"
    return f"{before}, {after}"


def distance(error: float) -> str:
    """Return a distance in words."""
    if error == 0:
        return "agree"
    if error == float("inf"):
        return "cannot be equal (NaN, Inf, shape, dtype or value)"
    return f"{error:.1e} apart"


def section_facts(section: Section) -> dict[str, str]:
    """Return a line of the table of sections."""
    calls = sum(pair.left is not None and pair.right is not None for pair in section.pairs)
    lone = sum(pair.left is None or pair.right is None for pair in section.pairs)
    divergence = section.divergence
    name = section.pairs[divergence.index].call.name if divergence.cause is not Cause.NONE else "-"
    return {
        "run": section.title or "-",
        "calls": str(calls),
        "only in one": str(lone),
        "moved": str(sum(pair.moved for pair in section.pairs)),
        "rows": str(sum(len(pair.rows) for pair in section.pairs)),
        "error": str(section.count(Mark.ERROR)),
        "warning": str(section.count(Mark.WARNING)),
        "first divergence": f"{name} ({divergence.cause.value})" if name != "-" else "-",
    }
