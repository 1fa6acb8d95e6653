"""The rows of `benchmarks/kernels.py --every`: some 300 operators on about a million elements, forward and backward."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

COUNT = 1_000_000
#: Multiple of the CPU's time that a native kernel may take.
GOAL = 3.0
IMAGES = (8, 32, 64, 64)
VOLUMES = (4, 16, 16, 32, 32)
SIGNALS = (16, 64, 1000)
Operands = Callable[[], tuple[Tensor, ...]]
Operator = Callable[..., Any]


@dataclass(frozen=True)
class Row:
    """One operator on one kind of operands.

    Attributes:
        name: What the table says.
        goal: Multiple of the CPU's time that the native kernel may take.
        operands: Makes the operands on the CPU.
        operator: What is measured.
    """

    name: str
    goal: float
    operands: Operands
    operator: Operator


def floats(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return random numbers between 0.1 and 0.9."""
    return (torch.rand(shape or (COUNT,)) * 0.8 + 0.1).to(dtype)


def square(dtype: torch.dtype = torch.float32) -> Tensor:
    """Return a square of random numbers."""
    return floats(1000, 1000, dtype=dtype)


def indices(*shape: int, most: int = 1000, dtype: torch.dtype = torch.int64) -> Tensor:
    """Return random integers from 1 to `most` - 1."""
    return torch.randint(1, most, shape or (COUNT,), dtype=dtype)


def every_row() -> Iterator[Row]:
    """Yield all rows."""
    for family in (_elementwise, _types, _made, _reductions, _indexing, _with_gradients, _products, _orders, _random):
        for name, operands, operator in family():
            yield Row(name, GOAL, operands, operator)
    for name, operands, operator in _with_gradients():
        yield Row(f"{name}, with gradients", GOAL, _requiring(operands), _and_backward(operator))


_Rows = Iterator[tuple[str, Operands, Operator]]


def _requiring(operands: Operands) -> Operands:
    def made() -> tuple[Tensor, ...]:
        return tuple(each.requires_grad_() if each.is_floating_point() else each for each in operands())

    return made


def _and_backward(operator: Operator) -> Operator:
    def both(*operands: Tensor) -> tuple[Tensor, ...]:
        made = operator(*operands)
        result = made[0] if isinstance(made, tuple) else made
        inputs = [each for each in operands if each.requires_grad]
        return torch.autograd.grad(result, inputs, torch.ones_like(result), allow_unused=True)

    return both


def _elementwise() -> _Rows:

    def one() -> tuple[Tensor, ...]:
        return (floats(),)

    def two() -> tuple[Tensor, ...]:
        return (floats(), floats())

    unary = (
        *("abs", "neg", "sign", "floor", "round", "trunc", "frac", "sqrt", "rsqrt", "reciprocal", "square", "exp"),
        *("exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh"),
        *("cosh", "tanh", "asinh", "atanh", "erf", "erfc", "erfinv", "lgamma", "digamma", "i0", "sinc", "logit"),
        *("nan_to_num", "sigmoid", "isnan", "signbit", "logical_not"),
    )
    yield from ((name, one, getattr(torch, name)) for name in unary)
    special = ("entr", "ndtri", "log_ndtr", "i0e", "i1", "bessel_j0", "bessel_y1", "modified_bessel_k0", "erfcx")
    yield from ((f"special.{name}", one, getattr(torch.special, name)) for name in special)
    binary = (
        *("add", "sub", "mul", "div", "remainder", "fmod", "pow", "atan2", "hypot", "copysign", "nextafter"),
        *("maximum", "fmax", "eq", "lt", "logical_and", "xlogy", "logaddexp", "heaviside", "ldexp", "float_power"),
        *("floor_divide", "igamma"),
    )
    yield from ((name, two, getattr(torch, name)) for name in binary)
    yield "div, rounded to zero", two, lambda x, y: torch.div(x, y, rounding_mode="trunc")
    yield "pow, a number", one, lambda x: x**2.5
    yield "addcmul", lambda: (floats(), floats(), floats()), torch.addcmul
    yield "lerp", two, lambda x, y: torch.lerp(x, y, 0.3)
    yield "clamp", one, lambda x: x.clamp(0.3, 0.6)
    yield "where", lambda: (floats() > 0.5, floats(), floats()), torch.where
    yield "a row for all", lambda: (square(), floats(1000)), torch.mul
    yield "a column for all", lambda: (square(), floats(1000, 1)), torch.mul
    yield "bias of channels", lambda: (floats(*IMAGES), floats(1, 32, 1, 1)), torch.add
    yield "outer", lambda: (floats(1000), floats(1000)), torch.outer
    yield "transposed", lambda: (square(), square()), lambda x, y: x.t() * y
    yield "slices", lambda: (floats(1000, 2000), floats(1000, 2000)), lambda x, y: x[:, ::2] + y[:, ::2]
    yield "float16 and float32", lambda: (floats(dtype=torch.float16), floats()), torch.add
    yield "diff", lambda: (square(),), torch.diff
    yield "equal", lambda: (torch.ones(COUNT), torch.ones(COUNT)), torch.equal


