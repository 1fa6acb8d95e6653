"""Report the outcome of one comparison: the log, the counts, the files of a failure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.verdict import Status
from musa_tools.observe.modules import OpContext
from musa_tools.rerun.examine import Examination
from musa_tools.rerun.reference import Call
from musa_tools.watch.counts import Counts
from musa_tools.watch.error_dump import halt
from musa_tools.watch.log import Log
from musa_tools.watch.wording import arguments_text, failure

_WORDS = "CompareWithCPU Failed! {name} differs from the CPU."


@dataclass(frozen=True)
class OutcomeReporter:
    """Writes outcomes to the log, counts them, and halts if the user wants that."""

    log: Log
    counts: Counts
    tolerance: Optional[Tolerance]
    verbose: bool
    dump_to: Optional[Path]  # None: go on after failures

    def untested(self, name: str, operator: str, reason: str) -> None:
        """Report that an operator was not compared, and why."""
        self.log.write(f"{reason}\n[WARNING] {name} has not been tested!")
        self.counts.add(operator, "untested", reason)

    def passed_over(self, name: str, operator: str, words: str) -> None:
        """Report that an operator is skipped."""
        self.log.write(f"{name} {words}", flush=False)
        self.counts.add(operator, "skipped")

    def report(self, where: OpContext, call: Call, inputs: tuple[Any, Any], outputs: Any, found: Examination) -> None:
        """Report the outcome of a comparison.

        Args:
            where: The context of the operator.
            call: The operator with its arguments on the CPU, as they were before.
            inputs: Its arguments on their device.
            outputs: Its results.
            found: The verdict.
        """
        verdict, operator = found.verdict, call.facts.name
        name = where.full_name(operator)
        if found.raised_because:
            self.log.write(f"{found.raised_because}\nConvert to float32 ...", flush=False)
        if verdict.status is Status.UNTESTED:
            self.untested(name, operator, verdict.reason)
            return
        if verdict.status is Status.PASS:
            note = f"{found.note}\n" if found.note else ""
            self.log.write(f"{note}{name} succeeds to pass CompareWithCPU test", flush=False)
            self.counts.add(operator, "passed")
            return
        # Written arguments are shown as they were before; others on their device.
        shown = (call.args, call.kwargs) if call.facts.written else inputs
        text = arguments_text(*shown) if self.verbose else ""
        self.log.write(failure(name, where.label, verdict, text, outputs, self.verbose, self.tolerance))
        self.counts.add(operator, "failed")
        if self.dump_to is not None:
            halt(_WORDS, self.dump_to, operator, where, (call.args, call.kwargs), outputs)
