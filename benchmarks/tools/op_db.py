"""Hold the judge of CompareWithCPU against PyTorch's own database of operators.

For every operator, float dtype and sample: does the tool call a right result wrong (on the given device, which is
assumed to be right), and does it find one element that was changed by 8 units in the last place times the length of the
longest sum? Writes a table in Markdown.

    python benchmarks/tools/op_db.py --device musa --markdown docs/tools-op-db.md
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import io
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Optional

import torch
from torch.testing._internal.common_methods_invocations import op_db

from musa_tools.compare_tool import CompareWithCPU
from musa_tools.judge.double_precision import condition
from musa_tools.judge.lengths import reduced_length
from musa_tools.judge.numbers import epsilon, exact, is_float
from musa_tools.judge.verdict import Status
from musa_tools.rerun.examine import JUDGE_FAILED, Examination, examine
from musa_tools.rerun.reference import Call
from musa_tools.tensors.operands import mapped, tensors

HEADING = """# CompareWithCPU and PyTorch's own database of operators

Written by `benchmarks/tools/op_db.py`. Every entry of `op_db` in torch.testing runs on the simulated device under
CompareWithCPU, without `atol` and `rtol`, in float32, float16, bfloat16 and float64, with three samples each. The
device's results are right, so every failure would be a false alarm. Then one random element of each result is moved
by eight units in its last place, times the number of terms that were added up for it, and judged again.

A result that is small because its terms cancel may rightly change by that much: another order of summation does it. So
the row "relative to the result" takes the unit as LAPACK's own tests do, normwise: for operators that work element by
element it is the element's last place, for all others that of the largest element of the result.

The last row counts what can be found at all: changes that are larger than what the rounding of the inputs, by half a
unit in the last place each, does to the element (the largest of four random ones). A smaller change gives a result that
is right for inputs which no one can tell from the given ones. Singular values and what is left of large terms are such
elements.