def _types() -> _Rows:
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        name = str(dtype).rpartition(".")[2]
        for operator in (torch.add, torch.mul, torch.div):

            def operands(dtype: torch.dtype = dtype) -> tuple[Tensor, ...]:
                return (floats(dtype=dtype), floats(dtype=dtype))

            yield f"{operator.__name__} {name}", operands, operator
        for unary in (torch.exp, torch.sqrt, torch.sin, torch.tanh, torch.sigmoid, torch.sum, F.gelu, F.silu):
            yield f"{unary.__name__} {name}", lambda dtype=dtype: (floats(dtype=dtype),), unary

        def of_square(dtype: torch.dtype = dtype) -> tuple[Tensor, ...]:
            return (square(dtype),)

        yield f"softmax {name}", of_square, lambda x: x.softmax(1)
        yield f"layer_norm {name}", of_square, lambda x: F.layer_norm(x, (1000,))
        yield f"max of rows {name}", of_square, lambda x: x.max(1)
        yield f"sort {name}", of_square, lambda x: x.sort(1)
    for dtype in (torch.int32, torch.int64, torch.uint8):
        name = str(dtype).rpartition(".")[2]
        for operator in (torch.add, torch.mul, torch.bitwise_and, torch.remainder, torch.floor_divide, torch.gcd):

            def operands(dtype: torch.dtype = dtype) -> tuple[Tensor, ...]:
                return (indices(most=100, dtype=dtype), indices(most=5, dtype=dtype))

            yield f"{operator.__name__} {name}", operands, operator

    def complex_() -> tuple[Tensor, ...]:
        return (torch.rand(COUNT, dtype=torch.complex64), torch.rand(COUNT, dtype=torch.complex64))

    yield "mul complex64", complex_, torch.mul
    yield "exp complex64", lambda: complex_()[:1], torch.exp
    yield "abs complex64", lambda: complex_()[:1], torch.abs
    yield "angle complex64", lambda: complex_()[:1], torch.angle
    yield "sum complex64", lambda: complex_()[:1], torch.sum
    casts = (("float32", "float16"), ("float16", "float32"), ("int64", "float32"), ("float32", "int64"))
    for source, target in (*casts, ("float32", "bool"), ("uint8", "float32"), ("float32", "bfloat16")):

        def operands(source: str = source) -> tuple[Tensor, ...]:
            return ((floats() * 10).to(getattr(torch, source)),)

        yield f"{source} to {target}", operands, lambda x, target=target: x.to(getattr(torch, target))


def _made() -> _Rows:

    def one() -> tuple[Tensor, ...]:
        return (floats(),)

    def of_square() -> tuple[Tensor, ...]:
        return (square(),)

    yield "fill_", one, lambda x: x.fill_(3.0)
    yield "arange", one, lambda x: torch.arange(COUNT, device=x.device)
    yield "linspace", one, lambda x: torch.linspace(0, 1, COUNT, device=x.device)
    yield "eye", one, lambda x: torch.eye(1000, device=x.device)
    yield "tril", of_square, torch.tril
    yield "triu_indices", of_square, lambda x: torch.triu_indices(1000, 1000, device=x.device)
    yield "cat, rows", lambda: (square(), square()), lambda x, y: torch.cat((x, y))
    yield "cat, columns", lambda: (square(), square()), lambda x, y: torch.cat((x, y), 1)
    yield "stack", lambda: (square(), square()), lambda x, y: torch.stack((x, y), 2)
    yield "flip", of_square, lambda x: x.flip(1)
    yield "roll", of_square, lambda x: x.roll(3, 1)
    yield "rot90", of_square, lambda x: x.rot90()
    yield "repeat", lambda: (floats(100, 100),), lambda x: x.repeat(10, 10)
    yield "copy", one, torch.clone
    yield "copy, transposed", of_square, lambda x: x.t().contiguous()
    yield "copy, every second", lambda: (floats(2 * COUNT),), lambda x: x[::2].contiguous()
    yield "copy, channels last", lambda: (floats(*IMAGES),), lambda x: x.contiguous(memory_format=torch.channels_last)


