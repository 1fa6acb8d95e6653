"""NanInfTracker: names the operator that made the first NaN or Inf out of good inputs."""

from __future__ import annotations

import enum
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Optional

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from musa_tools.errors import PrecisionError
from musa_tools.judge.nonfinite import CLEAN, State, has_infinite_number, is_constant, made, state_of_all
from musa_tools.observe.activity import Schedule, rank
from musa_tools.observe.op_facts import OpFacts, facts_of
from musa_tools.observe.op_mode import OpMode, unobserved
from musa_tools.observe.where import Where
from musa_tools.tensors.nests import leaves, tensors
from musa_tools.tensors.snapshot import snapshot
from musa_tools.watch.error_dump import save_call
from musa_tools.watch.flags import Finding, Flags, Record
from musa_tools.watch.tool import Output, Tool, selection_of
from musa_tools.watch.wording import arguments_text, nonfinite_entry, value_text

_MOST_FLAGS = 512
_GONE = "(seen later, when the inputs were gone; this operator's next calls are looked at at once)"


class _Kind(enum.Enum):
    PASS = 0  # makes no values
    READ = 1
    WRITE = 2  # writes to an argument
    SYNC = 3  # the user waits for the device


class NanInfTracker(Tool):
    """Find the operators that make NaN or Inf, on the device.

    An operator that gets NaN or Inf and passes it on is counted, not shown. Masks of -inf are no finding. Results are
    looked at many at a time, so that the device is not waited for.

    Args:
        enabled: False makes the block cost nothing.
        target_list: Names of the only operators to watch; patterns are allowed.
        white_list: Names of operators to pass over.
        enable_ranks: The only ranks to be active on.
        should_log_to_file: Write to nan_inf_report.txt in output_dir, not to standard output.
        output_dir: Where files go.
        dump_error_data: Look at every operator at once; write the inputs and outputs of the first that makes NaN or Inf
            to output_dir and raise PrecisionError.
        start_step: The first step to be active in; ``step`` counts.
        end_step: The first step not to be active in any more.
        target_op: Another name for target_list.
        log_all: Show also the operators that pass NaN or Inf on.
    """

    title = "NanInfTracker"
    outcomes = ("created", "received", "carried")

    def __init__(
        self,
        enabled: bool = True,
        target_list: Optional[Iterable[str]] = None,
        white_list: Optional[Iterable[str]] = None,
        enable_ranks: Optional[Iterable[int]] = None,
        should_log_to_file: bool = False,
        output_dir: str = "",
        dump_error_data: bool = False,
        start_step: Optional[int] = None,
        end_step: Optional[int] = None,
        target_op: Optional[Iterable[str]] = None,
        log_all: bool = False,
    ) -> None:
        super().__init__(
            selection_of(target_list, target_op, white_list),
            Schedule.of(enabled, enable_ranks, start_step, end_step),
            Output(should_log_to_file, output_dir, "nan_inf_report.txt"),
            dump_error_data,
        )
        self._log_all = log_all
        self._at_once = dump_error_data or log_all
        self._kinds: dict[int, tuple[_Kind, OpFacts, Any]] = {}
        self._watched = 0
        self._close_watch: set[OpFacts] = set()  # operators that were found in a batch
        self._flags = Flags()
        self._dirty: dict[int, Any] = {}  # memory that holds NaN or Inf

    def around(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], mode: OpMode
    ) -> Any:
        """Run an operator and flag its results."""
        if not self._activity.active:
            return proceed(*args, **kwargs)
        known = self._kinds.get(id(func))
        if known is None:
            known = self._kinds[id(func)] = (*self._kind(func), func)
        kind, facts, _ = known
        if kind is _Kind.PASS:
            return proceed(*args, **kwargs)
        if kind is _Kind.SYNC:
            self._flush()
            return proceed(*args, **kwargs)
        if self._at_once or facts in self._close_watch or self._meets_dirt(args, kwargs):
            return self._watch_closely(facts, args, kwargs, proceed, mode.locator.now())
        if is_constant(facts.base) and has_infinite_number((*args, *kwargs.values())):
            return self._remember(proceed(*args, **kwargs))
        if kind is _Kind.WRITE:
            written = list(facts.written_values(args, kwargs))
            self._flags.before_write([tensor.untyped_storage()._cdata for tensor in _strided(written)])
        outputs = proceed(*args, **kwargs)
        record = Record(facts, mode.locator.now(), _references(args))
        if torch._C._len_torch_dispatch_stack():
            with unobserved():
                self._flag(record, args, kwargs, outputs)
        else:
            self._flag(record, args, kwargs, outputs)
        return outputs

    def _kind(self, func: Any) -> tuple[_Kind, OpFacts]:
        facts = facts_of(func)
        if facts.base == "aten._local_scalar_dense":
            return _Kind.SYNC, facts
        passed = (facts.view and facts.base != "aten.lift_fresh") or facts.uninitialised
        if passed or not self._selection.is_target(facts) or self._selection.is_white(facts):
            return _Kind.PASS, facts
        return (_Kind.WRITE if facts.written else _Kind.READ), facts

    def _flag(self, record: Record, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        flags = self._flags
        self._watched += 1
        if isinstance(outputs, torch.Tensor):
            if outputs.is_floating_point() or outputs.is_complex():
                flags.add(record, outputs)
        else:
            for tensor in tensors(outputs if outputs else list(record.facts.written_values(args, kwargs))):
                if tensor.is_floating_point() or tensor.is_complex():
                    flags.add(record, tensor)
        if flags.known_bad or len(flags) >= _MOST_FLAGS:
            self._flush()

    def _flush(self) -> None:
        if len(self._flags):
            with unobserved():
                self._weigh(self._flags.findings())
                self._dirty = {key: storage for key, storage in self._dirty.items() if not storage.expired()}

    def _stop(self) -> None:
        self._flush()
        self._dirty.clear()

    def _calls(self) -> int:
        return self._watched

    def _weigh(self, findings: list[Finding]) -> None:
        """Tell makers from carriers. Inputs may be gone by now; those that an operator has made were looked at, too."""
        before = CLEAN
        for finding in findings:
            facts = finding.record.facts
            alive = _unchanged(finding.record.inputs)
            inputs = state_of_all(alive) | before
            created = made(facts.base, inputs, finding.state)
            unknown = finding.state.nan and not before.nan and not any(self._is_dirty(tensor) for tensor in alive)
            shown = (
                arguments_text(alive, {}) + f"\n{_GONE}",
                value_text("(gone)" if finding.tensor is None else finding.tensor),
            )
            if created.bad:
                self._report("created", f"created {created.words}", finding.record, shown)
                self._close_watch.add(facts)
            elif unknown:
                self._report("received", "received NaN that no watched operator made", finding.record, shown)
            else:
                self.counts.add(facts.name, "carried")
            self._remember([tensor for tensor in alive if state_of_all(tensor).bad])
            self._remember(finding.tensor)
            before |= finding.state

    def _watch_closely(
        self, facts: OpFacts, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], where: Where
    ) -> Any:
        """Run an operator and look at its inputs and results at once."""
        self._watched += 1
        with unobserved():
            written = list(tensors(list(facts.written_values(args, kwargs))))
            inputs = state_of_all(written)
            was_dirty = any(self._is_dirty(tensor) for tensor in tensors((args, kwargs)))
            before = snapshot((args, kwargs), written, copy_all=True) if self._dump else (args, kwargs)
        outputs = proceed(*args, **kwargs)
        with unobserved():
            results = [outputs, written]
            state = state_of_all(results)
            if not state.bad:
                for tensor in _strided(written):
                    self._dirty.pop(tensor.untyped_storage()._cdata, None)
                return outputs
            written_ids = {id(tensor) for tensor in written}
            others = [leaf for _, leaf in leaves((args, kwargs)) if id(leaf) not in written_ids]
            inputs |= state_of_all(others)
            record = Record(facts, where, ())
            self._judge_closely(record, inputs, was_dirty, state, before, outputs)
            self._remember(results)
        return outputs

    def _judge_closely(
        self, record: Record, inputs: State, was_dirty: bool, state: State, before: tuple[Any, Any], outputs: Any
    ) -> None:
        created = made(record.facts.base, inputs, state)
        shown = arguments_text(before[0], before[1]), value_text(outputs)
        if created.bad:
            self._flush()
            self._report("created", f"created {created.words}", record, shown)
        elif inputs.nan and not was_dirty:
            self._report("received", "received NaN that no watched operator made", record, shown)
        elif self._log_all:
            self._report("carried", f"passed {state.words} on", record, shown)
            return
        else:
            self.counts.add(record.facts.name, "carried")
            return
        if self._dump:
            self._halt(record, before, outputs)

    def _report(self, outcome: str, note: str, record: Record, shown: tuple[str, str]) -> None:
        name, label = record.where.full_name(record.facts.name), record.where.label
        self._log.write(nonfinite_entry(name, label, note, shown[0], shown[1]))
        self.counts.add(record.facts.name, outcome)

    def _halt(self, record: Record, before: tuple[Any, Any], outputs: Any) -> None:
        name = record.where.full_name(record.facts.name)
        device = next((tensor.device for tensor in tensors(outputs)), torch.device("cpu"))
        about = {"device": str(device), "name": name, "module": record.where.label}
        paths = save_call(self._folder(), record.facts.name, rank(), before[0], before[1], outputs, about)
        raise PrecisionError(f"Nan or Inf Detected! {name} made it. Inputs: {paths[0]}, outputs: {paths[1]}")

    def _meets_dirt(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        return bool(self._dirty) and any(self._is_dirty(tensor) for tensor in tensors((args, kwargs)))

    def _is_dirty(self, tensor: torch.Tensor) -> bool:
        return tensor.layout == torch.strided and tensor.untyped_storage()._cdata in self._dirty

    def _remember(self, outputs: Any) -> Any:
        for tensor in _strided(outputs):
            storage = tensor.untyped_storage()
            self._dirty[storage._cdata] = StorageWeakRef(storage)
        return outputs


def _strided(value: Any) -> Iterator[torch.Tensor]:
    return (tensor for tensor in tensors(value) if tensor.layout == torch.strided)


def _references(args: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        return tuple([(weakref.ref(tensor), tensor._version) for tensor in tensors(args)])
    except RuntimeError:  # tensors of the inference mode have no version
        return tuple([(weakref.ref(tensor), _version(tensor)) for tensor in tensors(args)])


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else tensor._version


def _unchanged(inputs: tuple[Any, ...]) -> list[torch.Tensor]:
    """Return the inputs that are still there, as the operator has read them."""
    alive = [(reference(), version) for reference, version in inputs]
    return [tensor for tensor, version in alive if tensor is not None and _version(tensor) == version]
