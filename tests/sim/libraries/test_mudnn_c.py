"""muDNN's C interface, against torch and NumPy on random tensors: each function is called."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from library_programs import Build
from mudnn_operations import FLOATING, INVALID, NOT_SUPPORTED, In, Operations, Out, assert_same, drawn, wide

functional = torch.nn.functional


@pytest.fixture(scope="module")
def run(build: Build) -> Operations:
    return Operations(build("mudnn_c.cpp", libraries=["mudnn"]))


@pytest.fixture(scope="module")
def modes(sim_sdk_root: Path) -> dict[str, int]:
    """The numbers of the header's enumerators, which each count from 0."""
    text = (sim_sdk_root / "include/mudnn.h").read_text()
    lists = re.findall(r"typedef enum \{([^}=]*)\}", text)
    return {name: number for names in lists for number, name in enumerate(re.findall(r"MUDNN_\w+", names))}


UNARY: dict[str, Callable[..., torch.Tensor]] = {
    **{name: getattr(torch, name.lower()) for name in ("SQRT", "ROUND", "RSQRT", "RECIPROCAL", "SQUARE", "EXP", "LOG")},
    **{name: getattr(torch, name.lower()) for name in ("LOG10", "LOG2", "LOG1P", "SIN", "COS", "TAN", "ATAN", "CEIL")},
    **{name: getattr(torch, name.lower()) for name in ("FLOOR", "SIGMOID", "RELU", "TANH", "ABS", "ERF", "SIGN")},
    **{name: getattr(functional, name.lower()) for name in ("SILU", "SOFTPLUS", "GELU")},
    "IDENTITY": lambda x: x,
    "CAST": lambda x: x,
    "GELU_TANH": lambda x: functional.gelu(x, approximate="tanh"),
    "LEAKY_RELU": lambda x: functional.leaky_relu(x, 1.5),
    "ELU": lambda x: functional.elu(x, 1.5),
    "ADD": lambda x: x + 1.5,
    "SUB": lambda x: x - 1.5,
    "MUL": lambda x: x * 1.5,
    "POW": lambda x: x**1.5,
    "TRUEDIV": lambda x: x / 1.5,
    "FLOORDIV": lambda x: torch.floor(x / 1.5),
    "TRUNCATEDIV": lambda x: torch.trunc(x / 1.5),
    "FLOORMOD": lambda x: torch.remainder(x, 1.5),
    "SUB_BY_ALPHA": lambda x: 1.5 - x,
    "CLIP": lambda x: x.clamp(1.5, 2.25),
    **{name: lambda x, name=name: getattr(x, name.lower())(1.5) for name in ("LT", "LE", "GT", "GE", "EQ", "NE")},
}
COMPARISONS = ("LT", "LE", "GT", "GE", "EQ", "NE")
# Modes of the header that the classes do not compute.
UNARY_WITHOUT = [
    *("DIV", "IS_FINITE", "IS_INF", "IS_NAN", "IS_NONZERO", "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_XOR"),
    *("ACOS", "MAX", "MIN", "HARDSIGMOID", "RELU6", "SWISH", "HARDSWISH", "MISH"),
    *("TRUNCATEMOD", "DIV_BY_ALPHA", "TRUNCATEDIV_BY_ALPHA", "TRUEDIV_BY_ALPHA", "FLOORDIV_BY_ALPHA"),
]
BINARY: dict[str, Callable[..., torch.Tensor]] = {
    "ADD": torch.add,
    "SUB": torch.sub,
    "MUL": torch.mul,
    "DIV": torch.div,
    "TRUEDIV": torch.div,
    "POW": torch.pow,
    "MAX": torch.maximum,
    "MIN": torch.minimum,
    "FLOORDIV": lambda x, y: torch.floor(x / y),
    "TRUNCATEDIV": lambda x, y: torch.trunc(x / y),
    "FLOORMOD": torch.remainder,
    "DIVNONAN": torch.div,
    "PRELU": lambda x, y: torch.where(x < 0, x * y, x),
    "THRESHOLD_BW": lambda g, x: torch.where(x > 1.5, g, 0.0),
    "LEAKY_RELU_BW": lambda g, x: torch.where(x > 0, g, g * 1.5),
    "SIGMOID_BW": lambda g, y: g * y * (1 - y),
    "TANH_BW": lambda g, y: g * (1 - y * y),
    "SILU_BW": lambda g, x: gradient(functional.silu, g, x),
    "GELU_NONE_BW": lambda g, x: gradient(functional.gelu, g, x),
    "GELU_TANH_BW": lambda g, x: gradient(lambda x: functional.gelu(x, approximate="tanh"), g, x),
    "RSQRT_BW": lambda y, g: -0.5 * g * y**3,
    "LOGICAL_AND": torch.logical_and,
    "LOGICAL_OR": torch.logical_or,
    "LOGICAL_XOR": torch.logical_xor,
    **{name: getattr(torch, name.lower()) for name in COMPARISONS},
}
BINARY_WITHOUT = ["ADD_ALPHA", "SUB_ALPHA", "RELU6_BW", "TRUNCATEMOD", "SQUARED_DIFF"]
TERNARY: dict[str, Callable[..., torch.Tensor]] = {
    "SELECT": lambda x, y, z: torch.where(x, y, z),
    "CLAMP": lambda x, y, z: torch.minimum(torch.maximum(x, y), z),
    "ADDCMUL": lambda x, y, z: x + y * z,
    "ADDCMUL_ALPHA": lambda x, y, z: x + 1.5 * y * z,
    "ADDCDIV": lambda x, y, z: x + y / z,
    "ADDCDIV_ALPHA": lambda x, y, z: x + 1.5 * y / z,
}


