"""A comparison as plain values: all that the page shows, and the JSON file holds."""

from __future__ import annotations

from math import isfinite
from typing import Any, Optional

from musa_tools.compare_dumps.records import Call, Value
from musa_tools.compare_dumps.report.json_file import FORMAT
from musa_tools.compare_dumps.report.tree import module_paths
from musa_tools.compare_dumps.report.words import headline, paragraphs, section_facts
from musa_tools.compare_dumps.result import Cause, Comparison, Pair, Row, Section
from musa_tools.judge.rows import Mark


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


def _call(pair: Pair, path: str) -> dict[str, Any]:
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
            "rows": [_row(row, pair.call) for row in pair.rows],
        }
    )


def _row(row: Row, call: Call) -> dict[str, Any]:
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
            "max": _plain(value.max),
            "min": _plain(value.min),
            "mean": _plain(value.mean),
            "norm": _plain(value.norm),
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
