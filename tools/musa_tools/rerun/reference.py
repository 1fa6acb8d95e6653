"""Run a call on the CPU: the reference that results are compared with."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional

import torch

from musa_tools.judge.numbers import epsilon
from musa_tools.observe.op_facts import OpFacts
from musa_tools.rerun.arguments import (
    disturbed,
    doubled,
    for_cpu,
    halved,
    has_narrow,
    keywords_for_cpu,
    private_copy,
    raised,
    refuses_dtype,
)
from musa_tools.tensors.operands import tensors

_DISTURBANCES = 4
_MEASURABLE = 2.0**-33  # the effect of a smaller change is lost among the rounding errors of double precision
_NEARBY = 2.0**-21  # inputs that have other rounding errors in single precision
_NO_KERNEL = ("Could not run", "no fallback function is registered", "is not currently implemented for the CPU")


@dataclass(frozen=True)
class Reference:
    """The results of a call on the CPU."""

    outputs: Any
    written: tuple[Any, ...]  # the written arguments, afterwards
    raised_because: str = ""  # the error of the CPU's kernel, where narrow floats had to become float32
    reason: str = ""  # why there is no result

    @property
    def failed(self) -> bool:
        """Return whether the CPU has no result."""
        return bool(self.reason)


@dataclass(frozen=True)
class OtherPrecisions:
    """Other runs of a call on the CPU.

    Attributes:
        precise: In double precision.
        disturbed: In double precision, of inputs that were changed by ``step``.
        step: The relative change of the inputs.
        single: Of a call in double precision, which nothing is more precise than: pairs of runs in single and in double
            precision, of the same inputs. They say how rounding errors grow inside the operator.
    """

    precise: Reference
    disturbed: list[Reference]
    step: float
    single: list[tuple[Reference, Reference]]


@dataclass(frozen=True)
class Call:
    """An operator and its arguments on the CPU, as they were before it ran."""

    func: Any
    facts: OpFacts
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Reference:
        """Run the operator on copies of the arguments that it writes to."""
        args, kwargs = self._on_cpu()
        try:
            return self._run(args, kwargs)
        except (RuntimeError, NotImplementedError) as error:
            if not refuses_dtype(error) or not has_narrow((args, kwargs)):
                return Reference(None, (), reason=_reason(error))
            text = first_line(error)
        except Exception as error:  # a custom operator may raise anything; the watched program continues
            return Reference(None, (), reason=_reason(error))
        try:
            wide_args, wide_kwargs = raised((args, kwargs))
            result = self._run(wide_args, wide_kwargs)
        except Exception as error:
            return Reference(None, (), reason=_reason(error))
        return Reference(result.outputs, result.written, raised_because=text)

    def run_functionally(self) -> Any:
        """Run the functional variant of an in-place operator, on the arguments themselves; return None if it has none.

        It saves a copy. A result that does not agree proves nothing: ``run`` has the one that counts.
        """
        functional = self.facts.functional
        if functional is None or torch.is_autocast_enabled("cpu"):
            return None
        try:
            return functional(*self.args, **self.kwargs)
        except Exception:  # as ``run`` will say, with the operator's own words
            return None

    def run_in_other_precisions(self, disturb: bool, rounding: float, precision: float) -> Optional[OtherPrecisions]:
        """Run the operator in double precision, and with other rounding errors; None where that is impossible.

        Args:
            disturb: Whether to run it on other inputs as well.
            rounding: The relative rounding error of the inputs.
            precision: The distance of 1 to the next number, in the dtype of the results.
        """
        given = self._on_cpu()
        args, kwargs = doubled(given)
        step = max(rounding, _MEASURABLE)
        try:
            precise = self._run(args, kwargs)
        except Exception:  # no kernel for double precision
            return None
        others = self._run_disturbed(args, kwargs, step) if disturb else []
        in_double = precision <= epsilon(torch.float64)
        return OtherPrecisions(precise, others, step, list(self._run_in_single(given)) if disturb and in_double else [])

    def _run_disturbed(self, args: Any, kwargs: Any, step: float) -> list[Reference]:
        found = []
        for number in range(_DISTURBANCES):
            with contextlib.suppress(Exception):  # these inputs are not allowed: a share that is larger than 1
                changed, keywords = disturbed((args, kwargs), step, number)
                found.append(self._run(changed, keywords))
        return found

    def _run_in_single(self, given: Any) -> Iterator[tuple[Reference, Reference]]:
        for number in range(_DISTURBANCES + 1):
            change = _NEARBY if number else 0.0
            with contextlib.suppress(Exception):  # as above, or there is no kernel for single precision
                args, kwargs = halved(disturbed(given, change, number))
                single = self._run(args, kwargs)
                args, kwargs = doubled((args, kwargs))
                yield single, self._run(args, kwargs)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reference:
        if not self.facts.written:
            return Reference(self._call(args, kwargs), ())
        written = tensors(list(self.facts.written_values(args, kwargs)))
        args, kwargs = private_copy((args, kwargs), {tensor.untyped_storage()._cdata for tensor in written})
        outputs = self._call(args, kwargs)
        return Reference(outputs, tuple(self.facts.written_values(args, kwargs)))

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.facts.trusted and not self.facts.random and not torch.is_autocast_enabled("cpu"):
            return self.func(*args, **kwargs)
        with _unchanged_random_state(self.facts), _no_autocast():
            return self.func(*args, **kwargs)

    def _on_cpu(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if not self.facts.takes_device:
            return self.args, self.kwargs
        return for_cpu(self.args), keywords_for_cpu(self.kwargs)


@contextlib.contextmanager
def _unchanged_random_state(facts: OpFacts) -> Iterator[None]:
    """Put the random states of the process back. PyTorch's own operators draw from them only if their tag says so."""
    if facts.trusted and not facts.random:
        yield
        return
    state, torch_state = random.getstate(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(state)
        torch.set_rng_state(torch_state)


@contextlib.contextmanager
def _no_autocast() -> Iterator[None]:
    """Switch off autocast for the CPU: the device's autocast has already acted on the arguments."""
    if torch.is_autocast_enabled("cpu"):
        with torch.autocast("cpu", enabled=False):
            yield
    else:
        yield


def first_line(error: BaseException) -> str:
    """Return the message of an error, in one line."""
    return str(error).strip().split("\n", 1)[0] or type(error).__name__


def _reason(error: BaseException) -> str:
    text = first_line(error)
    return f"no CPU kernel ({text})" if any(words in text for words in _NO_KERNEL) else text