def gradient(function: Callable[[torch.Tensor], torch.Tensor], grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    given = x.detach().clone().requires_grad_()
    function(given).backward(grad)
    assert given.grad is not None
    return given.grad


def test_every_mode_is_computed_or_refused(run: Operations, modes: dict[str, int]) -> None:
    for prefix, computed, refused in (
        ("MUDNN_UNARY_", UNARY, UNARY_WITHOUT),
        ("MUDNN_BINARY_", BINARY, BINARY_WITHOUT),
        ("MUDNN_TERNARY_", TERNARY, ["SELECTV2"]),
    ):
        names = {name[len(prefix) :] for name in modes if name.startswith(prefix)}
        assert names == set(computed) | set(refused)
        operation, count = prefix[6:-1].lower(), {"U": 2, "B": 3, "T": 4}[prefix[6]]
        for name in refused:
            tensors = [Out([2], torch.float), *[torch.ones(2)] * (count - 1)]
            assert run.status(operation, *tensors, mode=modes[prefix + name]) == NOT_SUPPORTED, name


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one(run: Operations, modes: dict[str, int], rng: np.random.Generator, name: str) -> None:
    for dtype in FLOATING:
        x = drawn(rng, 3, 5, dtype=dtype).abs() + 0.25
        result = torch.bool if name in COMPARISONS else dtype
        alpha, beta = (1, 20) if name == "SOFTPLUS" else (1.5, 2.25)
        (found,) = run("unary", Out(x.shape, result), x, mode=modes[f"MUDNN_UNARY_{name}"], alpha=alpha, beta=beta)
        assert_same(found, UNARY[name](x.double()))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two(run: Operations, modes: dict[str, int], rng: np.random.Generator, name: str) -> None:
    for dtype in FLOATING:
        x, y = drawn(rng, 3, 5, dtype=dtype).abs() + 0.25, drawn(rng, 5, dtype=dtype).abs() + 0.5
        if name == "PRELU":
            x, y = -x, y[:1]
        result = torch.bool if name in COMPARISONS or name.startswith("LOGICAL") else dtype
        (found,) = run("binary", Out(x.shape, result), x, y, mode=modes[f"MUDNN_BINARY_{name}"], alpha=1.5)
        expected = (
            BINARY[name](*torch.broadcast_tensors(x.double(), y.double()))
            if name != "PRELU"
            else x.double() * y.double()
        )
        assert_same(found, expected)


def test_integers(run: Operations, modes: dict[str, int]) -> None:
    x, y = torch.tensor([5, -7, 1 << 20], dtype=torch.int), torch.tensor([3, 2, 9], dtype=torch.int)
    (found,) = run("binary", Out([3], torch.int), x, y, mode=modes["MUDNN_BINARY_FLOORDIV"])
    assert torch.equal(found, x // y)
    (found,) = run("unary", Out([3], torch.int), x, mode=modes["MUDNN_UNARY_MUL"], alpha=3)
    assert torch.equal(found, x * 3)


@pytest.mark.parametrize("name", TERNARY)
def test_functions_of_three(run: Operations, modes: dict[str, int], rng: np.random.Generator, name: str) -> None:
    for dtype in FLOATING:
        x, y, z = (drawn(rng, 3, 5, dtype=dtype).abs() + 0.25 for _ in range(3))
        first = x > 0.75 if name == "SELECT" else x
        (found,) = run("ternary", Out(x.shape, dtype), first, y, z, mode=modes[f"MUDNN_TERNARY_{name}"], alpha=1.5)
        assert_same(found, TERNARY[name](first if name == "SELECT" else x.double(), y.double(), z.double()))


@pytest.mark.parametrize("dtype", FLOATING)
def test_products(run: Operations, rng: np.random.Generator, dtype: torch.dtype) -> None:
    for batch in ((), (3,)):
        a, b, c = (drawn(rng, *batch, *sizes, dtype=dtype) for sizes in ((4, 5), (6, 5), (4, 6)))
        bias = drawn(rng, 6, dtype=dtype)
        product = a.double() @ b.double().mT
        (found,) = run("product", Out(c.shape, dtype), a, b, c, bias, transpose_b=1, alpha=0.5, beta=2, gamma=3)
        assert_same(found, 0.5 * product + 2 * c.double() + 3 * bias.double())
        (found,) = run("product", In(c, held=True), a, b, None, None, transpose_b=1, beta=1)
        assert_same(found, product + c.double())
    left, right = drawn(rng, 7, dtype=dtype), drawn(rng, 7, dtype=dtype)
    (found,) = run("dot", Out([], dtype), left, right)
    assert_same(found, left.double() @ right.double())


def test_products_with_factors_and_of_groups(run: Operations, rng: np.random.Generator) -> None:
    a, b = drawn(rng, 4, 32), drawn(rng, 32, 8)
    quantised = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    exact = (quantised[0].double() * 0.5) @ (quantised[1].double() * 0.25)
    outs = Out([4, 8], torch.float), Out([1], torch.float)
    found, largest = run("product_lt", outs[0], *quantised, torch.tensor([0.5]), torch.tensor([0.25]), outs[1])
    assert_same(found, exact)
    assert_same(largest, exact.abs().max().view(1))
    pairs = [(drawn(rng, n, 5), drawn(rng, 6, 5)) for n in (2, 3)]
    operands = [each for a, b in pairs for each in (Out([len(a), 6], torch.float), a, b)]
    for found, (a, b) in zip(run("grouped", *operands, transpose_b=1), pairs):
        assert_same(found, a.double() @ b.double().T)


@pytest.mark.parametrize("dtype", FLOATING)
def test_convolutions(run: Operations, rng: np.random.Generator, modes: dict[str, int], dtype: torch.dtype) -> None:
    images, weights = wide(drawn(rng, 2, 4, 5, 7, dtype=dtype)), wide(drawn(rng, 6, 2, 3, 3, dtype=dtype))
    settings = {"groups": 2, "padding": (1, 0), "stride": (1, 2), "dilation": (1, 1)}
    exact = functional.conv2d(images, weights, None, (1, 2), (1, 0), 1, 2)
    given = images.detach().to(dtype), weights.detach().to(dtype)
    results = [Out(each.shape, dtype) for each in (exact, images, weights)]
    out, grad_in, grad_weights = run("convolution", results[0], *given, *results[1:], **settings)
    exact.backward(out.double())
    assert images.grad is not None and weights.grad is not None
    for found, expected in ((out, exact), (grad_in, images.grad), (grad_weights, weights.grad)):
        assert_same(found / 8, expected / 8)
    bias, add = drawn(rng, 6, dtype=dtype), drawn(rng, *exact.shape, dtype=dtype)
    relu = modes["MUDNN_ACTIVATION_RELU"]
    for of_add in (0, 1):
        (found,) = run("fusion", results[0], *given, bias, add, activation=relu, of_add=of_add, **settings)
        expected = exact + bias.double().view(-1, 1, 1) + of_add * add.double()
        assert_same(found, torch.relu(expected))
    assert run.status("convolution", results[0], *given, *results[1:], alpha=2, **settings) == NOT_SUPPORTED
    tanh = modes["MUDNN_ACTIVATION_TANH"]
    assert run.status("fusion", results[0], *given, bias, add, activation=tanh, **settings) == NOT_SUPPORTED


@pytest.mark.parametrize("dim", [0, 1])
def test_softmax(run: Operations, modes: dict[str, int], rng: np.random.Generator, dim: int) -> None:
    for mode, function in (("SOFTMAX", torch.softmax), ("LOG_SOFTMAX", torch.log_softmax)):
        x, grad = wide(drawn(rng, 4, 7)), drawn(rng, 4, 7)
        number = modes[f"MUDNN_SOFTMAX_MODE_{mode}"]
        exact = function(x, dim)
        exact.backward(grad.double())
        (found,) = run("softmax", Out([4, 7], torch.float), x.detach().float(), dim=dim, mode=number)
        assert_same(found, exact)
        (found,) = run("softmax_backward", Out([4, 7], torch.float), found, grad, dim=dim, mode=number)
        assert x.grad is not None
        assert_same(found, x.grad)


def test_reductions(run: Operations, modes: dict[str, int], rng: np.random.Generator) -> None:
    x = drawn(rng, 4, 7)
    functions = {
        "ADD": torch.sum,
        "MEAN": torch.mean,
        "MAX": torch.amax,
        "MIN": torch.amin,
        "PROD": torch.prod,
        "STD": torch.std,
        "VARIANCE": torch.var,
        "NORM": lambda x, dim: torch.linalg.vector_norm(x, 2, dim),
    }
    for name, function in functions.items():
        (found,) = run("reduce", Out([4], torch.float), x, dim=1, mode=modes[f"MUDNN_REDUCE_{name}"])
        assert_same(found, function(x.double(), 1))
    for name in ("MUL", "MUL_NO_ZEROS", "L2LOSS", "MAX_UNSTABLE", "MIN_UNSTABLE"):
        refused = run.status("reduce", Out([4], torch.float), x, dim=1, mode=modes[f"MUDNN_REDUCE_{name}"])
        assert refused == NOT_SUPPORTED, name
    flags = x > 0
    for name, function in (("AND", torch.all), ("OR", torch.any)):
        (found,) = run("reduce", Out([4], torch.bool), flags, dim=1, mode=modes[f"MUDNN_REDUCE_{name}"])
        assert torch.equal(found, function(flags, 1))
    outs = [Out([4], torch.float), Out([4], torch.long), Out([4], torch.long)]
    values, positions, alone = run("reduce_indices", *outs, x, dim=1, mode=modes["MUDNN_REDUCE_MAX"])
    assert torch.equal(values, x.amax(1)) and torch.equal(positions, x.argmax(1)) and torch.equal(alone, x.argmax(1))
    for name, function in (("ADD", torch.cumsum), ("MUL", torch.cumprod)):
        (found,) = run("cum", Out([4, 7], torch.float), x, dim=0, mode=modes[f"MUDNN_CUM_{name}"])
        assert_same(found, function(x.double(), 0))


@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.int, torch.long])
def test_moved_elements(run: Operations, modes: dict[str, int], rng: np.random.Generator, dtype: torch.dtype) -> None:
    x, y = (torch.from_numpy(rng.integers(-9, 9, (4, 6))).to(dtype) for _ in range(2))
    mask = torch.from_numpy(rng.integers(0, 2, (4, 6)).astype(bool))
    (found,) = run("fill", In(x, held=True), mask, value=5)
    assert torch.equal(found, x.masked_fill(mask, 5))
    assert torch.equal(run("fill", Out([3], dtype), value=-7)[0], torch.full([3], -7, dtype=dtype))
    assert torch.equal(run("permute", Out([4, 6], dtype), x.T.contiguous())[0], x)
    assert torch.equal(run("concat", Out([4, 12], dtype), x, y, dim=1)[0], torch.cat([x, y], 1))
    (found,) = run("masked_select", Out([24], dtype), x, mask)
    assert torch.equal(found, x[mask])
    (found,) = run("nonzero", Out([48], torch.long), x)
    assert torch.equal(found, torch.nonzero(x))
    assert torch.equal(run("masked_scatter", In(x, held=True), mask, y)[0], x.masked_scatter(mask, y))
    values, positions = run("sort", Out([4, 6], dtype), Out([4, 6], torch.long), x, dim=1, descending=1)
    expected = torch.sort(x, dim=1, descending=True, stable=True)
    assert torch.equal(values, expected.values) and torch.equal(positions, expected.indices)
    keys, moved = run("sort_by_key", Out([4, 6], dtype), Out([4, 6], dtype), x, y, dim=0)
    order = torch.sort(x, dim=0, stable=True)
    assert torch.equal(keys, order.values) and torch.equal(moved, y.gather(0, order.indices))
    outs = Out([4, 3], dtype), Out([4, 3], torch.long)
    for largest in (0, 1):
        values, positions = run("topk", *outs, x, dim=1, k=3, largest=largest)
        assert torch.equal(values, torch.topk(x, 3, 1, bool(largest)).values)
        assert torch.equal(x.gather(1, positions), values)


