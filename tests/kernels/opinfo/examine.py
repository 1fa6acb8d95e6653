"""Run one operator of the database with one type on the device and on the CPU, and say where they differ."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import torch
from torch import Tensor
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from .moving import Mover, copies, tensors_in
from .randomness import RandomCalls, distance, numbers, unseeded
from .tolerances import tolerances

DEVICE = "musa"
SEED = 2026
#: Their results are whatever was in memory: only shape, strides and type are compared.
UNINITIALISED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
#: Ways to call an operator that are not compared.
NOT_COMPARED = {
    "mode": (" with out",),  # PyTorch names the devices that it lets through
    "linalg.matrix_rank": (" with out",),  # the CPU's result is whatever was in memory
}
#: Sums whose parts the CPU rounds, too, in types of two bytes, and quotients that it rounds before it cuts them off.
#: They are compared with its float32 result, rounded.
ROUNDED_BY_THE_CPU = {
    "div.trunc_rounding",
    "nn.functional.conv_transpose2d",
    "nn.functional.conv_transpose3d",
    "nn.functional.grid_sample",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "index_put",
    "_unsafe_masked_index_put_accumulate",
}
#: Of several equal elements, any may be named: not the indices are compared, but the elements at them. With the
#: position of `dim` among the arguments behind the input.
ANY_OF_EQUAL = {"kthvalue": 1, "topk": 1, "sort": 0, "argsort": 0, "mode": 0}
#: Their mean and deviation are float on a GPU where the input has two bytes, and of the input's type on the CPU.
STATISTICS_ARE_WIDER = {"native_layer_norm", "native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"}
#: For results beyond the range of an 8-bit type without infinities, the CPU gives NaN or the greatest number, depending
#: on the CPU's instructions and the types of the factors. cuBLASLt gives the greatest number, and so does the device.
OVERFLOWS_TO_NAN_OR_GREATEST = {"torch._scaled_mm"}
#: Arguments that stay on the CPU, by their number among `args`, as they do on a GPU.
ON_THE_HOST = {"tensor_split": (0,)}


@dataclass
class Outcome:
    """The result for an operator and a type.

    Attributes:
        samples: How many were compared.
        problems: The differences, one sentence each.
        fallbacks: How many calls of which operators PyTorch's CPU kernels computed.
        skipped: Why nothing was compared, or nothing.
    """

    samples: int = 0
    problems: list[str] = field(default_factory=list)
    fallbacks: dict[str, int] = field(default_factory=dict)
    skipped: str = ""

    def note_fallbacks(self) -> None:
        """Add what was counted since the last reset."""
        for count in torch.musa.fallback_report().operators:
            self.fallbacks[count.name] = self.fallbacks.get(count.name, 0) + count.calls


@dataclass(frozen=True)
class Form:
    """One way to call an operator: as a function, in position, or with `out`."""

    name: str
    call: Callable[..., Any]


def examine(op: OpInfo, dtype: torch.dtype, most: Optional[int], gradients: bool) -> Outcome:
    """Compare an operator's results and gradients on the device with the CPU's.

    Args:
        op: The operator.
        dtype: The type of its inputs.
        most: How many samples at most, or None for all.
        gradients: Whether to compare gradients, too.
    """
    outcome = Outcome()
    differentiable = gradients and op.supports_autograd and dtype in op.supported_backward_dtypes("cuda")
    torch.manual_seed(SEED)
    samples: Iterator[SampleInput] = iter(op.sample_inputs("cpu", dtype, requires_grad=differentiable))
    for number in itertools.count():
        try:
            sample = next(itertools.islice(samples, 1), None) if most is None or number < most else None
        except RuntimeError as error:  # the CPU has no kernel to make a sample with
            outcome.skipped = f"no sample: {_first_line(error)}"
            break
        if sample is None:
            break
        for form in _forms(op, sample, first=number == 0):
            problem = _compare(op, form, sample, dtype, differentiable and form.name == "", outcome)
            if problem:
                outcome.problems.append(f"sample {number}{form.name}: {problem}")
    return outcome


def _forms(op: OpInfo, sample: SampleInput, first: bool) -> list[Form]:
    """Return the ways to call an operator; of the first sample all, of others the function alone."""
    forms = [Form("", op.op)]
    if first and op.inplace_variant is not None and not sample.broadcasts_input and isinstance(sample.input, Tensor):
        inplace = op.inplace_variant
        forms.append(Form(" in place", lambda value, *args, **kwargs: inplace(value, *args, **kwargs)))
    if first and op.supports_out:
        forms.append(Form(" with out", lambda value, *args, **kwargs: _with_out(op.op, value, *args, **kwargs)))
    return [form for form in forms if form.name not in NOT_COMPARED.get(op.name, ())]


def _with_out(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with torch.no_grad():
        made = function(*args, **kwargs)
        outs = [torch.empty_like(tensor) for tensor in tensors_in(made)]
        if "out" in getattr(function, "overloads", list)():  # of torch.ops: each output has a name
            names = [argument.name for argument in function.out._schema.arguments if argument.is_out]
            return function.out(*args, **kwargs, **dict(zip(names, outs)))
        return function(*args, **kwargs, out=outs[0] if isinstance(made, Tensor) else tuple(outs))


def _compare(op: OpInfo, form: Form, sample: SampleInput, dtype: torch.dtype, gradients: bool, outcome: Outcome) -> str:
    """Describe the first difference of a sample; empty if there is none."""
    given = (sample.input, sample.args, sample.kwargs)
    if form.name:
        given = tuple(_without_gradients(each) for each in given)

    wide = _computed_wide(op, dtype)

    def on_cpu(seed: bool = True) -> Any:
        if seed:
            torch.manual_seed(SEED)
        value, args, kwargs = _widened(copies(given)) if wide else copies(given)
        return (value, args, kwargs), form.call(value, *args, **kwargs)

    def on_device(seed: bool = True) -> Any:
        value, args, kwargs = Mover(DEVICE)(given)
        args = tuple(
            given[1][position] if position in ON_THE_HOST.get(op.name, ()) else each
            for position, each in enumerate(args)
        )
        if seed:
            torch.manual_seed(SEED)
        torch.musa.reset_fallback_report()
        result = form.call(value, *args, **kwargs)
        outcome.note_fallbacks()
        return (value, args, kwargs), result

    if not tensors_in(given) and "device" not in sample.kwargs:  # it makes a tensor, of which nothing says where
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        random = RandomCalls()
        try:
            with random:
                on_cpu()
            # again without the mode: under one, PyTorch 2.13 computes linalg.pinv of complex matrices wrongly
            cpu_given, expected = on_cpu()
        except Exception as refused:  # an operator may refuse a sample on the CPU in any way
            return _must_refuse(on_device, refused)
        try:
            device_given, actual = on_device()
        except Exception as error:  # any error on the device is what this looks for
            return f"{type(error).__name__}: {_first_line(error)}"
        outcome.samples += 1
        if random.seen:
            return _compare_random(on_cpu, on_device, expected, actual)
        if op.name in ANY_OF_EQUAL and not sample.kwargs.get("stable"):
            dim = sample.kwargs.get("dim", [*sample.args, -1][min(ANY_OF_EQUAL[op.name], len(sample.args))])
            expected, actual = (_with_named(sample.input, result, dim) for result in (expected, actual))
        narrow = [result.to(dtype) for result in tensors_in(expected)] if wide else expected
        problem = _differences(op, narrow, actual, op.name not in UNINITIALISED)
        if problem or not gradients:
            return problem
        if (
            op.name in (*ANY_OF_EQUAL, "msort") and dtype.itemsize == 2
        ):  # few numbers: many are equal, and another one is chosen
            return ""
        process = sample.output_process_fn_grad

        def in_double() -> Any:
            torch.manual_seed(SEED)
            value, args, kwargs = exact = _widened(copies(given), torch.float64)
            return exact, process(form.call(value, *args, **kwargs))

        return _compare_gradients(
            op, (cpu_given, process(expected)), (device_given, process(actual)), in_double, outcome
        )


def _must_refuse(on_device: Callable[[], Any], refused: Exception) -> str:
    """The device must refuse arguments that the CPU refuses as wrong; operators that the CPU lacks do not count."""
    if isinstance(refused, NotImplementedError) or "not implemented for" in str(refused):
        return ""
    try:
        on_device()
    except Exception:  # any exception
        return ""
    return f"no error, but on the CPU {type(refused).__name__}: {_first_line(refused)}"


def _differences(op: OpInfo, expected: Any, actual: Any, values: bool) -> str:
    ours, theirs = tensors_in(actual), tensors_in(expected)
    if len(ours) != len(theirs):
        return f"{len(ours)} tensors, but {len(theirs)} on the CPU"
    for a, b in zip(ours, theirs):
        if a.device.type != DEVICE and b.dim() > 0:
            return f"a result is on {a.device}"
        if op.name in STATISTICS_ARE_WIDER and (a.dtype, b.dtype.itemsize) == (torch.float32, 2):
            a = a.to(b.dtype)
        if (a.shape, a.dtype, a.layout) != (b.shape, b.dtype, b.layout):
            return f"{a.dtype} {tuple(a.shape)}, but {b.dtype} {tuple(b.shape)} on the CPU"
        if not values:
            continue
        if op.name in OVERFLOWS_TO_NAN_OR_GREATEST and b.dtype.itemsize == 1:
            b = _overflows_as(a.detach().cpu(), b.detach())
        relative, absolute = tolerances(op, b.dtype)
        try:
            torch.testing.assert_close(a.detach().cpu(), b.detach(), rtol=relative, atol=absolute, equal_nan=True)
        except AssertionError as error:
            return " ".join(str(error).split())[:300]
    if not ours and actual != expected and not (actual != actual and expected != expected):
        return f"{actual!r}, but {expected!r} on the CPU"
    return ""


def _overflows_as(actual: Tensor, expected: Tensor) -> Tensor:
    """Return `expected` with the greatest numbers of `actual` in place of NaN."""
    is_greatest = actual.float().abs() == torch.finfo(actual.dtype).max
    return torch.where(expected.isnan() & is_greatest, actual.float(), expected.float()).to(expected.dtype)


def _compare_random(on_cpu: Callable[..., Any], on_device: Callable[..., Any], expected: Any, actual: Any) -> str:
    for a, b in zip(tensors_in(actual), tensors_in(expected)):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            return f"{a.dtype} {tuple(a.shape)}, but {b.dtype} {tuple(b.shape)} on the CPU"
    again = on_device()[1]
    for a, b in zip(tensors_in(actual), tensors_in(again)):
        if not _same(a.cpu(), b.cpu()):
            return "the same seed gives other numbers"
    with unseeded():
        theirs = numbers(lambda: on_cpu(seed=False)[1])
        far = distance(numbers(lambda: on_device(seed=False)[1]), theirs)
        if far > 1:  # numbers that are drawn together, as those of a channel, are further apart on the CPU, too
            far /= max(1, *(2 * distance(numbers(lambda: on_cpu(seed=False)[1]), theirs) for _ in range(8)))
    return f"another distribution than the CPU's: {far:.1f} times what chance allows" if far > 1 else ""


def _same(a: Tensor, b: Tensor) -> bool:
    if a.dtype == torch.complex32:  # the CPU has few functions of it
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    return torch.equal(a.detach().nan_to_num(), b.detach().nan_to_num())


def _compare_gradients(
    op: OpInfo,
    on_cpu: tuple[Any, Any],
    on_device: tuple[Any, Any],
    in_double: Callable[[], tuple[Any, Any]],
    outcome: Outcome,
) -> str:
    """Compare the gradients of results by operands, which are given in this order; `in_double` computes both again."""
    inputs = [_leaves(given) for given, _ in (on_cpu, on_device)]
    results = [(a, b) for a, b in zip(tensors_in(on_device[1]), tensors_in(on_cpu[1])) if b.requires_grad]
    if not results or not inputs[0]:
        return ""
    torch.manual_seed(SEED)
    seeds = [torch.randn(b.shape, dtype=torch.complex64 if b.is_complex() else torch.float32) for _, b in results]
    seeds = [seed.to(a.dtype) for seed, (a, _) in zip(seeds, results)]
    theirs = [seed.to(b.dtype) for seed, (_, b) in zip(seeds, results)]
    ours = [seed.to(DEVICE) for seed in seeds]
    try:
        wanted = torch.autograd.grad([b for _, b in results], inputs[0], theirs, allow_unused=True)
    except RuntimeError:  # the CPU has no derivative
        return ""
    torch.musa.reset_fallback_report()
    try:
        found = torch.autograd.grad([a for a, _ in results], inputs[1], ours, allow_unused=True)
    except Exception as error:  # any error on the device is what this looks for
        return f"gradient: {type(error).__name__}: {_first_line(error)}"
    outcome.note_fallbacks()
    if any((a is None) != (b is None) for a, b in zip(found, wanted)):
        return "gradient: of other arguments than on the CPU"
    kept = [position for position, a in enumerate(found) if a is not None]
    pairs = [(found[position], wanted[position]) for position in kept]
    expected = [b.to(a.dtype) if _computed_wide(op, a.dtype) else b for a, b in pairs]
    problem = _differences(op, expected, [a for a, _ in pairs], True)
    if not problem:
        return ""
    try:
        exact = _gradients_of(*in_double(), seeds, kept)
    except RuntimeError:  # a sample that names its type
        return f"gradient: {problem}"
    return "" if _are_as_exact([a for a, _ in pairs], expected, exact) else f"gradient: {problem}"


def _leaves(given: Any) -> list[Tensor]:
    return tensors_in(given, lambda tensor: tensor.requires_grad and tensor.is_leaf)


def _gradients_of(given: Any, result: Any, seeds: Sequence[Tensor], kept: Sequence[int]) -> list[Tensor]:
    """Return the gradients of a result by some of the operands."""
    results = [each for each in tensors_in(result) if each.requires_grad]
    found = torch.autograd.grad(
        results, _leaves(given), [seed.to(each.dtype) for seed, each in zip(seeds, results)], allow_unused=True
    )
    return [found[position] for position in kept]


#: Bytes of a number -> the distance by chance from the gradient in double precision, relative to its largest element.
#: Two bytes have three digits: where terms cancel, a sum keeps one of them.
_ROOM = {2: 2**-4, 4: 2**-20, 8: 2**-49}


def _are_as_exact(found: Sequence[Tensor], on_cpu: Sequence[Tensor], exact: Sequence[Tensor]) -> bool:
    """Return whether gradients are as near to those in double precision as the CPU's, which also rounds each step."""
    for ours, theirs, best in zip(found, on_cpu, exact):
        if not ours.numel():
            continue
        if best is None or ours.shape != best.shape or not best.is_floating_point() or not best.isfinite().all():
            return False
        off, allowed = ((each.detach().cpu().double() - best).abs().max() for each in (ours, theirs))
        if not off <= 2 * allowed + _ROOM[ours.dtype.itemsize] * best.abs().max():
            return False
    return True