def _reductions() -> _Rows:
    for name in ("sum", "mean", "prod", "all", "any", "min", "max", "argmax", "std", "var", "median", "amax"):
        operator = getattr(torch, name)
        yield f"{name} of all", lambda: (floats(),), operator
        yield f"{name} of rows", lambda: (square(),), lambda x, operator=operator: operator(x, 1)
        yield f"{name} of columns", lambda: (square(),), lambda x, operator=operator: operator(x, 0)
    yield "logsumexp", lambda: (square(),), lambda x: x.logsumexp(1)
    yield "sum of short rows", lambda: (floats(250_000, 4),), lambda x: x.sum(1)
    yield "sum of the middle", lambda: (floats(100, 100, 100),), lambda x: x.sum(1)
    yield "sum of channels", lambda: (floats(*IMAGES),), lambda x: x.sum((0, 2, 3))
    yield "norm of rows", lambda: (square(),), lambda x: torch.linalg.vector_norm(x, 2, 1)
    yield "kthvalue", lambda: (square(),), lambda x: x.kthvalue(500, 1)
    yield "aminmax", lambda: (floats(),), torch.aminmax
    yield "renorm", lambda: (square(),), lambda x: x.renorm(2, 0, 1.0)
    yield "weight_norm", lambda: (square(), floats(1000, 1)), lambda v, g: torch._weight_norm(v, g, 0)


def _indexing() -> _Rows:

    def rows() -> tuple[Tensor, ...]:
        return (square(), indices(1000))

    def rows_and_values() -> tuple[Tensor, ...]:
        return (square(), indices(1000), square())

    def all_and_values() -> tuple[Tensor, ...]:
        return (square(), indices(1000, 1000), square())

    yield "index_select, rows", rows, lambda x, at: x.index_select(0, at)
    yield "index_select, columns", rows, lambda x, at: x.index_select(1, at)
    yield "index, two", lambda: (square(), indices(), indices()), lambda x, i, j: x[i, j]
    yield "index, a mask", lambda: (square(), square() > 0.5), lambda x, mask: x[mask]
    yield "index_put", rows_and_values, lambda x, at, v: x.index_put((at,), v)
    yield "index_put, summed", rows_and_values, lambda x, at, v: x.index_put((at,), v, accumulate=True)
    yield "index_add, rows", rows_and_values, lambda x, at, v: x.index_add(0, at, v)
    yield "index_add, columns", rows_and_values, lambda x, at, v: x.index_add(1, at, v)
    yield "index_reduce", rows_and_values, lambda x, at, v: x.index_reduce(0, at, v, "amax")
    yield "index_copy", lambda: (square(), torch.randperm(1000), square()), lambda x, at, v: x.index_copy(0, at, v)
    yield "gather", lambda: all_and_values()[:2], lambda x, at: x.gather(1, at)
    yield "gather, columns", lambda: all_and_values()[:2], lambda x, at: x.gather(0, at)
    yield "scatter", all_and_values, lambda x, at, v: x.scatter(1, at, v)
    yield "scatter_add", all_and_values, lambda x, at, v: x.scatter_add(1, at, v)
    yield "scatter_add, columns", all_and_values, lambda x, at, v: x.scatter_add(0, at, v)

    def one_line() -> tuple[Tensor, ...]:
        return (floats(), indices(most=COUNT), floats())

    yield "scatter_add, one line", one_line, lambda x, at, v: x.scatter_add(0, at, v)
    yield "scatter_reduce", all_and_values, lambda x, at, v: x.scatter_reduce(1, at, v, "amax")
    yield "take", lambda: (floats(), indices(most=COUNT)), torch.take
    yield "masked_fill", lambda: (floats(), floats() > 0.5), lambda x, mask: x.masked_fill(mask, 2.0)
    yield "masked_select", lambda: (floats(), floats() > 0.5), torch.masked_select
    yield "nonzero", lambda: (floats() > 0.5,), torch.nonzero
    yield "bincount", lambda: (indices(),), torch.bincount
    yield "histc", lambda: (floats(),), lambda x: torch.histc(x, 100, 0, 1)