def test_padding_and_scattering(run: Operations, modes: dict[str, int], rng: np.random.Generator) -> None:
    x = drawn(rng, 2, 3, 4, 5)
    for name in ("constant", "reflect", "replicate", "circular"):
        expected = functional.pad(x, (1, 2, 2, 0), name, *([1.5] if name == "constant" else []))
        number = modes[f"MUDNN_PAD_MODE_{name.upper()}"]
        (found,) = run("pad", Out(expected.shape, torch.float), x, padding=(1, 2, 2, 0), mode=number, value=1.5)
        assert torch.equal(found, expected)
    base, positions, update = drawn(rng, 4, 6), torch.tensor([2, 0]), drawn(rng, 2, 6)
    for mode, expected in (
        ("UPDATE_ONLY", base.index_copy(0, positions, update)),
        ("ADD", base.index_add(0, positions, update)),
        ("SUB", base.index_add(0, positions, -update)),
    ):
        number = modes[f"MUDNN_SCATTER_MODE_{mode}"]
        wide_positions = positions.view(-1, 1).expand(2, 6).contiguous()
        assert_same(run("scatter", In(base, held=True), wide_positions, update, dim=0, mode=number)[0], expected)
    refused = run.status("scatter", In(base, held=True), positions, update, mode=modes["MUDNN_SCATTER_MODE_MUL"])
    assert refused == NOT_SUPPORTED