def _computed_wide(op: OpInfo, dtype: torch.dtype) -> bool:
    return op.full_name in ROUNDED_BY_THE_CPU and dtype.itemsize == 2 and dtype.is_floating_point


def _widened(given: Any, dtype: torch.dtype = torch.float32) -> Any:
    """Copies in a wider type, of tensors that have fewer bytes."""

    def widened(value: Any) -> Any:
        if not isinstance(value, Tensor) or not value.is_floating_point() or value.dtype.itemsize >= dtype.itemsize:
            return value
        return value.detach().to(dtype).requires_grad_(value.requires_grad)

    return torch.utils._pytree.tree_map(widened, given)


def _with_named(given: Tensor, result: Any, dim: int) -> list[Tensor]:
    """A result whose last tensor is of indices, with the elements that they name, and whether they are different."""
    *values, indices = tensors_in(result)
    if given.dim() == 0:
        return [*values, indices]
    kept = indices if indices.dim() == given.dim() else indices.unsqueeze(dim)
    named = given.detach().to(indices.device).gather(dim, kept)
    return [*values, named, kept.sort(dim).values.diff(dim=dim) != 0]


def _without_gradients(given: Any) -> Any:
    return torch.utils._pytree.tree_map(lambda value: value.detach() if isinstance(value, Tensor) else value, given)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
