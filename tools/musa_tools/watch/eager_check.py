"""Check an operator's inputs and results as soon as it has run. This waits for the device."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from musa_tools.judge.nonfinite import CLEAN, state_of_all
from musa_tools.observe.process import is_capturing, unobserved
from musa_tools.tensors.operands import leaves, tensors
from musa_tools.tensors.snapshot import snapshot
from musa_tools.watch.error_dump import halt
from musa_tools.watch.flags import Record
from musa_tools.watch.nan_origins import NanOrigins, Report, judged, overwrites
from musa_tools.watch.wording import arguments_text, value_text


@dataclass(frozen=True)
class EagerCheck:
    """Decides for certain whether an operator made NaN or Inf; waits for the device."""

    origins: NanOrigins
    flush: Callable[[], None]
    report: Report
    dump_to: Optional[Path]  # None: go on after findings

    def run(self, record: Record, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any]) -> Any:
        """Run an operator and judge it."""
        facts = record.facts
        with unobserved():
            written = tensors(list(facts.written_values(args, kwargs)))
            inputs = CLEAN if overwrites(facts) else state_of_all(written)
            was_tainted = self.origins.takes_tainted(args, kwargs)
            dumps = self.dump_to is not None
            before = snapshot((args, kwargs), written, copy_all=True) if dumps else (args, kwargs)
        outputs = proceed(*args, **kwargs)
        with unobserved():
            state = state_of_all([outputs, written])
            if not state.bad:
                self.origins.forget(written)
                return outputs
            written_ids = {id(tensor) for tensor in written}
            inputs |= state_of_all([leaf for _, leaf in leaves((args, kwargs)) if id(leaf) not in written_ids])
            outcome, words = judged(record, inputs, was_tainted, state)
            self.origins.remember([outputs, written])
            self._report_finding(outcome, words, record, before, outputs)
        return outputs

    def _report_finding(self, outcome: str, words: str, record: Record, before: tuple[Any, Any], outputs: Any) -> None:
        if outcome != "passed on":
            self.flush()  # earlier findings are shown first
        self.report(outcome, words, record, (arguments_text(before[0], before[1]), value_text(outputs)))
        if outcome != "passed on" and self.dump_to is not None:
            found = "Nan or Inf Detected! {name} " + f"{words}."
            halt(found, self.dump_to, record.facts.name, record.where, before, outputs)


def is_captured(args: tuple[Any, ...]) -> bool:
    """Return whether a graph is captured: its operators are checked later."""
    first = next(iter(tensors(args)), None)
    return first is not None and is_capturing(first.device.type)