def test_norms(run: Operations, rng: np.random.Generator) -> None:
    x, gamma, beta = wide(drawn(rng, 4, 6)), wide(drawn(rng, 6)), wide(drawn(rng, 6))
    grad = drawn(rng, 4, 6)
    given = [each.detach().float() for each in (x, gamma, beta)]
    exact = functional.layer_norm(x, [6], gamma, beta, 0.25)
    exact.backward(grad.double())
    lines = [Out([4], torch.float)] * 2
    found, mean, scale = run("layer_norm", Out([4, 6], torch.float), *lines, *given, epsilon=0.25)
    assert_same(found, exact)
    outs = [Out(each.shape, torch.float) for each in (x, gamma, beta)]
    grads = run("layer_norm_backward", *outs, grad, given[0], mean, scale, given[1], epsilon=0.25)
    for found, expected in zip(grads, (x.grad, gamma.grad, beta.grad)):
        assert expected is not None
        assert_same(found, expected)
    x, gamma = wide(given[0]), wide(given[1])
    exact = x * torch.rsqrt((x * x).mean(1, keepdim=True) + 0.25) * gamma
    exact.backward(grad.double())
    found, scale = run("rms_norm", outs[0], lines[0], *given[:2], epsilon=0.25)
    assert_same(found, exact)
    grads = run("rms_norm_backward", *outs[:2], grad, given[0], scale, given[1], epsilon=0.25)
    for found, expected in zip(grads, (x.grad, gamma.grad)):
        assert expected is not None
        assert_same(found, expected)