"""
DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
ULPS = 8


@dataclass
class Findings:
    """The counts of all calls."""

    calls: int = 0
    operators: set[str] = field(default_factory=set)
    tested: set[str] = field(default_factory=set)
    by_value: set[str] = field(default_factory=set)
    by_form: set[str] = field(default_factory=set)
    untested: dict[str, str] = field(default_factory=dict)
    false_alarms: dict[str, str] = field(default_factory=dict)
    changed: int = 0
    found: int = 0
    small: int = 0  # of the changed elements: smaller than a sixteenth of the largest
    small_found: int = 0
    normwise: int = 0  # elements changed by units of the largest element, where the operator adds terms up
    normwise_found: int = 0
    beyond: int = 0  # of the changed elements: changed by more than a rounding error of the inputs changes them
    beyond_found: int = 0
    missed: collections.Counter[str] = field(default_factory=collections.Counter)


class Observed(CompareWithCPU):
    """The tool, with a second look at every call that it judges: the same with one element changed."""

    def __init__(self, findings: Findings, label: str, change: bool) -> None:
        super().__init__(should_log_to_file=True, output_dir="/nowhere", verbose=False)
        self._log = Nothing()  # type: ignore[assignment]
        self._reporter = dataclasses.replace(self._reporter, log=self._log)
        self._findings = findings
        self._label = label
        self._change = change

    def _examine(self, call: Call, outputs: Any, written: tuple[Any, ...]) -> Examination:
        found = super()._examine(call, outputs, written)
        note(self._findings, self._label, call, found)
        comparable = found.verdict.status is Status.PASS and not call.facts.random and not call.facts.uninitialised
        if comparable and self._change:
            change_and_look(self._findings, self._label, call, outputs, written)
        return found


class Nothing:
    """A log that discards its lines."""

    def write(self, text: str, flush: bool = True) -> None:
        """Drop an entry."""

    def close(self) -> None:
        """Do nothing."""


def note(findings: Findings, label: str, call: Call, found: Examination) -> None:
    """Count a verdict."""
    findings.calls += 1
    name = call.facts.name
    findings.operators.add(name)
    if found.verdict.reason.startswith(JUDGE_FAILED):
        findings.false_alarms.setdefault(name, f"{label}: {found.verdict.reason}")
    if found.verdict.status is Status.UNTESTED:
        findings.untested.setdefault(name, f"{label}: {found.verdict.reason}")
    else:
        findings.tested.add(name)
        (findings.by_form if found.note else findings.by_value).add(name)
    if found.verdict.status.failed:
        reason = f"{label}: {found.verdict.status.value} {found.verdict.path} {found.verdict.reason}"
        findings.false_alarms.setdefault(name, reason)


def change_and_look(findings: Findings, label: str, call: Call, outputs: Any, written: tuple[Any, ...]) -> None:
    """Change one element of the first float result, and see whether the judge finds it."""
    results = outputs if any(True for _ in tensors(outputs)) else written
    length = reduced_length(call.facts.base, call.facts.pointwise, call.args, results)
    target = next((t for t in tensors(results) if is_float(t.dtype) and t.numel() and t.layout == torch.strided), None)
    if target is None:
        return
    changed = with_one_changed(target, length, normwise=False)
    if changed is None:
        return

    def is_found(other: torch.Tensor) -> bool:
        def replaced(leaf: Any) -> Any:
            return other if leaf is target else leaf

        return examine(call, mapped(outputs, replaced), mapped(written, replaced), None).verdict.status.failed

    failed, small = is_found(changed), changed_small(target, changed)
    relative = changed if call.facts.pointwise else with_one_changed(target, length, normwise=True)
    if relative is not None:
        findings.normwise += 1
        findings.normwise_found += failed if relative is changed else is_found(relative)
    findings.changed += 1
    findings.found += failed
    findings.small += small
    findings.small_found += small and failed
    beyond = is_beyond_rounding_of_inputs(call, results, target, changed)
    findings.beyond += beyond
    findings.beyond_found += beyond and failed
    if not failed and not small:
        findings.missed[f"{call.facts.name} {target.dtype}"] += 1


def with_one_changed(tensor: torch.Tensor, length: int, normwise: bool) -> Optional[torch.Tensor]:
    """Return a copy with a random finite element moved by ULPS units in the last place for every number summed up.

    Args:
        tensor: The result.
        length: How many numbers were summed up.
        normwise: Take the last place of the largest element, not of the element itself.
    """
    values = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
    flat = values.view(-1)
    wide = flat.to(torch.complex128 if flat.dtype.is_complex else torch.float64)
    size = wide.abs()
    limit = torch.finfo(flat.dtype)
    usable = (torch.isfinite(size) & (size > limit.tiny * 1e3) & (size < limit.max / 1e3)).nonzero().view(-1)
    if not usable.numel():
        return None
    position = int(usable[torch.randint(usable.numel(), (), generator=torch.Generator().manual_seed(usable.numel()))])
    measure = size[usable].amax() if normwise else size[position]
    unit = epsilon(flat.dtype) * 2.0 ** float(torch.floor(torch.log2(measure)))
    before = wide[position].item()
    flat[position] = before + ULPS * length * unit
    after = flat[position].item()
    return values if abs(after) != float("inf") and after != before else None


def changed_small(before: torch.Tensor, after: torch.Tensor) -> bool:
    """Return whether the element that was changed is small beside others: the rest of terms that cancelled."""
    size = before.detach().cpu().to(after.dtype).abs().double().nan_to_num(0.0, 0.0, 0.0).flatten()
    changed = (before.detach().cpu().flatten() != after.flatten()).nonzero()[-1]
    return bool(size[changed] < size.amax() / 16)


def is_beyond_rounding_of_inputs(call: Call, results: Any, target: torch.Tensor, changed: torch.Tensor) -> bool:
    """Return whether the element was changed by more than one rounding error of each input changes it.

    A smaller change is also the result of inputs that are as right. True where that cannot be computed.
    """
    rounding = epsilon(target.dtype) / 2
    look = call.run_in_other_precisions(disturb=True, rounding=rounding, precision=epsilon(target.dtype))
    position = next(index for index, tensor in enumerate(tensors(results)) if tensor is target)
    before = exact(target.detach().cpu()).flatten()
    difference = (exact(changed).flatten() - before).abs()
    moved = int((difference > 0).nonzero()[-1])
    if look is None:
        return True
    written = not any(True for _ in tensors(look.precise.outputs))
    runs = [list(tensors(run.written if written else run.outputs)) for run in (look.precise, *look.disturbed)]
    precise, *others = [run[position].flatten() if position < len(run) else before[:0] for run in runs]
    if any(each.shape != before.shape for each in (precise, *others)):
        return True
    effects = [condition(other[moved], precise[moved], rounding / look.step) for other in others]
    return bool(difference[moved] > max(effects))


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError after so many seconds."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def run(
    device: str, names: Optional[str], samples: int, change: bool, every: int, observer: type[Observed] = Observed
) -> tuple[Findings, dict[str, str]]:
    """Run the database; return the findings, and the operators that this device cannot run, with the reason."""
    findings, impossible = Findings(), {}
    for index, op in enumerate(op_db):
        if (names and names not in op.name) or index % every:
            continue
        for dtype in DTYPES:
            if dtype not in op.dtypes:
                continue
            label = f"{op.name}{'.' + op.variant_test_name if op.variant_test_name else ''} {str(dtype)[6:]}"
            try:
                with at_most(60), contextlib.redirect_stdout(io.StringIO()):
                    run_op(partial(observer, findings, label, change), op, device, dtype, samples)
            except Exception as error:
                impossible[label] = (
                    f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
                )
    return findings, impossible


def run_op(observer: Callable[[], Observed], op: Any, device: str, dtype: torch.dtype, samples: int) -> None:
    """Run the first samples of an operator under the tool."""
    torch.manual_seed(0)
    for index, sample in enumerate(op.sample_inputs(device, dtype, requires_grad=False)):
        if index >= samples:
            break
        with observer():
            op(sample.input, *sample.args, **sample.kwargs)


def report(device: str, findings: Findings, impossible: dict[str, str]) -> str:
    """Return the table."""
    never = findings.operators - findings.tested
    share = len(findings.tested) / max(1, len(findings.operators))
    form = len(findings.by_form - findings.by_value)
    large, large_found = findings.changed - findings.small, findings.found - findings.small_found
    lines = [
        f"| | torch {torch.__version__}, device {device} |",
        "|---|---|",
        f"| entries of the database that the device cannot run (operator and dtype) | {len(impossible)} |",
        f"| operators seen by the tool | {len(findings.operators)} |",
        f"| calls judged | {findings.calls} |",
        f"| operators compared | {len(findings.tested)} ({share:.1%}) |",
        f"| of these by shape and dtype only, because their values are random or uninitialised | {form} |",
        f"| operators with a false alarm | {len(findings.false_alarms)} |",
        f"| elements changed by {ULPS} ulp x reduced length | {findings.changed} |",
        f"| of these found | {findings.found} ({findings.found / max(1, findings.changed):.2%}) |",
        f"| the same relative to the result: elements changed | {findings.normwise} |",
        f"| of these found | {findings.normwise_found} ({findings.normwise_found / max(1, findings.normwise):.2%}) |",
        f"| found among the {large} of at least 1/16 of the largest | {large_found} ({large_found / large:.2%}) |",
        f"| found among the {findings.small} smaller ones, where terms cancel | {findings.small_found} |",
        f"| found among the {findings.beyond} changed by more than one rounding error of the inputs does "
        f"| {findings.beyond_found} ({findings.beyond_found / max(1, findings.beyond):.2%}) |",
        "",
    ]
    for title, rows in (
        ("False alarms", findings.false_alarms),
        ("Not tested", {name: findings.untested[name] for name in sorted(never)}),
        (
            "Changes of elements that are not small, missed",
            times(findings.missed),
        ),
        ("Entries that the device cannot run", impossible),
    ):
        if rows:
            lines += [f"{title}:", "", *(f"- {name}: {text}" for name, text in rows.items()), ""]
    return "\n".join(lines)


def times(counts: collections.Counter[str]) -> dict[str, str]:
    """Return counts in words."""
    return {name: f"{count} times" for name, count in counts.most_common()}


def main() -> int:
    """Run and print, or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", help="part of an operator's name")
    parser.add_argument("--samples", type=int, default=4, help="samples per operator and dtype (default: 4)")
    parser.add_argument("--every", type=int, default=1, help="take every n-th operator only")
    parser.add_argument("--no-change", action="store_true", help="look for false alarms only")
    parser.add_argument("--markdown", type=Path)
    choice = parser.parse_args()
    warnings.simplefilter("ignore")
    findings, impossible = run(choice.device, choice.only, choice.samples, not choice.no_change, choice.every)
    text = report(choice.device, findings, impossible)
    if choice.markdown:
        choice.markdown.write_text(HEADING + text, encoding="utf-8")
    print(text)
    return 1 if findings.false_alarms else 0


if __name__ == "__main__":
    sys.exit(main())
