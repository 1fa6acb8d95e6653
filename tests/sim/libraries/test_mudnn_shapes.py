"""muDNN's reductions, norms and rearrangements, against torch on random tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from library_programs import Build

SIZES = (3, 5, 4)
TYPES = {
    "float": torch.float,
    "double": torch.double,
    "half": torch.half,
    "int32": torch.int,
    "int64": torch.long,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
Run = Callable[..., list[torch.Tensor]]


def drawn(rng: np.random.Generator, kind: str, sizes: Sequence[int] = SIZES) -> torch.Tensor:
    """Numbers with equal ones among them; those of 64 bits do not fit a double."""
    if kind == "bool":
        return torch.from_numpy(rng.integers(0, 2, sizes).astype(bool))
    whole = torch.from_numpy(rng.integers(1, 9, sizes))
    if kind == "int64":
        return whole + (1 << 60)
    return whole.to(TYPES[kind]) / 4 - 1 if TYPES[kind].is_floating_point else whole.to(TYPES[kind])


@pytest.fixture(scope="module")
def run(build: Build) -> Run:
    program = build("mudnn_shapes.cpp", libraries=["mudnn"])

    def run_one(
        words: Sequence[object], inputs: Sequence[torch.Tensor], results: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        """The results, with the sizes and types of those that are expected."""
        done = program(*map(str, words), inputs=[each.contiguous().numpy() for each in inputs])
        assert (done.status, done.stderr) == (0, ""), done.stderr
        found, at = [], 0
        for each in results:
            size = each.numel() * each.element_size()
            values = np.frombuffer(done.stdout[at : at + size], dtype=each.numpy().dtype).reshape(each.shape)
            found.append(torch.from_numpy(values.copy()))
            at += size
        assert at == len(done.stdout)
        return found

    return run_one


def same(found: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> None:
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other, rtol=2e-3 if other.dtype == torch.half else 1e-6, atol=1e-6)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize(
    ("mode", "kind", "result"),
    [
        *((mode, kind, kind) for mode in ("sum", "amax", "amin") for kind in ("float", "half", "int32", "int64")),
        *((mode, kind, kind) for mode in ("mean", "std", "var", "norm") for kind in ("float", "double", "half")),
        ("prod", "float", "float"),
        ("prod", "int64", "int64"),
        ("sum", "uint8", "int64"),
        ("mean", "int32", "float"),
        *((mode, kind, "bool") for mode in ("all", "any") for kind in ("bool", "uint8", "float")),
    ],
)
def test_reductions(run: Run, rng: np.random.Generator, mode: str, kind: str, result: str, dim: int) -> None:
    x = drawn(rng, kind)
    if mode == "norm":
        expected = torch.linalg.vector_norm(x.double(), 3, dim).to(x.dtype)
    elif mode == "mean":
        expected = x.double().mean(dim).to(TYPES[result])
    elif mode in ("std", "var"):
        expected = getattr(x.double(), mode)(dim).to(TYPES[result])
    else:
        expected = getattr(x, mode)(dim).to(TYPES[result])
    same(run(["reduce", mode, kind, result, dim, *SIZES], [x], [expected]), [expected])


@pytest.mark.parametrize("kind", ["float", "half", "int64"])
@pytest.mark.parametrize("mode", ["max", "min"])
def test_extremes_and_where_they_are(run: Run, rng: np.random.Generator, mode: str, kind: str) -> None:
    x = drawn(rng, kind)
    if kind == "float":
        x[0, 2, 1] = float("nan")
    values = getattr(x, mode)(1, keepdim=True)
    # the first of equal ones, which torch does not promise
    first = torch.where(x.isnan() | (x == values.values), torch.arange(5).view(1, 5, 1), 99).min(1, keepdim=True).values
    nans = x.isnan().any(1, keepdim=True)
    first = torch.where(nans, x.isnan().int().argmax(1, keepdim=True), first)
    found = run(["extreme", mode, kind, "-", 1, *SIZES], [x], [values.values, first])
    assert torch.equal(found[0].nan_to_num(99), values.values.nan_to_num(99)) and torch.equal(found[1], first)


@pytest.mark.parametrize(
    ("kind", "result"), [("float", "float"), ("int64", "int64"), ("uint8", "int64"), ("half", "half")]
)
@pytest.mark.parametrize("mode", ["cumsum", "cumprod"])
def test_running_sums_and_products(run: Run, rng: np.random.Generator, mode: str, kind: str, result: str) -> None:
    x = drawn(rng, kind)
    wide = x.double() if x.is_floating_point() else x
    expected = getattr(wide, mode)(1, dtype=wide.dtype if x.is_floating_point() else TYPES[result]).to(TYPES[result])
    same(run(["cum", mode, kind, result, 1, *SIZES], [x], [expected]), [expected])


@pytest.mark.parametrize("dim", [0, 2])
@pytest.mark.parametrize("kind", ["float", "half", "int32", "int64", "uint8"])
@pytest.mark.parametrize("mode", ["ascending", "descending"])
def test_sorts(run: Run, rng: np.random.Generator, mode: str, kind: str, dim: int) -> None:
    x, values = drawn(rng, kind), drawn(rng, "int64")
    if x.is_floating_point():
        x[1, 2, 3] = float("nan")
    expected = torch.sort(x, dim=dim, descending=mode == "descending", stable=True)
    found = run(["sort", mode, kind, "-", dim, *SIZES], [x], [expected.values, expected.indices])
    torch.testing.assert_close(found[0], expected.values, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found[1], expected.indices)
    carried = [expected.values, values.gather(dim, expected.indices)]
    found = run(["by_key", mode, kind, "int64", dim, *SIZES], [x, values], carried)
    torch.testing.assert_close(found[0], expected.values, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found[1], carried[1])


@pytest.mark.parametrize("mode", ["largest", "smallest"])
@pytest.mark.parametrize("kind", ["float", "int64"])
def test_the_first_in_order(run: Run, rng: np.random.Generator, mode: str, kind: str) -> None:
    x = drawn(rng, kind)
    ordered = torch.sort(x, dim=1, descending=mode == "largest", stable=True)
    expected = [ordered.values[:, :2].contiguous(), ordered.indices[:, :2].int().contiguous()]
    same(run(["topk", mode, kind, "-", 1, *SIZES], [x], expected), expected)


@pytest.mark.parametrize("kind", ["float", "half", "int64", "bool"])
def test_moves(run: Run, rng: np.random.Generator, kind: str) -> None:
    x = drawn(rng, kind)
    for dim in range(3):
        more = drawn(rng, kind, [*SIZES[:dim], 2, *SIZES[dim + 1 :]])
        expected = torch.cat([x, more, x], dim)
        assert torch.equal(run(["concat", "-", kind, "-", dim, *SIZES], [x, more], [expected])[0], expected)
        for index_kind in ("int32", "int64"):
            indices = torch.from_numpy(rng.integers(0, SIZES[dim], (2, 3))).to(TYPES[index_kind])
            sizes = (*SIZES[:dim], 2, 3, *SIZES[dim + 1 :])
            expected = x.index_select(dim, indices.flatten()).reshape(sizes)
            assert torch.equal(
                run(["gather", "-", kind, index_kind, dim, *SIZES], [x, indices], [expected])[0], expected
            )
    expected = x.permute(2, 0, 1).contiguous()
    assert torch.equal(run(["permute", "-", kind, "-", 0, *SIZES], [x], [expected])[0], expected)
    mask = drawn(rng, "bool")
    expected = x.masked_fill(mask, 7)
    assert torch.equal(run(["fill", "-", kind, "-", 0, *SIZES], [x, mask], [expected])[0], expected)


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("kind", ["float", "double", "half"])
def test_norms(run: Run, rng: np.random.Generator, kind: str, dim: int) -> None:
    x, gamma, beta = drawn(rng, kind), drawn(rng, kind, SIZES[dim:]), drawn(rng, kind, SIZES[dim:])
    wide, axes = x.double(), tuple(range(dim, 3))
    mean, variance = wide.mean(axes), wide.var(axes, correction=0)
    layer = torch.nn.functional.layer_norm(wide, SIZES[dim:], gamma.double(), beta.double(), 1e-3).to(x.dtype)
    expected = [layer, mean.float(), (variance + 1e-3).rsqrt().float()]
    same(run(["norm", "layer", kind, "-", dim, *SIZES], [x, gamma, beta], expected), expected)
    scale = (wide.square().mean(axes) + 1e-3).rsqrt()
    rms = wide * scale.view(*SIZES[:dim], *[1] * (3 - dim)) * gamma.double()
    expected = [rms.to(x.dtype), torch.zeros(SIZES[:dim]), scale.float()]
    same(run(["norm", "rms", kind, "-", dim, *SIZES], [x, gamma, beta], expected), expected)


@pytest.mark.parametrize("kind", ["float", "half"])
@pytest.mark.parametrize("mode", ["where", "clamp", "addcmul", "addcdiv"])
def test_functions_of_three(run: Run, rng: np.random.Generator, mode: str, kind: str) -> None:
    first_kind = "bool" if mode == "where" else kind
    first, second, third = drawn(rng, first_kind), drawn(rng, kind), drawn(rng, kind, SIZES[-1:]) + 3
    a, b, c = first if mode == "where" else first.double(), second.double(), third.double()
    expected = {
        "where": lambda: torch.where(first, b, c),
        "clamp": lambda: torch.clamp(a, b, c.expand(SIZES)),
        "addcmul": lambda: a + 0.5 * b * c,
        "addcdiv": lambda: a + 0.5 * b / c,
    }[mode]().to(TYPES[kind])
    same(run(["ternary", mode, first_kind, kind, 0, *SIZES], [first, second, third], [expected]), [expected])
