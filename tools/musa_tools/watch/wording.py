"""The texts of the logs, in the form of torch_musa's documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import torch

from musa_tools.judge import closeness
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.numbers import has_arithmetic, is_float, plain
from musa_tools.judge.verdict import Status, Verdict
from musa_tools.tensors.operands import sizes, why_unreadable

BAR = "=" * 28
_MOST_INDICES = 20


def step_header(step: int) -> str:
    """Return the line that begins a step."""
    return f"{'-' * 25}  step = {step}  {'-' * 22}\n"


def tensor_head(tensor: torch.Tensor, inspect: bool = True) -> str:
    """Return a tensor's facts on one line, marked with [WARNING] if it holds NaN or Inf."""
    # The words up to "size=" are the documents'; the rest was added later.
    nested = tensor.is_nested
    shape, size = (torch.Size(sizes(tensor)), "?") if nested else (tensor.shape, tensor.numel())
    facts = f"shape={shape}, dtype={tensor.dtype}, device={tensor.device}, size={size}, "
    counts = _counts(tensor) if inspect else None
    if counts is not None:
        return f"[WARNING] Tensor <{facts}nan_num={counts[0]}, inf_num={counts[1]}>"
    return f"Tensor <{facts}>"


def _counts(tensor: torch.Tensor) -> Optional[tuple[int, int]]:
    if not has_arithmetic(tensor.dtype) or why_unreadable(tensor) or not tensor.numel():
        return None
    values = plain(tensor)
    nan, inf = int(values.isnan().sum()), int(values.isinf().sum())
    return (nan, inf) if nan or inf else None


def value_text(value: Any) -> str:
    """Return a value as one line."""
    if isinstance(value, torch.Tensor):
        return tensor_head(value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ", ".join(value_text(item) for item in value) + right
    return str(value)


def arguments_text(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return one line per argument."""
    named = [*((str(position), value) for position, value in enumerate(args)), *kwargs.items()]
    return "\n".join(f"{name}: {value_text(value)}, " for name, value in named)


def failure(
    name: str, label: str, verdict: Verdict, inputs: str, outputs: Any, verbose: bool, tolerance: Optional[Tolerance]
) -> str:
    """Return the entry for a result that differs from the CPU's."""
    lines = ["", BAR, f"[ERROR] {name} fails to pass CompareWithCPU test"]
    if label:
        lines.append(f"  module: {label}")
    if verdict.path:
        lines.append(f"  result: {verdict.path}")
    if verbose:
        lines += ["....... input .........", inputs, "", "", "...... output ........", value_text(outputs)]
    lines += ["", "...... compare with cpu .......", *_difference(verdict, tolerance), "", BAR]
    return "\n".join(lines)


def _difference(verdict: Verdict, tolerance: Optional[Tolerance]) -> list[str]:
    a, b = verdict.actual, verdict.expected
    lines = [verdict.reason, ""]
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return [*lines, value_text(a), value_text(b)]
    if verdict.status in (Status.VALUES, Status.NONFINITE) and a.shape == b.shape:
        lines += _elements(a, b, tolerance)
        measured = closeness.measures(a.detach().to("cpu"), b)
        lines += [f"  {measured}", ""] if measured else []
    return [*lines, tensor_head(a), repr(a.detach()), tensor_head(b), repr(b.detach())]


def _elements(actual: torch.Tensor, expected: torch.Tensor, tolerance: Optional[Tolerance]) -> list[str]:
    a, b = actual.detach().to("cpu"), expected.detach().to("cpu")
    if is_float(a.dtype):
        differs = closeness.nonfinite_differ(a, b.to(a.dtype))
        differs |= closeness.beyond(a, b, tolerance or Tolerance(0.0, 0.0))
    else:
        differs = a != b
    total, indices = closeness.first_indices(differs, _MOST_INDICES)
    lines = [f"Too many indices (total {total}) to print ", "", "...", ""] if total > _MOST_INDICES else []
    for index in indices:
        left, right = a[index].item(), b[index].item()
        text = f"{left}({actual.device}) vs {right}({expected.device})"
        lines.append(f"Element at index {index} is not close: {text}")
    return [*lines, "", "...", ""] if total > _MOST_INDICES else [*lines, ""]


def nonfinite_entry(name: str, label: str, note: str, inputs: str, outputs: str) -> str:
    """Return the entry for an operator that made NaN or Inf."""
    lines = ["", BAR, f"[WARNING] {name} {note}"]
    if label:
        lines.append(f"  module: {label}")
    lines += ["....... input .........", inputs, "", "", "...... output ........", outputs, "", BAR]
    return "\n".join(lines)