def _with_gradients() -> _Rows:
    for name in ("silu", "mish", "softplus", "gelu", "elu", "selu", "hardswish", "hardtanh", "leaky_relu", "relu"):
        yield name, lambda: (floats() - 0.5,), getattr(F, name)
    yield "prelu", lambda: (floats(10, 100, 1000) - 0.5, floats(100)), F.prelu
    yield "glu", lambda: (square(),), lambda x: F.glu(x, 1)
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"):
        yield name, lambda: (floats(), floats()), getattr(F, name)
    yield "cross_entropy", lambda: (square(), indices(1000)), F.cross_entropy
    yield "log_softmax", lambda: (square(),), lambda x: x.log_softmax(1)
    yield "softmax of columns", lambda: (square(),), lambda x: x.softmax(0)
    yield "layer_norm", lambda: (square(), floats(1000), floats(1000)), lambda x, w, b: F.layer_norm(x, (1000,), w, b)
    yield "rms_norm", lambda: (square(), floats(1000)), lambda x, w: F.rms_norm(x, (1000,), w)

    def channels() -> tuple[Tensor, ...]:
        return (floats(*IMAGES), floats(32), floats(32))

    yield "group_norm", channels, lambda x, w, b: F.group_norm(x, 8, w, b)
    yield "batch_norm", channels, lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True)
    yield "normalize", lambda: (square(),), F.normalize
    yield "cosine_similarity", lambda: (square(), square()), F.cosine_similarity
    yield "embedding", lambda: (floats(1000, 256), indices(4000)), lambda w, at: F.embedding(at, w)
    yield "embedding_bag", lambda: (floats(1000, 256), indices(400, 10)), lambda w, at: F.embedding_bag(at, w)

    def images() -> tuple[Tensor, ...]:
        return (floats(*IMAGES),)

    def volumes() -> tuple[Tensor, ...]:
        return (floats(*VOLUMES),)

    yield "max_pool1d", lambda: (floats(*SIGNALS),), lambda x: F.max_pool1d(x, 2)
    yield "max_pool2d", images, lambda x: F.max_pool2d(x, 3, 2, 1)

    def last() -> tuple[Tensor, ...]:
        return (floats(*IMAGES).contiguous(memory_format=torch.channels_last),)

    yield "max_pool2d, channels last", last, lambda x: F.max_pool2d(x, 2)
    yield "max_pool3d", volumes, lambda x: F.max_pool3d(x, 2)
    yield "avg_pool2d", images, lambda x: F.avg_pool2d(x, 2)
    yield "avg_pool3d", volumes, lambda x: F.avg_pool3d(x, 2)
    yield "adaptive_avg_pool2d", images, lambda x: F.adaptive_avg_pool2d(x, 7)
    yield "adaptive_max_pool2d", images, lambda x: F.adaptive_max_pool2d(x, 7)
    for mode in ("reflect", "replicate", "circular", "constant"):
        yield f"pad, {mode}", images, lambda x, mode=mode: F.pad(x, (1, 2, 3, 1), mode)

    def few() -> tuple[Tensor, ...]:
        return (floats(4, 16, 64, 64),)

    for mode in ("nearest", "bilinear", "bicubic"):
        yield f"interpolate, {mode}", few, lambda x, mode=mode: F.interpolate(x, scale_factor=2, mode=mode)
    yield (
        "interpolate, linear",
        lambda: (floats(16, 64, 500),),
        lambda x: F.interpolate(x, scale_factor=2, mode="linear"),
    )

    def solids() -> tuple[Tensor, ...]:
        return (floats(2, 8, 16, 32, 32),)

    yield "interpolate, trilinear", solids, lambda x: F.interpolate(x, scale_factor=2, mode="trilinear")

    def grid() -> tuple[Tensor, ...]:
        return (floats(4, 16, 64, 64), floats(4, 64, 64, 2) * 2 - 1)

    for mode in ("bilinear", "nearest", "bicubic"):
        yield f"grid_sample, {mode}", grid, lambda x, at, mode=mode: F.grid_sample(x, at, mode, align_corners=False)
    yield "unfold", few, lambda x: F.unfold(x, 3)
    yield "fold", lambda: (floats(4, 144, 62 * 62),), lambda x: F.fold(x, 64, 3)
    yield from _convolutions()

    def heads() -> tuple[Tensor, ...]:
        return (floats(4, 8, 128, 64), floats(4, 8, 128, 64), floats(4, 8, 128, 64))

    yield "attention", heads, F.scaled_dot_product_attention
    yield "attention, causal", heads, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    yield "lstm", lambda: (floats(20, 32, 64),), _recurrent(torch.nn.LSTM(64, 64))
    yield "gru", lambda: (floats(20, 32, 64),), _recurrent(torch.nn.GRU(64, 64))
    for p in (1.0, 2.0):
        yield f"cdist, {p}", lambda: (floats(500, 32), floats(500, 32)), lambda x, y, p=p: torch.cdist(x, y, p)
    yield "linear", lambda: (floats(512, 256), floats(256, 256), floats(256)), F.linear

    def signals() -> tuple[Tensor, ...]:
        return (floats(1000, 1024),)

    yield "fft, of 1024", signals, torch.fft.fft
    yield "fft, of 1000", lambda: (square(),), torch.fft.fft
    yield "rfft", signals, torch.fft.rfft
    yield "fft2", lambda: (floats(4, 512, 512),), torch.fft.fft2
    yield "ctc_loss", lambda: (floats(100, 16, 50).log_softmax(2), indices(16, 20, most=50)), _ctc_loss


