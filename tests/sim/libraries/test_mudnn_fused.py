"""muDNN's products with biases, scales and activations, fused and quantised convolutions, and the rest of what programs
for MUSA call, against torch in double precision on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from library_programs import Build
from mudnn_operations import FLOATING, INVALID, NOT_SUPPORTED, In, Operations, Out, assert_same, drawn

E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
every_type = pytest.mark.parametrize("dtype", FLOATING, ids=str)


@pytest.fixture(scope="module")
def run(build: Build) -> Operations:
    return Operations(build("mudnn_layers.cpp", libraries=["mudnn"]))


Function = Callable[..., torch.Tensor]
OF_ONE: dict[str, Function] = {"log1p": torch.log1p, "sub_by_alpha": lambda x: 0.75 - x}
OF_TWO: dict[str, Function] = {
    "div": torch.div,
    "divnonan": lambda x, y: torch.where(y == 0, 0, x / y),
    "prelu": lambda x, y: torch.where(x < 0, x * y, x),
    "rsqrt_backward": lambda y, grad: -0.5 * grad * y**3,
    "leaky_relu_backward": lambda grad, x: torch.where(x > 0, grad, 0.75 * grad),
}


@every_type
@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO])
def test_functions(run: Operations, rng: np.random.Generator, name: str, dtype: torch.dtype) -> None:
    x, y = drawn(rng, 3, 17, dtype=dtype), drawn(rng, 17, dtype=dtype)
    y[::4] = 0
    if name == "log1p":
        x = x.abs()
    given = (x,) if name in OF_ONE else (x, y)
    if name == "div":
        given = (x, y + 4)
    (found,) = run(name, Out(x.shape, dtype), *given, alpha=0.75)
    assert_same(found, {**OF_ONE, **OF_TWO}[name](*(each.double() for each in given)))


def test_division_of_integers(run: Operations, rng: np.random.Generator) -> None:
    x = torch.from_numpy(rng.integers(-50, 50, (40,))).int()
    y = torch.from_numpy(rng.choice([-7, -3, 2, 5], 40)).int()
    (found,) = run("div", Out([40], torch.int), x, y)
    assert torch.equal(found, torch.div(x, y, rounding_mode="trunc"))


@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.int], ids=str)
def test_indices(run: Operations, rng: np.random.Generator, dtype: torch.dtype, axis: int, smallest: bool) -> None:
    x = torch.from_numpy(rng.permutation(3 * 4 * 5).reshape(3, 4, 5)).to(dtype)
    expected = (torch.argmin if smallest else torch.argmax)(x, axis)
    (found,) = run("indices", Out(expected.shape, torch.long), x, axis=axis, smallest=smallest)
    assert torch.equal(found, expected)


@every_type
@pytest.mark.parametrize("batched", [False, True], ids=["matrices", "batches"])
@pytest.mark.parametrize(("left", "right"), [(False, False), (True, False), (False, True), (True, True)])
def test_products_with_biases(
    run: Operations, rng: np.random.Generator, left: bool, right: bool, batched: bool, dtype: torch.dtype
) -> None:
    first, m, n, k = [3] if batched else [], 4, 6, 5
    a = drawn(rng, *first, *((k, m) if left else (m, k)), dtype=dtype)
    b = drawn(rng, *first, *((n, k) if right else (k, n)), dtype=dtype)
    c, before = drawn(rng, *first, m, n, dtype=dtype), drawn(rng, *first, m, n, dtype=dtype)
    bias, one_for_each = drawn(rng, n, dtype=dtype), drawn(rng, *first, m, 1, dtype=dtype)
    plain = (a.double().mT if left else a.double()) @ (b.double().mT if right else b.double())
    name = "batches_bias" if batched else "matmul_bias"
    turns = {"transpose_left": left, "transpose_right": right}
    out = Out([*first, m, n], dtype)
    assert_same(run(name, out, a, b, bias, **turns)[0], plain + bias.double())
    (found,) = run(name, In(before, held=True), a, b, bias, alpha=0.5, beta=2, gamma=-1.5, **turns)
    assert_same(found, 0.5 * plain + 2 * before.double() - 1.5 * bias.double())
    (found,) = run(name, out, a, b, c, one_for_each, alpha=2, beta=-0.5, gamma=3, **turns)
    assert_same(found, 2 * plain - 0.5 * c.double() + 3 * one_for_each.double())
    (found,) = run(name, out, a, b, c, None, beta=1, **turns)  # as torch_musa's baddbmm
    assert_same(found, plain + c.double())


def test_products_that_do_not_fit(run: Operations, rng: np.random.Generator) -> None:
    a, b, bias = drawn(rng, 4, 5), drawn(rng, 5, 6), drawn(rng, 5)
    assert run.status("matmul_bias", Out([4, 6], torch.float), a, b, bias) == INVALID
    assert run.status("matmul_bias", Out([4, 6], torch.float), a, b, drawn(rng, 6).int()) == NOT_SUPPORTED
    eight = a.to(E4M3)
    assert run.status("matmul_bias", Out([4, 6], torch.float), eight, b, drawn(rng, 6)) == NOT_SUPPORTED


def lt(
    run: Operations,
    out: Out | In,
    a: torch.Tensor,
    b: torch.Tensor,
    *more: torch.Tensor | Out | None,
    **settings: object,
) -> list[torch.Tensor]:
    return run("product_lt", out, a, b, *more, *[None] * (7 - len(more)), **settings)


@pytest.mark.parametrize("epilogue", [0, 1, 2], ids=["default", "relu", "gelu"])
@pytest.mark.parametrize("dtype", [*FLOATING, torch.double], ids=str)
def test_products_with_activations(
    run: Operations, rng: np.random.Generator, dtype: torch.dtype, epilogue: int
) -> None:
    a, b, bias = drawn(rng, 2, 4, 5, dtype=dtype), drawn(rng, 2, 5, 6, dtype=dtype), drawn(rng, 6, dtype=dtype)
    sums = a.double() @ b.double() + bias.double()
    functions: list[Function] = [lambda x: x, torch.relu, torch.nn.functional.gelu]
    (found,) = lt(run, Out([2, 4, 6], dtype), a, b, None, bias, epilogue=epilogue)
    assert_same(found, functions[epilogue](sums))


@pytest.mark.parametrize("kinds", [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3)], ids=str)
@pytest.mark.parametrize("result", [torch.bfloat16, torch.float, torch.half, E4M3], ids=str)
def test_scaled_products_of_8_bits(
    run: Operations, rng: np.random.Generator, kinds: tuple[torch.dtype, torch.dtype], result: torch.dtype
) -> None:
    a, b = drawn(rng, 6, 40, dtype=kinds[0]), drawn(rng, 40, 9, dtype=kinds[1])
    bias = drawn(rng, 9, dtype=torch.bfloat16)
    of_a, of_b, of_out = (torch.tensor([factor]) for factor in (0.5, 0.25, 3.0))
    exact = 0.125 * (a.double() @ b.double()) + bias.double()
    found, most = lt(run, Out([6, 9], result), a, b, None, bias, of_a, of_b, None, of_out, Out([1], torch.float))
    expected = 3 * exact
    step = {E4M3: 2.0**-3, torch.bfloat16: 2.0**-8, torch.half: 2.0**-11, torch.float: 1e-6}[result]
    if result == E4M3:
        expected = expected.clamp(-448, 448)
    torch.testing.assert_close(found.double(), expected, rtol=step, atol=0.01 if result == E4M3 else step)
    torch.testing.assert_close(most.double(), exact.abs().max().reshape(1))


@pytest.mark.parametrize("across", [False, True], ids=["as they are", "the other way round"])
@pytest.mark.parametrize("how", ["rows", "rows and columns", "tiles"])
def test_factors_of_rows_and_tiles(run: Operations, rng: np.random.Generator, how: str, across: bool) -> None:
    m, n, k, tile = 6, 10, 20, 8
    a, b = drawn(rng, m, k, dtype=E4M3), drawn(rng, n, k, dtype=E4M3)  # as mate passes them
    tiles = -(-k // tile)
    shapes = {"rows": ((m, 1), (1, 1)), "rows and columns": ((m, 1), (n, 1)), "tiles": ((m, tiles), (2, tiles))}[how]
    of_a, of_b = (torch.from_numpy(rng.uniform(0.5, 2, shape)).float() for shape in shapes)
    spread_a = of_a.repeat_interleave(k if of_a.shape[1] == 1 else tile, 1)[:, :k]
    columns = of_b.repeat_interleave({1: n, 2: tile}.get(of_b.shape[0], 1), 0)[:n]
    spread_b = columns.repeat_interleave(k if of_b.shape[1] == 1 else tile, 1)[:, :k]
    exact = (a.double() * spread_a.double()) @ (b.double() * spread_b.double()).mT
    given = [each.mT.contiguous() if across else each for each in (of_a, of_b)]
    settings = {"transpose_right": True, "tile": tile, "across": across}
    (found,) = lt(run, Out([m, n], torch.float), a, b, None, None, *given, **settings)
    torch.testing.assert_close(found.double(), exact, rtol=1e-6, atol=1e-6)
    wrong = [torch.ones(m, 2), *given[1:]]
    assert run.status(
        "product_lt", Out([m, n], torch.float), a, b, None, None, *wrong, None, None, None, **settings
    ) == INVALID  # fmt: skip


ACTIVATIONS: dict[int, Function] = {0: lambda x: x, 2: torch.relu, 3: torch.nn.functional.silu}


@every_type
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("beside", ["nothing", "bias", "add", "both"])
def test_fused_convolutions(
    run: Operations, rng: np.random.Generator, beside: str, activation: int, dtype: torch.dtype
) -> None:
    x, w = drawn(rng, 2, 4, 7, 6, dtype=dtype), drawn(rng, 6, 2, 3, 2, dtype=dtype)
    bias = drawn(rng, 6, dtype=dtype) if beside in ("bias", "both") else None
    sums = torch.nn.functional.conv2d(
        x.double(), w.double(), None if bias is None else bias.double(), (2, 1), (1, 0), (1, 2), 2
    )
    add = drawn(rng, *sums.shape, dtype=dtype) if beside in ("add", "both") else None
    exact = ACTIVATIONS[activation](sums if add is None else sums + add.double())
    settings = {"padding": [1, 0], "stride": [2, 1], "dilation": [1, 2], "groups": 2, "activation": activation}
    (found,) = run("fusion", Out(exact.shape, dtype), x, w, bias, add, **settings)
    assert_same(found, exact)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_quantised_convolutions(run: Operations, rng: np.random.Generator, activation: int) -> None:
    """Channels last, as torch_musa passes them, with a skipped connection."""
    scales = [0.25, 0.03, 0.02, 0.4]
    x, w, add = (
        torch.from_numpy(rng.integers(-128, 128, shape)).to(torch.int8)
        for shape in ((2, 5, 6, 3), (4, 3, 3, 3), (2, 5, 6, 4))
    )
    bias = drawn(rng, 4)
    sums = torch.nn.functional.conv2d(
        x.double().permute(0, 3, 1, 2) * scales[1], w.double().permute(0, 3, 1, 2) * scales[2], bias.double(), padding=1
    )
    exact = ACTIVATIONS[activation](sums.permute(0, 2, 3, 1) + add.double() * scales[3])
    settings = {"padding": [1, 1], "stride": [1, 1], "dilation": [1, 1], "activation": activation, "scales": scales}
    (found,) = run(
        "fusion", Out(exact.shape, torch.int8, "NHWC"), In(x, "NHWC"), In(w, "NHWC"), bias, In(add, "NHWC"), **settings
    )
    scaled = exact / scales[0]
    expected = scaled.round().clamp(-128, 127)
    between = (scaled - scaled.floor() - 0.5).abs() < 1e-6
    assert torch.equal(found.double()[~between], expected[~between]) and not between.all()
    assert (found.min() < -100) == (activation == 0)


def test_fusions_that_do_not_fit(run: Operations, rng: np.random.Generator) -> None:
    x, w = drawn(rng, 1, 2, 4, 4), drawn(rng, 3, 2, 3, 3)
    settings = {"padding": [1, 1], "stride": [1, 1], "dilation": [1, 1]}
    out = Out([1, 3, 4, 4], torch.float)
    assert run.status("fusion", out, x, w, drawn(rng, 2), None, **settings) == INVALID
    assert run.status("fusion", out, x, w, None, drawn(rng, 1, 3, 4, 3), **settings) == INVALID
    assert run.status("fusion", out, x, w.int(), None, None, **settings) == NOT_SUPPORTED