def test_norms_of_channels(run: Operations, rng: np.random.Generator) -> None:
    x, gamma, beta = drawn(rng, 3, 6, 2, 2), drawn(rng, 6), drawn(rng, 6)
    outs = Out(x.shape, torch.float), *[Out([3, 2], torch.float)] * 2
    found = run("group_norm", *outs, x, gamma, beta, epsilon=0.25, axis=1, groups=2)[0]
    assert_same(found, functional.group_norm(x.double(), 2, gamma.double(), beta.double(), 0.25))
    mean, variance = drawn(rng, 6), drawn(rng, 6).abs()
    (found,) = run("batch_norm_inference", outs[0], x, mean, variance, gamma, beta, epsilon=0.25)
    assert_same(found, functional.batch_norm(*(each.double() for each in (x, mean, variance, gamma, beta)), eps=0.25))
    wider = [wide(each) for each in (x, gamma, beta)]
    running = [mean.double(), variance.double()]
    exact = functional.batch_norm(wider[0], *running, *wider[1:], training=True, momentum=0.25, eps=0.25)
    grad = drawn(rng, *x.shape)
    exact.backward(grad.double())
    channels = Out([6], torch.float)
    held = In(mean, held=True), In(variance, held=True)
    found, *moved, means, scales = run(
        "batch_norm_training", outs[0], x, *held, channels, channels, gamma, beta, epsilon=0.25
    )
    assert_same(found, exact)
    for one, other in zip(moved, running):
        assert_same(one, other)
    grads = run("batch_norm_backward", outs[0], *[channels] * 4, x, grad, means, scales, gamma, epsilon=0.25)
    for one, other in zip((grads[0], *grads[3:]), wider):
        assert other.grad is not None
        assert_same(one, other.grad)


