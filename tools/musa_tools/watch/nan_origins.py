"""Find the operators that made NaN or Inf, among those that passed them on."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from musa_tools.judge.nonfinite import CLEAN, State, made, state_of_all
from musa_tools.observe.op_facts import OpFacts
from musa_tools.tensors.operands import strided, tensors, unchanged
from musa_tools.tensors.unwritten import UnwrittenMemory
from musa_tools.unread import is_unread, moves_elements
from musa_tools.watch.flags import Finding, Record
from musa_tools.watch.wording import arguments_text, value_text

_GONE = "(found after the inputs were freed; further calls of this operator are checked immediately)"
RECEIVED = "received NaN that no watched operator made"
Report = Callable[[str, str, Record, tuple[str, str]], None]


class NanOrigins:
    """Remembers which memory may hold NaN or Inf, and decides which operator made it.

    Args:
        report: Called with the outcome ("created", "received", or "passed on" from an input), its words, the operator,
            and the words for its inputs and outputs.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._tainted: dict[int, Any] = {}  # storage -> weak reference, which keeps the number from being used again
        self._unwritten = UnwrittenMemory()
        self.suspects: set[str] = set()  # operators that were found late

    def judge_deferred(self, findings: list[Finding]) -> None:
        """Judge operators whose inputs may no longer exist, with the help of earlier findings."""
        before = CLEAN
        for finding in findings:
            facts = finding.record.facts
            alive = unchanged(finding.record.inputs)
            inputs = state_of_all(alive) | before
            created = made(facts.base, inputs, finding.state)
            unknown = finding.state.nan and not before.nan and not any(self.is_tainted(tensor) for tensor in alive)
            outputs = value_text("(gone)" if finding.tensor is None else finding.tensor)
            shown = f"{arguments_text(alive, {})}\n{_GONE}", outputs
            if created.bad:
                self._report("created", f"created {created.words}", finding.record, shown)
                self.suspects.add(facts.name)
            elif unknown:
                self._report("received", RECEIVED, finding.record, shown)
            else:
                self._report("passed on", "", finding.record, shown)
            self.remember([tensor for tensor in alive if state_of_all(tensor).bad])
            self.remember(finding.tensor)
            before |= finding.state
        self._tainted = {key: storage for key, storage in self._tainted.items() if not storage.expired()}

    def take_unwritten(self, outputs: Any) -> Any:
        """Remember that results are memory that was never written, and return them."""
        self._unwritten.add(outputs)
        return outputs

    def moves_unwritten(self, facts: OpFacts, args: tuple[Any, ...]) -> bool:
        """Return whether an operator moves unwritten memory to its results, and computes nothing."""
        return moves_elements(facts.base) and self._unwritten.holds(args) and not overwrites(facts)

    def reads_unwritten(self, facts: OpFacts, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether an operator reads memory that was never written, and forget what it reads or overwrites."""
        if not self._unwritten.holds((args, kwargs)):
            return False
        written = tensors(list(facts.written_values(args, kwargs))) if overwrites(facts) else []
        self._unwritten.overwritten(written)
        ids = {id(tensor) for tensor in written}
        read = [tensor for tensor in tensors((args, kwargs)) if id(tensor) not in ids]
        found = self._unwritten.holds(read)
        self._unwritten.discard(read)
        return found

    def takes_tainted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether an argument may hold NaN or Inf."""
        return bool(self._tainted) and any(self.is_tainted(tensor) for tensor in tensors((args, kwargs)))

    def is_tainted(self, tensor: torch.Tensor) -> bool:
        """Return whether a tensor's memory may hold NaN or Inf."""
        return any(each.untyped_storage()._cdata in self._tainted for each in strided(tensor))

    def remember(self, value: Any) -> Any:
        """Remember that tensors may hold NaN or Inf, and return them."""
        for tensor in strided(value):
            storage = tensor.untyped_storage()
            self._tainted[storage._cdata] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
        return value

    def forget(self, value: Any) -> None:
        """Remember that tensors are clean again."""
        for tensor in strided(value):
            self._tainted.pop(tensor.untyped_storage()._cdata, None)

    def clear(self) -> None:
        """Forget all memory."""
        self._tainted.clear()
        self._unwritten.clear()


def overwrites(facts: OpFacts) -> bool:
    """Return whether an operator writes to arguments and never reads their content."""
    if not facts.written:
        return False
    return facts.writes_out or all(is_unread(facts.base, str(position)) for position, _ in facts.written)


def judged(record: Record, inputs: State, was_tainted: bool, state: State) -> tuple[str, str]:
    """Return the outcome for an operator whose inputs are known, and its words.

    Args:
        record: The operator.
        inputs: The state of its inputs before it ran.
        was_tainted: Whether an earlier operator is known to have made the NaN or infinity.
        state: The state of its results.
    """
    created = made(record.facts.base, inputs, state)
    if created.bad:
        return "created", f"created {created.words}"
    if inputs.nan and not was_tainted:
        return "received", RECEIVED
    return "passed on", f"passed {state.words} on"
