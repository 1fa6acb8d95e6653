"""The content of a page in few bytes: every text once, numbers to five digits, lists for objects.

``unpack`` in page_files/page.js undoes it.
"""

from __future__ import annotations

from typing import Any, Optional

_STATISTICS = ("max", "min", "mean", "norm")
_ELEMENTS = ("cosine", "max_abs", "max_rel", "one_thousandth")


def compact(content: dict[str, Any]) -> dict[str, Any]:
    """Return what the page needs of a comparison.

    Args:
        content: What ``content.as_content`` returns.
    """
    texts = _Texts()
    sections = [
        {**section, "calls": [_call(call, texts) for call in section["calls"]]} for section in content["sections"]
    ]
    return {"notes": content["notes"], "sections": sections, "texts": texts.known}


class _Texts:
    """Texts, each with a number."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self._numbers: dict[str, int] = {}

    def of(self, text: Optional[str]) -> int:
        """Return the number of a text, -1 for none."""
        if text is None:
            return -1
        if text not in self._numbers:
            self._numbers[text] = len(self.known)
            self.known.append(text)
        return self._numbers[text]


def _call(call: dict[str, Any], texts: _Texts) -> list[Any]:
    name, other = call.get("name"), call.get("other")
    return [
        name,
        1 if other == name else other,
        texts.of(call["direction"]),
        texts.of(call["module"]),
        texts.of(call["mark"]),
        int(call.get("moved", False)),
        _short(call.get("inputs")),
        _short(call.get("result")),
        [texts.of(line) for line in call.get("stack", ())],
        [_row(row, texts) for row in call["rows"]],
    ]


def _row(row: dict[str, Any], texts: _Texts) -> list[Any]:
    facts = row.get("elements", {})
    packed = [
        texts.of(row["value"]),
        _value(row.get("left"), texts),
        _value(row.get("right"), texts),
        texts.of(row["mark"]),
        [texts.of(reason) for reason in row.get("reasons", ())],
        _short(row.get("error")),
    ]
    return packed + ([_short(facts.get(key)) for key in _ELEMENTS] if facts else [])


def _value(value: Optional[dict[str, Any]], texts: _Texts) -> Any:
    if value is None:
        return 0
    if "shape" not in value:
        return [texts.of(value["type"]), texts.of(str(value.get("value")))]
    shape = ", ".join(map(str, value["shape"]))
    return [texts.of(value["dtype"]), texts.of(shape), *(_short(value.get(key)) for key in _STATISTICS)]


def _short(number: Any) -> Any:
    return float(f"{number:.5g}") if isinstance(number, float) else number