def test_gates_rotations_and_dropout(run: Operations, rng: np.random.Generator) -> None:
    x, grad = wide(drawn(rng, 3, 8)), drawn(rng, 3, 4)
    given = x.detach().float()
    assert_same(run("glu", Out([3, 4], torch.float), given, axis=1)[0], functional.glu(x, 1))
    exact = functional.silu(x[:, :4]) * x[:, 4:]
    exact.backward(grad.double())
    assert x.grad is not None
    assert_same(run("swiglu", Out([3, 4], torch.float), given)[0], exact)
    assert_same(run("swiglu_backward", Out([3, 8], torch.float), given, grad)[0], x.grad)
    queries, angles = drawn(rng, 5, 2, 3, 8), drawn(rng, 5, 8)
    (turned,) = run("rope", Out(queries.shape, torch.float), queries, angles)
    cosine, sine = (f(angles.double()).view(5, 1, 1, 8) for f in (torch.cos, torch.sin))
    half = torch.cat([-queries[..., 4:], queries[..., :4]], -1).double()
    assert_same(turned, queries.double() * cosine + half * sine)
    same = torch.cat([angles[:, :4]] * 2, 1)
    (turned,) = run("rope", Out(queries.shape, torch.float), queries, same)
    assert_same(run("rope_backward", Out(queries.shape, torch.float), turned, same)[0], queries)
    assert run.status("rope", Out(queries.shape, torch.float), queries, angles, interleaved=1) == NOT_SUPPORTED
    x = drawn(rng, 500)
    dropped, mask = run("dropout", Out([500], torch.float), Out([500], torch.bool), x, p=0.25)
    assert 300 < int(mask.sum()) < 450
    assert_same(dropped, x.double() * mask / 0.75)
    assert_same(run("dropout_backward", Out([500], torch.float), x, mask, scale=4)[0], x.double() * mask * 4)


