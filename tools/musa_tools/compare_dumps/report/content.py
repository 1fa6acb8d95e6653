"""A comparison as plain values and in words: the content of the page and of the JSON file."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Optional

from musa_tools.compare_dumps.records import Call, Value, call_name, layer_of
from musa_tools.compare_dumps.result import CallPair, Cause, Comparison, Section, ValuePair
from musa_tools.judge.dump_rules import Mark

FORMAT = "musa-tools comparison 1"


def as_content(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values.

    Args:
        comparison: It is not changed. Numbers that are not finite become text: JSON has no word for them.
    """
    content = summary(comparison)
    for section, each in zip(comparison.sections, content["sections"]):
        each["calls"] = [_call(pair, path) for pair, path in zip(section.pairs, module_paths(section.pairs))]
    return content


def summary(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values, without its calls.

    Args:
        comparison: It is not changed.
    """
    first = comparison.first
    cause = first.divergence.cause if first else Cause.NONE
    return {
        "format": FORMAT,
        "left": str(comparison.left),
        "right": str(comparison.right),
        "sources": list(comparison.sources),
        "warnings": list(comparison.warnings),
        "profile": comparison.profile,
        "differs": comparison.differs,
        "cause": cause.value,
        "headline": headline(comparison),
        "paragraphs": paragraphs(comparison),
        "counts": {mark.value: comparison.count(mark) for mark in Mark},
        "notes": list(comparison.notes),
        "sections": [_section(section) for section in comparison.sections],
    }


def _section(section: Section) -> dict[str, Any]:
    divergence = section.divergence
    return {
        "step": section.step,
        "rank": section.rank,
        "title": section.title,
        "facts": section_facts(section),
        "notes": list(section.notes),
        "divergence": {
            "cause": divergence.cause.value,
            "call": divergence.index,
            "rows": list(divergence.rows),
            "hint": divergence.hint,
        },
    }


def _call(pair: CallPair, path: str) -> dict[str, Any]:
    return _without_none(
        {
            "name": pair.left.name if pair.left else None,
            "other": pair.right.name if pair.right else None,
            "direction": pair.call.direction,
            "module": path,
            "mark": pair.mark.value,
            "moved": True if pair.moved else None,
            "inputs": _plain(pair.before),
            "result": _plain(pair.after),
            "stack": list(pair.call.stack) or None,
            "rows": [_row(row) for row in pair.rows],
        }
    )


def _row(row: ValuePair) -> dict[str, Any]:
    value = row.left or row.right
    assert value is not None
    measures = row.measures
    content = {
        "value": ".".join(each for each in (value.part, value.position) if each),
        "left": _value(row.left),
        "right": _value(row.right),
        "mark": row.mark.value,
        "reasons": list(row.reasons) or None,
    }
    if measures is not None and measures.tensor:
        content["error"] = _plain(measures.error)
        if measures.elements is not None:
            facts = {key: _plain(each) for key, each in vars(measures.elements).items()}
            content["elements"] = _without_none(facts)
    return _without_none(content)


def _value(value: Optional[Value]) -> Optional[dict[str, Any]]:
    if value is None:
        return None
    if not value.is_tensor:
        return {"type": value.kind, "value": _plain(value.scalar)}
    return _without_none(
        {
            "dtype": value.dtype,
            "shape": list(value.shape or ()),
            **{name: _plain(number) for name, number in value.statistics.items()},
            "md5": value.digest or None,
            "requires_grad": value.requires_grad,
        }
    )


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _without_none(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value is not None}


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
    """Return the facts of the first divergence, and notes."""
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


def agreement(section: Section, pair: CallPair) -> str:
    """Return the distances of the inputs and results of a call, in words."""
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
        "error calls, rows": _calls_and_rows(section, Mark.ERROR),
        "warning calls, rows": _calls_and_rows(section, Mark.WARNING),
        "first divergence": f"{name} ({divergence.cause.value})" if name != "-" else "-",
    }


def _calls_and_rows(section: Section, mark: Mark) -> str:
    """Return how many calls have this mark, which is that of their worst row, and how many rows, as the page does."""
    return f"{sum(pair.mark is mark for pair in section.pairs)}, {section.count(mark)}"


def module_paths(pairs: Sequence[CallPair]) -> list[str]:
    """Return the path of every call's module, as ``layers.0.fc``; if no module is known, the names of functions.

    Args:
        pairs: The calls of a section.
    """
    paths = [module_path(pair) for pair in pairs]
    return paths if any(paths) else [_function(pair.call) for pair in pairs]


def module_path(pair: CallPair) -> str:
    """Return the path of a call's module, empty where neither dump knows it."""
    for call in (pair.left, pair.right):
        found = _module(call) if call is not None else ""
        if found:
            return found
    return ""


def _module(call: Call) -> str:
    if call.layer:
        return call.layer
    return layer_of(call_name(call.parent).base) if call.parent else ""


def _function(call: Call) -> str:
    kind, _, name = call.base.replace("_", ".", 1).partition(".") if "." not in call.base else call.base.partition(".")
    return f"{kind}.{name.replace('.', '_')}"
