"""JSON that every reader takes: what is not finite becomes a text, as Python, JavaScript and pandas read it back."""

from __future__ import annotations

import json
import math
from typing import Any

_encode = json.JSONEncoder(allow_nan=False).encode


def encoded(value: Any) -> str:
    """Return a value as JSON; NaN and the infinities become ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``."""
    try:
        return _encode(value)
    except ValueError:  # most values are finite, and the encoder finds out faster
        return _encode(_spelled(value))


def _spelled(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [_spelled(each) for each in value]
    if isinstance(value, dict):
        return {key: _spelled(each) for key, each in value.items()}
    return value