def test_pixels(run: Operations, modes: dict[str, int], rng: np.random.Generator) -> None:
    x, windows = wide(drawn(rng, 2, 3, 7, 6)), ((3, 2), (2, 1), (1, 0))
    for mode, function in (
        ("MAX", lambda x: functional.max_pool2d(x, *windows, return_indices=True)),
        ("AVERAGE_COUNT_INCLUDE_PADDING", lambda x: (functional.avg_pool2d(x, *windows), None)),
        (
            "AVERAGE_COUNT_EXCLUDE_PADDING",
            lambda x: (functional.avg_pool2d(x, *windows, False, False), None),
        ),
    ):
        x.grad = None
        exact, positions = function(x)
        grad = drawn(rng, *exact.shape)
        exact.backward(grad.double())
        assert x.grad is not None
        indices = None if positions is None else Out(exact.shape, torch.long)
        given = x.detach().float()
        results = Out(exact.shape, torch.float), indices, given, Out(x.shape, torch.float), grad
        found = run("pool", *results, mode=modes[f"MUDNN_POOLING_{mode}"])
        assert_same(found[0], exact)
        assert_same(found[-1], x.grad)
        assert positions is None or torch.equal(found[1], positions)
    for mode, name in (
        ("NEAREST", "nearest"),
        ("NEAREST_EXACT", "nearest-exact"),
        ("LINEAR", "bilinear"),
        ("BICUBIC", "bicubic"),
    ):
        number = modes[f"MUDNN_INTERPOLATE_{mode}"]
        x.grad = None
        exact, grad = functional.interpolate(x, scale_factor=2, mode=name), drawn(rng, 2, 3, 14, 12)
        exact.backward(grad.double())
        assert x.grad is not None
        outs = Out(exact.shape, torch.float), Out(x.shape, torch.float)
        for found, expected in zip(run("interpolate", *outs, x.detach().float(), grad, mode=number), (exact, x.grad)):
            torch.testing.assert_close(found.double(), expected.detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses(run: Operations, modes: dict[str, int], rng: np.random.Generator, reduction: str) -> None:
    mode = modes[f"MUDNN_LOSS_REDUCE_MODE_{reduction.upper()}"]
    x, weight = wide(torch.log_softmax(drawn(rng, 5, 4), 1)), drawn(rng, 4).abs() + 0.25
    target = torch.from_numpy(rng.integers(0, 4, 5))
    given = x.detach().float()

    def backward(exact: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x.grad = None
        grad = drawn(rng, *exact.shape)
        exact.backward(grad.double())
        assert x.grad is not None
        return grad, x.grad

    exact = functional.nll_loss(x, target, weight.double(), reduction=reduction)
    grad, expected = backward(exact)
    outs = Out(exact.shape, torch.float), Out([], torch.float), Out([5, 4], torch.float)
    found = run("nll", *outs, given, target, weight, grad, mode=mode)
    assert_same(found[0], exact)
    assert_same(found[2], expected)
    exact = functional.cross_entropy(x, target, weight.double(), reduction=reduction, label_smoothing=0.25)
    grad, expected = backward(exact)
    found = run("cross_entropy", outs[0], outs[2], given, target, weight, grad, mode=mode)
    assert_same(found[0], exact)
    assert_same(found[1], expected)
    goal = torch.softmax(drawn(rng, 5, 4), 1)
    exact = functional.kl_div(x, goal.double(), reduction=reduction)
    grad, expected = backward(exact)
    found = run("kl_div", Out(exact.shape, torch.float), outs[2], given, goal, grad, mode=mode)
    assert_same(found[0], exact)
    assert_same(found[1], expected)
    batchmean = modes["MUDNN_LOSS_REDUCE_MODE_BATCHMEAN"]
    assert run.status("kl_div", outs[1], outs[2], given, goal, grad, mode=batchmean) == NOT_SUPPORTED


def test_ctc(run: Operations, rng: np.random.Generator) -> None:
    x = wide(torch.log_softmax(drawn(rng, 9, 2, 5), 2))
    targets, lengths = torch.from_numpy(rng.integers(1, 5, (2, 3))), (torch.tensor([9, 7]), torch.tensor([3, 2]))
    exact = functional.ctc_loss(x, targets, *lengths, reduction="none", zero_infinity=True)
    grad = drawn(rng, 2)
    exact.backward(grad.double())
    outs = Out([2], torch.float), Out([2, 9, 7], torch.float), Out(x.shape, torch.float)
    found = run("ctc", *outs, x.detach().float(), targets, *lengths, grad, longest=3)
    assert x.grad is not None
    assert_same(found[0], exact)
    torch.testing.assert_close(found[2].double(), x.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("operation", ["attention_math", "attention_flash", "attention_varlen"])
def test_attention(run: Operations, rng: np.random.Generator, operation: str) -> None:
    sizes = (1, 2, 5, 8) if operation == "attention_varlen" else (2, 2, 5, 8)
    query, key, value = (wide(drawn(rng, *sizes)) for _ in range(3))
    grad = drawn(rng, *sizes)
    causal = operation != "attention_math"
    exact = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
    exact.backward(grad.double())

    def shaped(tensor: torch.Tensor) -> torch.Tensor:
        """Sequences of several lengths are [lengths, heads, elements]."""
        return tensor[0].transpose(0, 1).contiguous() if operation == "attention_varlen" else tensor

    given = [shaped(each.detach().float()) for each in (query, key, value, grad)]
    beside = {"attention_math": (2, 2, 5, 5), "attention_flash": (2, 2, 5), "attention_varlen": (1, 2, 5)}[operation]
    result = Out(given[0].shape, torch.float)
    begins = [torch.tensor([0, 5], dtype=torch.int)] if operation == "attention_varlen" else []
    settings = {"embed": 16, "heads": 2, "batch": sizes[0], "longest": 5}
    found = run(operation, result, Out(beside, torch.float), *[result] * 3, *given, *begins, **settings)
    for one, other in zip((found[0], *found[2:]), (exact, query.grad, key.grad, value.grad)):
        assert other is not None
        torch.testing.assert_close(one.double(), shaped(other.detach()), rtol=1e-4, atol=1e-5)


def test_wrong_calls_have_statuses(build: Build) -> None:
    done = build("mudnn_c.cpp", libraries=["mudnn"])("misuse")
    assert (done.status, done.stderr) == (0, "")
    *lines, last = done.stdout.decode().splitlines()
    statuses = dict(line.split(": ") for line in lines)
    good = {name: statuses.pop(name) for name in ("nothing to destroy", "sizes")}
    assert set(statuses.values()) == {"MUDNN_STATUS_INVALID_PARAMETER"} and len(statuses) == 14
    assert set(good.values()) == {"MUDNN_STATUS_SUCCESS"}
    assert last == "0 2: 2 2, 2 1"


def test_sizes_that_do_not_fit_are_refused(run: Operations, modes: dict[str, int]) -> None:
    add = modes["MUDNN_BINARY_ADD"]
    assert run.status("binary", Out([3], torch.float), torch.ones(3), torch.ones(2), mode=add) == INVALID
    assert run.status("product", Out([2, 2], torch.float), torch.ones(2, 3), torch.ones(2, 2), None, None) == INVALID


def test_the_library_has_each_function_of_the_header(sim_sdk_root: Path) -> None:
    """And the program calls each."""
    source = Path(__file__).parent / "programs/mudnn_c.cpp"
    command = ["gcc", "-std=c11", "-E", "-P", f"-I{sim_sdk_root}/include", str(sim_sdk_root / "include/mudnn.h")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    declared = set(re.findall(r"\b(mudnn\w+) ?\(", text)) - {"mudnnStatus_t"}
    library = subprocess.run(
        ["nm", "-D", "--defined-only", str(sim_sdk_root / "lib/libmudnn.so")],
        capture_output=True,
        text=True,
        check=True,
    )
    exported = {line.split()[-1] for line in library.stdout.splitlines()}
    assert declared <= exported and len(declared) > 200
    called = set(re.findall(r"\bmudnn[A-Z]\w+", source.read_text()))
    owned = {name for name in declared if re.fullmatch(r"mudnn(Create|Destroy)\w+Descriptor", name)}
    assert declared - owned - called == set()