def _convolutions() -> _Rows:
    few = (4, 32, 32, 32)
    yield "conv1d", lambda: (floats(8, 32, 1000), floats(32, 32, 3)), F.conv1d
    yield "conv2d", lambda: (floats(*few), floats(32, 32, 3, 3)), F.conv2d
    yield "conv2d, 1 x 1", lambda: (floats(4, 64, 32, 32), floats(64, 64, 1, 1)), F.conv2d

    def strided() -> tuple[Tensor, ...]:
        return (floats(4, 32, 64, 64), floats(32, 32, 3, 3))

    yield "conv2d, stride 2", strided, lambda x, w: F.conv2d(x, w, stride=2, padding=1)
    yield "conv2d, groups", lambda: (floats(*few), floats(32, 8, 3, 3)), lambda x, w: F.conv2d(x, w, groups=4)

    def depthwise() -> tuple[Tensor, ...]:
        return (floats(4, 64, 64, 64), floats(64, 1, 3, 3))

    yield "conv2d, depthwise", depthwise, lambda x, w: F.conv2d(x, w, groups=64)

    def first() -> tuple[Tensor, ...]:
        return (floats(4, 3, 112, 112), floats(32, 3, 7, 7))

    yield "conv2d, first layer", first, lambda x, w: F.conv2d(x, w, stride=2, padding=3)
    yield "conv3d", lambda: (floats(2, 8, 16, 32, 32), floats(8, 8, 3, 3, 3)), F.conv3d

    def upwards() -> tuple[Tensor, ...]:
        return (floats(*few), floats(32, 16, 3, 3))

    yield "conv_transpose2d", upwards, lambda x, w: F.conv_transpose2d(x, w, stride=2)


def _recurrent(network: torch.nn.Module) -> Operator:
    networks = {"cpu": network}

    def run(x: Tensor) -> Any:
        device = x.device.type
        if device not in networks:
            networks[device] = copy.deepcopy(network).to(device)
        return networks[device](x)[0]

    return run


def _ctc_loss(x: Tensor, targets: Tensor) -> Tensor:
    return F.ctc_loss(x, targets, torch.full((16,), 100), torch.full((16,), 20))


