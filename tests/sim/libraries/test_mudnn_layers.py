"""muDNN's layers and their gradients, against torch in double precision on the CPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from library_programs import Build
from mudnn_operations import (
    FLOATING,
    INVALID,
    NOT_SUPPORTED,
    In,
    Operations,
    Out,
    assert_same,
    drawn,
    wide,
)
from torch.nn import functional as F

every_type = pytest.mark.parametrize("dtype", FLOATING, ids=str)
# as NCHW, and as a tensor of other sizes whose format says where the channels are
every_format = pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])

MAX, AVERAGE_WITH_PADDING, AVERAGE, GLOBAL, ADAPTIVE_AVERAGE, ADAPTIVE_MAX = range(6)
NEAREST, NEAREST_EXACT, LINEAR, BICUBIC = range(4)
CONSTANT, REFLECT, REPLICATE, CIRCULAR = range(4)
UPDATE, ADD, SUB = range(3)
REDUCTIONS = ["none", "mean", "sum"]


@pytest.fixture(scope="module")
def run(build: Build) -> Operations:
    return Operations(build("mudnn_layers.cpp", libraries=["mudnn"]))


def laid_out(tensor: torch.Tensor, last: bool) -> In:
    """A tensor as its format has it."""
    if not last:
        return In(tensor)
    return In(tensor.movedim(1, -1).contiguous(), "NHWC" if tensor.dim() == 4 else "NDHWC")


def result(sizes: Sequence[int], dtype: torch.dtype, last: bool) -> Out:
    if not last:
        return Out(sizes, dtype)
    return Out([sizes[0], *sizes[2:], sizes[1]], dtype, "NHWC" if len(sizes) == 4 else "NDHWC")


def channels_second(tensor: torch.Tensor, last: bool) -> torch.Tensor:
    return tensor.movedim(-1, 1) if last else tensor


@every_type
def test_dot(run: Operations, rng: np.random.Generator, dtype: torch.dtype) -> None:
    left, right = drawn(rng, 19, dtype=dtype), drawn(rng, 19, dtype=dtype)
    assert_same(run("dot", Out([1], dtype), left, right)[0], (left.double() * right.double()).sum().view(1))
    assert run.status("dot", Out([1], dtype), left, right[:5]) == INVALID


@every_type
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_glu(run: Operations, rng: np.random.Generator, dtype: torch.dtype, axis: int) -> None:
    x = drawn(rng, 4, 6, 8, dtype=dtype)
    expected = F.glu(x.double(), axis)
    assert_same(run("glu", Out(expected.shape, dtype), x, axis=axis)[0], expected)
    assert run.status("glu", Out([4, 6, 8], dtype), x, axis=axis) == INVALID


@every_type
def test_swiglu(run: Operations, rng: np.random.Generator, dtype: torch.dtype) -> None:
    x, gradient = drawn(rng, 3, 5, 8, dtype=dtype), drawn(rng, 3, 5, 4, dtype=dtype)
    leaf = wide(x)
    gate, value = leaf.chunk(2, -1)
    expected = F.silu(gate) * value
    expected.backward(gradient.double())
    assert_same(run("swiglu", Out(expected.shape, dtype), x)[0], expected)
    assert leaf.grad is not None
    assert_same(run("swiglu_backward", Out(x.shape, dtype), x, gradient)[0], leaf.grad)


@every_format
@pytest.mark.parametrize("dtype", [torch.float, torch.bfloat16, torch.int, torch.bool], ids=str)
@pytest.mark.parametrize(
    ("mode", "name"), [(CONSTANT, "constant"), (REFLECT, "reflect"), (REPLICATE, "replicate"), (CIRCULAR, "circular")]
)
def test_padding(
    run: Operations, rng: np.random.Generator, mode: int, name: str, dtype: torch.dtype, last: bool
) -> None:
    x = (drawn(rng, 2, 3, 4, 5) * 4).to(dtype)
    padding = (1, 3, 2, 0)
    value = {"value": 1.0} if name == "constant" else {}
    expected = F.pad(x.double(), padding, name, **value).to(dtype)
    found = run("pad", result(expected.shape, dtype, last), laid_out(x, last), mode=mode, value=1, padding=padding)[0]
    assert torch.equal(channels_second(found, last), expected)


def test_padding_of_all_dimensions(run: Operations, rng: np.random.Generator) -> None:
    x = drawn(rng, 2, 3, 4)
    padding = (1, 0, 0, 2, 1, 1)
    expected = F.pad(x, padding, "constant", -2.5)
    found = run("pad", Out(expected.shape, torch.float), x, mode=CONSTANT, value=-2.5, padding=padding)[0]
    assert torch.equal(found, expected)
    assert run.status("pad", Out([2, 3, 12], torch.float), x, mode=REFLECT, padding=(4, 4)) == INVALID
    assert run.status("pad", Out([2, 3, 4], torch.float), x, mode=REPLICATE, padding=(1, 0)) == INVALID


@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.int, torch.long, torch.bool], ids=str)
@pytest.mark.parametrize("sizes", [(7,), (3, 4, 5)], ids=str)
def test_nonzero_and_masks(
    run: Operations, rng: np.random.Generator, dtype: torch.dtype, sizes: tuple[int, ...]
) -> None:
    x = torch.from_numpy(rng.integers(0, 3, sizes)).to(dtype)
    found = run("nonzero", Out([x.numel(), x.dim()], torch.long), x)[0]
    assert torch.equal(found, x.nonzero())
    mask = torch.from_numpy(rng.integers(0, 2, sizes)).bool()
    assert torch.equal(run("masked_select", Out([x.numel()], dtype), x, mask)[0], x[mask])
    assert run("masked_select", Out([x.numel()], dtype), x, torch.zeros_like(mask))[0].shape == (0,)
    source = torch.from_numpy(rng.integers(4, 9, sizes)).to(dtype)
    found = run("masked_scatter", In(x, held=True), mask, source)[0]
    assert torch.equal(found, x.masked_scatter(mask, source))
    found = run("masked_scatter", In(x, held=True), mask.reshape(-1)[: sizes[-1]].clone(), source)[0]
    assert torch.equal(found, x.masked_scatter(mask.reshape(-1)[: sizes[-1]], source))


@pytest.mark.parametrize("index", [torch.int, torch.long], ids=str)
@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.int, torch.long], ids=str)
def test_unique(run: Operations, rng: np.random.Generator, dtype: torch.dtype, index: torch.dtype) -> None:
    numbers = rng.integers(-4, 5, 23).tolist()
    x = torch.tensor(numbers).to(dtype) + (1 << 60 if dtype == torch.long else 0)
    firsts = {number: index for index, number in enumerate(dict.fromkeys(numbers))}
    values, indices, counts = run("unique", Out([23], dtype), Out([23], index), Out([23], index), x)
    assert values.tolist() == list(dict.fromkeys(x.tolist()))
    assert indices.tolist() == [firsts[number] for number in numbers]
    assert counts.tolist() == [numbers.count(number) for number in firsts]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [torch.float, torch.bfloat16, torch.int, torch.long], ids=str)
def test_scatter(run: Operations, rng: np.random.Generator, dtype: torch.dtype, axis: int) -> None:
    x, source = (drawn(rng, 5, 6, 4) * 8).to(dtype), (drawn(rng, 4, 4, 4) * 8).to(dtype)
    index = torch.from_numpy(rng.integers(0, 4, (3, 4, 2)))
    update = source[:3, :4, :2].double()
    total = x.double().scatter_add(axis, index, update)
    less = x.double().scatter_add(axis, index, -update)
    if not dtype.is_floating_point:
        assert torch.equal(run("scatter", In(x, held=True), index, source, axis=axis, mode=ADD)[0], total.to(dtype))
        assert torch.equal(run("scatter", In(x, held=True), index, source, axis=axis, mode=SUB)[0], less.to(dtype))
    else:
        # each sum is rounded to the type
        found = run("scatter", In(x, held=True), index.int(), source, axis=axis, mode=ADD)[0]
        torch.testing.assert_close(found.double(), total, rtol=0.02, atol=0.2 if dtype == torch.bfloat16 else 1e-5)
    # an index for each, since torch does not say which of several wins
    order = torch.from_numpy(rng.permuted(np.tile(np.arange(4), (4, 4, 1)), axis=-1)).movedim(-1, axis)
    expected = x.scatter(axis, order, source)
    assert torch.equal(run("scatter", In(x, held=True), order, source, axis=axis, mode=UPDATE)[0], expected)
    assert run.status("scatter", In(x, held=True), order, source[:2], axis=axis, mode=UPDATE) == INVALID


def test_scatter_of_slices(run: Operations, rng: np.random.Generator) -> None:
    x, index = drawn(rng, 4, 5, 3), torch.tensor([[1, 2], [3, 0], [1, 2]], dtype=torch.int)
    update = drawn(rng, 3, 3)
    expected = x.double().index_put((index[:, 0].long(), index[:, 1].long()), update.double(), accumulate=True)
    assert_same(run("scatter_nd", In(x, held=True), index, update, mode=ADD)[0], expected)
    rows = torch.tensor([[2], [0]])
    expected = x.index_put((rows[:, 0],), x[:2] * 3)
    assert torch.equal(run("scatter_nd", In(x, held=True), rows, x[:2] * 3, mode=UPDATE)[0], expected)
    assert run.status("scatter_nd", In(x, held=True), rows, x[:2], mode=SUB) == NOT_SUPPORTED
    assert run.status("scatter_nd", In(x, held=True), index, x[:3], mode=ADD) == INVALID


POOLS = [
    ({"window": (3, 2), "padding": (1, 0), "stride": (2, 1), "dilation": (1, 2)}, False),
    ({"window": (2, 3), "padding": (1, 1), "stride": (2, 2), "dilation": (1, 1)}, True),
    ({"window": (2, 3, 2), "padding": (1, 1, 0), "stride": (1, 2, 2), "dilation": (1, 1, 1)}, True),
]


@every_type
@every_format
@pytest.mark.parametrize(("settings", "ceil"), POOLS, ids=["dilated", "ceil", "three dimensions"])
def test_maximum_pooling(
    run: Operations,
    rng: np.random.Generator,
    settings: dict[str, tuple[int, ...]],
    ceil: bool,
    dtype: torch.dtype,
    last: bool,
) -> None:
    pixels = len(settings["window"])
    x = drawn(rng, 2, 3, *(7, 8, 5)[:pixels], dtype=dtype)
    x[1, 2, 3, 4] = float("nan")
    pool = F.max_pool2d if pixels == 2 else F.max_pool3d
    leaf = wide(x)
    expected, indices = pool(
        leaf, *(settings[name] for name in ("window", "stride", "padding", "dilation")), ceil_mode=ceil,
        return_indices=True,
    )  # fmt: skip
    gradient = drawn(rng, *expected.shape, dtype=dtype)
    expected.backward(gradient.double())
    found, where = run(
        "pool", result(expected.shape, dtype, last), laid_out(x, last), result(expected.shape, torch.long, last),
        mode=MAX, **settings,
    )  # fmt: skip
    assert_same(channels_second(found, last), expected)
    assert torch.equal(channels_second(where, last), indices)
    alone = run("pool", result(expected.shape, dtype, last), laid_out(x, last), None, mode=MAX, **settings)[0]
    assert torch.equal(alone.nan_to_num(), found.nan_to_num())
    assert leaf.grad is not None
    back = run(
        "pool_backward", result(x.shape, dtype, last), laid_out(gradient, last), In(where, laid_out(x, last).format),
        mode=MAX, **settings,
    )[0]  # fmt: skip
    assert_same(channels_second(back, last), leaf.grad)


@every_format
@pytest.mark.parametrize(("settings", "ceil"), POOLS[1:], ids=["two dimensions", "three dimensions"])
@pytest.mark.parametrize(
    ("mode", "divisor"), [(AVERAGE_WITH_PADDING, None), (AVERAGE, None), (AVERAGE_WITH_PADDING, 5)], ids=str
)
@every_type
def test_average_pooling(
    run: Operations,
    rng: np.random.Generator,
    settings: dict[str, tuple[int, ...]],
    ceil: bool,
    mode: int,
    divisor: int | None,
    dtype: torch.dtype,
    last: bool,
) -> None:
    pixels = len(settings["window"])
    x = drawn(rng, 2, 3, *(7, 8, 6)[:pixels], dtype=dtype)
    pool = F.avg_pool2d if pixels == 2 else F.avg_pool3d
    leaf = wide(x)
    expected = pool(
        leaf, *(settings[name] for name in ("window", "stride", "padding")), ceil_mode=ceil,
        count_include_pad=mode == AVERAGE_WITH_PADDING, divisor_override=divisor,
    )  # fmt: skip
    gradient = drawn(rng, *expected.shape, dtype=dtype)
    expected.backward(gradient.double())
    more = {} if divisor is None else {"divisor": divisor}
    found = run("pool", result(expected.shape, dtype, last), laid_out(x, last), None, mode=mode, **settings, **more)[0]
    assert_same(channels_second(found, last), expected)
    assert leaf.grad is not None
    back = run(
        "pool_backward", result(x.shape, dtype, last), laid_out(gradient, last), None, mode=mode, **settings, **more
    )[0]
    assert_same(channels_second(back, last), leaf.grad)


@every_format
@every_type
def test_adaptive_and_global_pooling(run: Operations, rng: np.random.Generator, dtype: torch.dtype, last: bool) -> None:
    x = drawn(rng, 2, 3, 7, 5, dtype=dtype)
    nothing = {"window": (9999, -7), "padding": (-1, 3), "stride": (0, 0), "dilation": (0, -5)}  # as callers leave it
    leaf = wide(x)
    expected = F.adaptive_avg_pool2d(leaf, (3, 4))
    gradient = drawn(rng, *expected.shape, dtype=dtype)
    expected.backward(gradient.double())
    found = run("pool", result(expected.shape, dtype, last), laid_out(x, last), None, mode=ADAPTIVE_AVERAGE, **nothing)[
        0
    ]
    assert_same(channels_second(found, last), expected)
    back = run("pool_backward", result(x.shape, dtype, last), laid_out(gradient, last), None, mode=ADAPTIVE_AVERAGE)[0]
    assert leaf.grad is not None
    assert_same(channels_second(back, last), leaf.grad)

    leaf = wide(x)
    expected, indices = F.adaptive_max_pool2d(leaf, (3, 4), return_indices=True)
    expected.backward(gradient.double())
    found, where = run(
        "pool", result(expected.shape, dtype, last), laid_out(x, last), result(expected.shape, torch.long, last),
        mode=ADAPTIVE_MAX,
    )  # fmt: skip
    assert_same(channels_second(found, last), expected)
    assert torch.equal(channels_second(where, last), indices)
    back = run(
        "pool_backward", result(x.shape, dtype, last), laid_out(gradient, last), In(where, laid_out(x, last).format),
        mode=ADAPTIVE_MAX,
    )[0]  # fmt: skip
    assert leaf.grad is not None
    assert_same(channels_second(back, last), leaf.grad)

    whole = {"window": (7, 5), "padding": (0, 0), "stride": (1, 1), "dilation": (1, 1)}
    found = run("pool", result((2, 3, 1, 1), dtype, last), laid_out(x, last), None, mode=GLOBAL, **whole)[0]
    assert_same(channels_second(found, last), x.double().mean((2, 3), keepdim=True))


def test_pooling_of_a_single_image(run: Operations, rng: np.random.Generator) -> None:
    x = drawn(rng, 3, 6, 6)
    expected = F.adaptive_avg_pool2d(x, 2)
    assert_same(run("pool", Out(expected.shape, torch.float), x, None, mode=ADAPTIVE_AVERAGE)[0], expected)
    window = {"window": (2, 2), "padding": (0, 0), "stride": (2, 2), "dilation": (1, 1)}
    found = run("pool", Out([3, 3, 3], torch.float), x, None, mode=AVERAGE_WITH_PADDING, **window)[0]
    assert_same(found, F.avg_pool2d(x, 2))
    assert run.status("pool", Out([3, 4, 3], torch.float), x, None, mode=MAX, **window) == INVALID
    assert run.status("pool", Out([3, 3, 3], torch.float), x, None, mode=MAX) == INVALID
    assert run.status("pool_backward", Out([3, 6, 6], torch.float), x[:, :3, :3], None, mode=MAX, **window) != 0


@every_format
def test_convolutions_go_by_the_format(run: Operations, rng: np.random.Generator, last: bool) -> None:
    x, weight = drawn(rng, 2, 3, 5, 6), drawn(rng, 4, 3, 3, 2)
    expected = F.conv2d(x.double(), weight.double(), padding=(1, 0), stride=(1, 2))
    found = run("convolution", result(expected.shape, torch.float, last), laid_out(x, last), laid_out(weight, last))[0]
    assert_same(channels_second(found, last), expected)
    filters = In(weight.permute(2, 3, 1, 0).contiguous(), "HWCN")
    assert torch.equal(
        run("convolution", result(expected.shape, torch.float, last), laid_out(x, last), filters)[0], found
    )


NORMS = [(6, 3), (4, 3, 5), (2, 3, 4, 5)]


@every_type
@pytest.mark.parametrize("affine", [True, False], ids=["affine", "plain"])
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize(("sizes", "last"), [*((sizes, False) for sizes in NORMS), (NORMS[-1], True)], ids=str)
def test_batch_norm(
    run: Operations,
    rng: np.random.Generator,
    sizes: tuple[int, ...],
    last: bool,
    training: bool,
    affine: bool,
    dtype: torch.dtype,
) -> None:
    x, gradient = drawn(rng, *sizes, dtype=dtype), drawn(rng, *sizes, dtype=dtype)
    gamma, beta = (drawn(rng, 3), drawn(rng, 3)) if affine else (None, None)
    mean, variance = drawn(rng, 3), drawn(rng, 3).square() + 0.5
    leaf = wide(x)
    factor, shift = (wide(gamma), wide(beta)) if gamma is not None and beta is not None else (None, None)
    running_mean, running_variance = mean.double(), variance.double()
    expected = F.batch_norm(leaf, running_mean, running_variance, factor, shift, training, 0.25, 1e-3)
    expected.backward(gradient.double())
    settings = {"epsilon": 1e-3, "training": training}
    out = result(sizes, dtype, last)
    axes = [i for i in range(len(sizes)) if i != 1]
    if training:
        batch_mean = x.double().mean(axes)
        deviation = (x.double().var(axes, correction=0) + 1e-3).rsqrt()
        found = run(
            "batch_norm_composite", out, laid_out(x, last), In(mean, held=True), In(variance, held=True),
            Out([3], torch.float), Out([3], torch.float), gamma, beta, **settings,
        )  # fmt: skip
        for one, other in zip(found[1:], (running_mean, running_variance, batch_mean, deviation)):
            assert_same(one, other)
        saved = found[3:5]
    else:
        found = run("batch_norm_pure", out, laid_out(x, last), mean, variance, gamma, beta, **settings)
        saved = [mean, variance]
    assert_same(channels_second(found[0], last), expected)
    outputs: list[Out | None] = [Out([3], torch.float)] * 2 if affine else [None, None]
    back = run(
        "batch_norm_backward", out, None, None, *outputs, laid_out(x, last), laid_out(gradient, last), *saved, gamma,
        **settings,
    )  # fmt: skip
    assert leaf.grad is not None
    assert_same(channels_second(back[0], last), leaf.grad)
    if factor is not None and shift is not None:
        assert factor.grad is not None and shift.grad is not None
        assert_same(back[1], factor.grad)
        assert_same(back[2], shift.grad)


@every_type
@every_format
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm(run: Operations, rng: np.random.Generator, groups: int, dtype: torch.dtype, last: bool) -> None:
    x, gamma, beta = drawn(rng, 2, 6, 3, 4, dtype=dtype), drawn(rng, 6, dtype=dtype), drawn(rng, 6, dtype=dtype)
    grouped = x.double().reshape(2, groups, -1)
    statistics = grouped.mean(-1), (grouped.var(-1, correction=0) + 1e-3).rsqrt()
    saved = Out([2, groups], dtype), Out([2, groups], dtype)
    settings = {"epsilon": 1e-3, "groups": groups, "axis": 3 if last else 1}
    for factors in ((gamma, beta), (None, None)):
        doubles = (each if each is None else each.double() for each in factors)
        expected = F.group_norm(x.double(), groups, *doubles, 1e-3)
        found = run("group_norm", result(x.shape, dtype, last), *saved, laid_out(x, last), *factors, **settings)
        assert_same(channels_second(found[0], last), expected)
        assert_same(found[1], statistics[0])
        assert_same(found[2], statistics[1])
    settings["groups"] = 4
    out = result(x.shape, dtype, last)
    assert run.status("group_norm", out, *saved, laid_out(x, last), gamma, beta, **settings) == INVALID


@every_type
@pytest.mark.parametrize("affine", [True, False], ids=["affine", "plain"])
@pytest.mark.parametrize("dimensions", [1, 2])
@pytest.mark.parametrize("centred", [True, False], ids=["layer norm", "by squares"])
def test_gradients_of_norms(
    run: Operations, rng: np.random.Generator, centred: bool, dimensions: int, affine: bool, dtype: torch.dtype
) -> None:
    x, gradient = drawn(rng, 4, 3, 5, dtype=dtype), drawn(rng, 4, 3, 5, dtype=dtype)
    sizes, axes = x.shape[3 - dimensions :], tuple(range(3 - dimensions, 3))
    gamma = drawn(rng, *sizes, dtype=dtype) if affine else None
    leaf, factor, shift = (
        wide(x),
        torch.ones(sizes).double() if gamma is None else wide(gamma),
        wide(torch.zeros(sizes)),
    )
    middle = leaf.mean(axes, keepdim=True) if centred else torch.zeros(1).double()
    scale = ((leaf - middle).square().mean(axes, keepdim=True) + 1e-3).rsqrt()
    ((leaf - middle) * scale * factor + shift).backward(gradient.double())
    saved = [each.detach().float().flatten() for each in ([middle, scale] if centred else [scale])]
    results: list[Out | None] = [Out(x.shape, dtype), *[Out(sizes, dtype) if affine else None] * (2 if centred else 1)]
    name = "layer_norm_backward" if centred else "rms_norm_backward"
    found = run(name, *results, gradient, x, *saved, gamma, axes=axes, epsilon=1e-3)
    assert leaf.grad is not None
    assert_same(found[0], leaf.grad)
    if affine:
        expected = [factor.grad, shift.grad]
        for one, other in zip(found[1:], expected):
            assert other is not None
            assert_same(one, other)


RESIZES = [
    ("nearest", NEAREST, (5,), (8,), {}),
    ("nearest", NEAREST, (5, 6), (3, 11), {}),
    ("nearest", NEAREST, (3, 4, 5), (6, 2, 7), {}),
    ("nearest-exact", NEAREST_EXACT, (5, 6), (3, 11), {}),
    ("linear", LINEAR, (5,), (9,), {"align_corners": True}),
    ("bilinear", LINEAR, (5, 6), (8, 4), {"align_corners": False}),
    ("bilinear", LINEAR, (5, 6), (8, 1), {"align_corners": True}),
    ("bilinear", LINEAR, (9, 6), (4, 11), {"align_corners": False, "antialias": True}),
    ("trilinear", LINEAR, (3, 4, 5), (6, 2, 7), {"align_corners": False}),
    ("bicubic", BICUBIC, (5, 6), (8, 4), {"align_corners": False}),
    ("bicubic", BICUBIC, (5, 6), (8, 4), {"align_corners": True}),
    ("bicubic", BICUBIC, (9, 12), (4, 15), {"align_corners": False, "antialias": True}),
]


# the formats differ from two dimensions on
FORMATTED_RESIZES = [(*case, last) for case in RESIZES for last in (False, True) if len(case[2]) > 1 or not last]


@every_type
@pytest.mark.parametrize(("name", "mode", "sizes", "to", "how", "last"), FORMATTED_RESIZES, ids=str)
def test_interpolation(
    run: Operations,
    rng: np.random.Generator,
    name: str,
    mode: int,
    sizes: tuple[int, ...],
    to: tuple[int, ...],
    how: dict[str, bool],
    last: bool,
    dtype: torch.dtype,
) -> None:
    x = drawn(rng, 2, 3, *sizes, dtype=dtype)
    leaf = wide(x)
    expected = F.interpolate(leaf, to, mode=name, **how)
    gradient = drawn(rng, *expected.shape, dtype=dtype)
    expected.backward(gradient.double())
    settings = {"mode": mode, "align": how.get("align_corners", False), "antialias": how.get("antialias", False)}
    scales = [before / after for before, after in zip(sizes, to)]
    out = result(expected.shape, dtype, last)
    found = run("interpolate", out, laid_out(x, last), scales=scales, **settings)[0]
    assert_same(channels_second(found, last), expected)
    assert leaf.grad is not None
    back = run(
        "interpolate_backward", result(x.shape, dtype, last), laid_out(gradient, last),
        scales=[1 / scale for scale in scales], **settings,
    )[0]  # fmt: skip
    assert_same(channels_second(back, last), leaf.grad)


def test_interpolation_by_a_scale(run: Operations, rng: np.random.Generator) -> None:
    x = drawn(rng, 1, 2, 5, 7)
    expected = F.interpolate(x.double(), scale_factor=(1.7, 0.6), mode="bilinear", recompute_scale_factor=False)
    found = run("interpolate", Out(expected.shape, torch.float), x, mode=LINEAR, scales=(1 / 1.7, 1 / 0.6))[0]
    assert_same(found, expected)
    assert run.status("interpolate", Out([1, 2, 9], torch.float), x, mode=LINEAR, scales=(0.5,)) == INVALID
    assert run.status("interpolate", Out([1, 2, 9, 9], torch.float), x, mode=LINEAR, scales=(0.5,)) == INVALID


@pytest.mark.parametrize("reduction", range(3), ids=REDUCTIONS)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("index", [torch.int, torch.long], ids=str)
def test_negative_log_likelihood(
    run: Operations, rng: np.random.Generator, reduction: int, weighted: bool, index: torch.dtype
) -> None:
    x, target = drawn(rng, 6, 5).log_softmax(-1), torch.from_numpy(rng.integers(0, 5, 6))
    target[2] = 3
    target[4] = -100
    weight = drawn(rng, 5).abs() if weighted else None
    leaf = wide(x)
    factors = weight if weight is None else weight.double()
    expected = F.nll_loss(leaf, target, factors, ignore_index=-100, reduction=REDUCTIONS[reduction])
    gradient = drawn(rng, *expected.shape)
    expected.backward(gradient.double())
    settings = {"reduction": reduction, "ignore": -100}
    scalar = Out([], torch.float)
    found, total = run("nll", Out(expected.shape, torch.float), scalar, x, target.to(index), weight, **settings)
    assert_same(found, expected)
    known = target[target >= 0]
    whole = torch.tensor(float(len(known))) if weight is None else weight[known].sum()
    assert_same(total, whole if reduction else torch.tensor(0.0))
    back = run("nll_backward", Out(x.shape, torch.float), gradient, target.to(index), weight, total, **settings)[0]
    assert leaf.grad is not None
    assert_same(back, leaf.grad)


def test_targets_that_do_not_exist(run: Operations, rng: np.random.Generator) -> None:
    x, target, scalar = drawn(rng, 2, 5), torch.tensor([1, 5]), Out([], torch.float)
    assert run("nll", scalar, scalar, x, target, None, reduction=2, ignore=-100)[0].isnan()
    assert run("cross_entropy", scalar, x, target, None, reduction=2, ignore=-100)[0].isnan()
    assert run.status("nll", Out([2], torch.float), scalar, x, target, None, reduction=1) == INVALID


@every_type
@pytest.mark.parametrize("log_target", [False, True], ids=["target", "logarithms"])
@pytest.mark.parametrize("reduction", range(3), ids=REDUCTIONS)
def test_divergence(
    run: Operations, rng: np.random.Generator, reduction: int, log_target: bool, dtype: torch.dtype
) -> None:
    x, target = drawn(rng, 4, 5, dtype=dtype), drawn(rng, 4, 5, dtype=dtype)
    if not log_target:
        target = target.abs()
        target[1, 2] = 0
    leaf = wide(x)
    each = F.kl_div(leaf, target.double(), reduction="none", log_target=log_target)
    expected = [each, each.mean(), each.sum()][reduction]
    gradient = drawn(rng, *expected.shape, dtype=dtype)
    expected.backward(gradient.double())
    settings = {"reduction": reduction, "log": log_target}
    assert_same(run("kl_div", Out(expected.shape, dtype), x, target, **settings)[0], expected)
    assert leaf.grad is not None
    assert_same(run("kl_div_backward", Out(x.shape, dtype), gradient, x, target, **settings)[0], leaf.grad)


@every_type
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("reduction", range(3), ids=REDUCTIONS)
def test_cross_entropy(
    run: Operations,
    rng: np.random.Generator,
    reduction: int,
    weighted: bool,
    smoothing: float,
    dtype: torch.dtype,
) -> None:
    x, target = drawn(rng, 6, 5, dtype=dtype), torch.from_numpy(rng.integers(0, 5, 6))
    target[4] = 3
    weight = drawn(rng, 5, dtype=dtype).abs() if weighted else None
    leaf = wide(x)
    expected = F.cross_entropy(
        leaf, target, weight if weight is None else weight.double(), ignore_index=3,
        reduction=REDUCTIONS[reduction], label_smoothing=smoothing,
    )  # fmt: skip
    gradient = drawn(rng, *expected.shape, dtype=dtype)
    expected.backward(gradient.double())
    settings = {"reduction": reduction, "smoothing": smoothing, "ignore": 3}
    assert_same(run("cross_entropy", Out(expected.shape, dtype), x, target, weight, **settings)[0], expected)
    assert leaf.grad is not None
    back = run("cross_entropy_backward", Out(x.shape, dtype), x, gradient, target, weight, **settings)[0]
    assert_same(back, leaf.grad)


@pytest.mark.parametrize("together", [False, True], ids=["lines", "one after the other"])
def test_sequences_that_are_not_aligned(run: Operations, rng: np.random.Generator, together: bool) -> None:
    times, count, classes, longest = 7, 4, 5, 3
    x = drawn(rng, times, count, classes).log_softmax(-1)
    lengths, sizes = torch.tensor([7, 5, 2, 4]), torch.tensor([3, 2, 3, 0])  # the third is too short for its targets
    targets = torch.tensor([[1, 1, 3], [4, 0, 0], [1, 3, 4], [0, 0, 0]])
    if together:
        targets = torch.cat([line[:size] for line, size in zip(targets, sizes.tolist())])
    leaf = wide(x)
    expected = F.ctc_loss(leaf, targets, lengths, sizes, blank=2, reduction="none", zero_infinity=True)
    gradient = drawn(rng, count)
    expected.backward(gradient.double())
    ways = Out([count, times, 2 * longest + 1], torch.float)
    given = x, targets, lengths, sizes
    settings = {"blank": 2, "longest": longest, "zero_infinity": True}
    loss, alpha = run("ctc", Out([count], torch.float), ways, *given, **settings)
    assert loss[2] == float("inf")
    wrong = x, targets, lengths, torch.tensor([3, 2, 3, 4]) if together else sizes + 1
    assert run("ctc", Out([count], torch.float), ways, *wrong, **settings)[0].isnan().any()
    assert_same(loss.where(loss.isfinite(), torch.zeros(())), expected)
    back = run("ctc_backward", Out(x.shape, torch.float), gradient, *given, loss, alpha, **settings)[0]
    assert leaf.grad is not None
    assert_same(back, leaf.grad)


@every_type
@pytest.mark.parametrize("mask_type", [torch.bool, torch.uint8], ids=str)
def test_dropout(run: Operations, rng: np.random.Generator, dtype: torch.dtype, mask_type: torch.dtype) -> None:
    x = drawn(rng, 100, 100, dtype=dtype)
    outputs = Out(x.shape, dtype), x, Out(x.shape, mask_type)
    out, mask = run("dropout", *outputs, p=0.25, seed=7, offset=3)
    kept = mask.bool()
    assert_same(out, x.double() * kept / 0.75)
    # four standard deviations of a fair draw, in the whole and from one row to the next
    assert abs(kept.double().mean() - 0.75) < 4 * (0.75 * 0.25 / kept.numel()) ** 0.5
    together = (kept[1:] & kept[:-1]).double()
    assert abs(together.mean() - 0.75**2) < 4 * (0.75**2 * (1 - 0.75**2) / together.numel()) ** 0.5
    again = run("dropout", *outputs, p=0.25, seed=7, offset=3, captured=1)[1]
    assert torch.equal(again, mask)
    for other in ({"seed": 8, "offset": 3}, {"seed": 7, "offset": 4}):
        others = run("dropout", *outputs, p=0.25, **other)[1].flatten()
        for one, another in ((others, mask.flatten()), (others[:-1], mask.flatten()[1:])):  # nor the same, moved by one
            assert 0.3 < (one != another).double().mean() < 0.45
    gradient = drawn(rng, 100, 100, dtype=dtype)
    assert_same(
        run("dropout_backward", Out(x.shape, dtype), gradient, mask, p=0.1, scale=1.5)[0],
        gradient.double() * kept * 1.5,
    )
    assert not run("dropout", *outputs, p=1, seed=7)[0].any()
    assert run.status("dropout", *outputs, p=1.5) == INVALID


def rotated(x: torch.Tensor, angles: torch.Tensor, batch_first: bool, multi_latent: bool) -> torch.Tensor:
    """Rotate as torch_musa's test of rotary embeddings does."""
    turned, rest = x[..., : angles.shape[-1]], x[..., angles.shape[-1] :]
    if multi_latent:
        turned = torch.cat([turned[..., 0::2], turned[..., 1::2]], -1)
    first, second = turned.chunk(2, -1)
    length = x.shape[1 if batch_first else 0]
    by = angles[:length].unsqueeze(1) if batch_first else angles[:length].unsqueeze(1).unsqueeze(1)
    return torch.cat([turned * by.cos() + torch.cat([-second, first], -1) * by.sin(), rest], -1)


@every_type
@pytest.mark.parametrize("batch_first", [False, True], ids=["lengths first", "batch first"])
@pytest.mark.parametrize("multi_latent", [False, True], ids=["halves", "multi-latent"])
def test_rotary_embeddings(
    run: Operations, rng: np.random.Generator, multi_latent: bool, batch_first: bool, dtype: torch.dtype
) -> None:
    x, angles = drawn(rng, 3, 4, 2, 8, dtype=dtype), drawn(rng, 5, 6, dtype=dtype)
    leaf = wide(x)
    expected = rotated(leaf, angles.double(), batch_first, multi_latent)
    gradient = drawn(rng, *x.shape, dtype=dtype)
    expected.backward(gradient.double())
    settings = {"batch_first": batch_first, "multi_latent": multi_latent}
    assert_same(run("rope", Out(x.shape, dtype), x, angles, **settings)[0], expected)
    assert leaf.grad is not None
    assert_same(run("rope_backward", Out(x.shape, dtype), gradient, angles, **settings)[0], leaf.grad)
    assert run.status("rope", Out(x.shape, dtype), x, angles, interleaved=1) == NOT_SUPPORTED
    assert run.status("rope", Out(x.shape, dtype), x, angles[:2], **settings) == INVALID