def _products() -> _Rows:
    for dtype in (torch.float32, torch.float64, torch.bfloat16):

        def both(dtype: torch.dtype = dtype) -> tuple[Tensor, ...]:
            return (floats(512, 512, dtype=dtype), floats(512, 512, dtype=dtype))

        yield f"mm {str(dtype).rpartition('.')[2]}", both, torch.mm
    yield "mm complex64", lambda: (torch.rand(256, 256, dtype=torch.complex64),) * 2, torch.mm
    yield "mm, tall", lambda: (floats(10_000, 64), floats(64, 64)), torch.mm
    yield "mm, long sums", lambda: (floats(64, 10_000), floats(10_000, 64)), torch.mm
    yield "bmm", lambda: (floats(32, 64, 64), floats(32, 64, 64)), torch.bmm
    yield "bmm, small", lambda: (floats(2000, 8, 8), floats(2000, 8, 8)), torch.bmm
    yield "mv", lambda: (square(), floats(1000)), torch.mv
    yield "mv, transposed", lambda: (square(), floats(1000)), lambda x, v: x.t() @ v
    yield "addmv", lambda: (floats(1000), square(), floats(1000)), torch.addmv
    yield "dot", lambda: (floats(), floats()), torch.dot


def _orders() -> _Rows:

    def of_square() -> tuple[Tensor, ...]:
        return (square(),)

    def one() -> tuple[Tensor, ...]:
        return (floats(),)

    for name in ("cumsum", "cumprod", "cummax", "logcumsumexp"):
        operator = getattr(torch, name)
        yield f"{name} of rows", of_square, lambda x, operator=operator: operator(x, 1)
        yield f"{name} of columns", of_square, lambda x, operator=operator: operator(x, 0)
    yield "sort of rows", of_square, lambda x: x.sort(1)
    yield "sort of columns", of_square, lambda x: x.sort(0)
    yield "sort of all", one, torch.sort
    yield "topk of rows", of_square, lambda x: x.topk(10, 1)
    yield "topk of all", one, lambda x: x.topk(100)
    yield "unique", lambda: (indices(),), torch.unique
    yield "unique_consecutive", lambda: (indices(most=3),), torch.unique_consecutive
    yield "searchsorted", lambda: (floats(1000).sort().values, floats()), torch.searchsorted
    yield "bucketize", lambda: (floats(), floats(100).sort().values), torch.bucketize
    yield "isin", lambda: (indices(), indices(100)), torch.isin


def _random() -> _Rows:

    def one() -> tuple[Tensor, ...]:
        return (floats(),)

    for name in ("uniform_", "normal_", "random_", "exponential_", "cauchy_", "log_normal_"):
        yield name, one, lambda x, name=name: getattr(x, name)()
    yield "bernoulli", one, torch.bernoulli
    yield "dropout", one, F.dropout
    yield "multinomial", lambda: (floats(100, 1000),), lambda x: x.multinomial(100, replacement=True)
    yield "randperm", one, lambda x: torch.randperm(COUNT, device=x.device)

    def lists() -> tuple[Tensor, ...]:
        return tuple(floats(10_000) for _ in range(100))

    yield "_foreach_add", lists, lambda *x: torch._foreach_add(x, 1.0)
    yield "_foreach_mul", lists, lambda *x: torch._foreach_mul(x[:50], x[50:])
    yield "_foreach_norm", lists, lambda *x: torch._foreach_norm(x)
    yield "_fused_adam_", lambda: tuple(floats(50_000) for _ in range(80)), _fused_adam
    yield "_fused_sgd_", lambda: tuple(floats(50_000) for _ in range(40)), _fused_sgd


def _fused_adam(*tensors: Tensor) -> None:
    count = len(tensors) // 4
    lists = [list(tensors[at : at + count]) for at in range(0, 4 * count, count)]
    steps = [torch.ones((), device=tensors[0].device) for _ in range(count)]
    numbers = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8}
    torch._fused_adam_(*lists, [], steps, **numbers, amsgrad=False, maximize=False)


def _fused_sgd(*tensors: Tensor) -> None:
    count = len(tensors) // 2
    numbers = {"weight_decay": 0.0, "momentum": 0.0, "lr": 0.1, "dampening": 0.0}
    switches = {"nesterov": False, "maximize": False, "is_first_step": False}
    torch._fused_sgd_(list(tensors[:count]), list(tensors[count:]), [], **numbers, **switches)
