"""Random numbers: moments, bounds, reproducibility; and what they do not depend on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

from .compare import FLOATING, INTEGRAL, computed_by_cpu

COUNT = 20000
#: name -> (filling a tensor, mean, standard deviation)
DISTRIBUTIONS: dict[str, tuple[Callable[[Tensor], Tensor], float, float]] = {
    "uniform": (lambda x: x.uniform_(-1, 3), 1, 4 / math.sqrt(12)),
    "normal": (lambda x: x.normal_(2, 3), 2, 3),
    "exponential": (lambda x: x.exponential_(2), 0.5, 0.5),
    "log_normal": (lambda x: x.log_normal_(0, 0.25), math.exp(1 / 32), 0.2600),
    "geometric": (lambda x: x.geometric_(0.25), 4, math.sqrt(12)),
    "bernoulli": (lambda x: x.bernoulli_(0.3), 0.3, math.sqrt(0.21)),
    "bernoulli_tensor": (lambda x: x.bernoulli_(torch.full_like(x, 0.3)), 0.3, math.sqrt(0.21)),
    "random_range": (lambda x: x.random_(-4, 5), 0, math.sqrt(80 / 12)),
}
NATIVE = {
    "uniform_", "normal_", "exponential_", "log_normal_", "geometric_", "bernoulli_.float", "bernoulli_.Tensor",
    "random_", "random_.from", "random_.to", "cauchy_", "multinomial", "randperm.generator_out",
}  # fmt: skip


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not {f"aten::{name}" for name in NATIVE} & computed_by_cpu()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("dtype", FLOATING)
def test_moments(name: str, dtype: torch.dtype) -> None:
    fill, mean, deviation = DISTRIBUTIONS[name]
    values = fill(torch.empty(COUNT, dtype=dtype, device="musa")).cpu().double()
    assert abs(values.mean().item() - mean) < 5 * deviation / math.sqrt(COUNT) + 0.01 * abs(mean)
    assert values.std().item() == pytest.approx(deviation, rel=0.06)


@pytest.mark.parametrize("name", (*DISTRIBUTIONS, "cauchy"))
def test_numbers_depend_on_the_seed_alone(name: str) -> None:
    fill = DISTRIBUTIONS[name][0] if name in DISTRIBUTIONS else lambda x: x.cauchy_(1, 2)

    def drawn(*shape: int) -> Tensor:
        torch.musa.manual_seed(11)
        return fill(torch.empty(shape, device="musa")).cpu()

    assert torch.equal(drawn(1000), drawn(1000))
    assert torch.equal(drawn(1000)[:37], drawn(37))  # a longer result begins alike
    assert torch.equal(drawn(1000), drawn(10, 100).flatten())
    torch.musa.manual_seed(11)
    turned = torch.empty(100, 10, device="musa").t()
    assert torch.equal(fill(turned).cpu().flatten(), drawn(1000))
    assert not torch.equal(fill(torch.empty(1000, device="musa")).cpu(), drawn(1000))  # the next call draws others
    generator = torch.Generator("musa").manual_seed(11)
    if name == "normal":
        assert torch.equal(torch.empty(1000, device="musa").normal_(2, 3, generator=generator).cpu(), drawn(1000))


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGRAL))
def test_integers(dtype: torch.dtype) -> None:
    values = torch.empty(COUNT, dtype=dtype, device="musa")
    assert set(values.random_(0, 2).cpu().tolist()) == {0, 1}
    largest = torch.iinfo(dtype).max if dtype in INTEGRAL[:-1] else 1 if dtype == torch.bool else None
    free = values.random_().cpu().double()
    assert free.min() >= 0
    if largest is not None:
        assert free.max() <= largest
        assert free.mean().item() == pytest.approx(largest / 2, rel=0.05)
    wide = torch.empty(COUNT, dtype=torch.int64, device="musa")
    assert wide.random_(-(2**62), 2**62).cpu().double().mean().abs() < 2**62 / 20
    assert (wide.random_(-(2**63), None).cpu() < 0).double().mean().item() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("dtype", FLOATING)
def test_bounds(dtype: torch.dtype) -> None:
    values = torch.empty(COUNT * 10, dtype=dtype, device="musa")
    uniform = values.uniform_(1, 2).cpu()
    assert uniform.min() >= 1
    assert uniform.max() < 2
    assert values.exponential_().cpu().min() > 0
    assert not values.cauchy_().cpu().isnan().any()  # of which some are too large for half
    assert values.cauchy_(3, 0.5).cpu().double().median().item() == pytest.approx(3, abs=0.05)


def test_multinomial() -> None:
    weights = torch.tensor([[1.0, 0, 2, 5], [0, 1, 0, 1]], device="musa")
    drawn = torch.multinomial(weights, COUNT, replacement=True).cpu()
    assert torch.bincount(drawn[0], minlength=4).double().div(COUNT).tolist() == pytest.approx(
        [1 / 8, 0, 2 / 8, 5 / 8], abs=0.02
    )
    assert set(drawn[1].tolist()) == {1, 3}
    assert sorted(torch.multinomial(weights[0], 3).cpu().tolist()) == [0, 2, 3]


def test_permutations() -> None:
    for count in (0, 1, 1000):
        assert sorted(torch.randperm(count, device="musa").cpu().tolist()) == list(range(count))
    torch.musa.manual_seed(3)
    first = torch.randperm(100, device="musa")
    torch.musa.manual_seed(3)
    assert torch.equal(first, torch.randperm(100, device="musa"))
    assert not torch.equal(first, torch.randperm(100, device="musa"))


def test_dropout() -> None:
    value = torch.ones(COUNT, device="musa", requires_grad=True)
    result = torch.nn.functional.dropout(value, 0.25)
    assert sorted(set(result.tolist())) == [0, pytest.approx(4 / 3)]
    result.sum().backward()
    assert torch.equal(value.grad, result)
    noisy = torch.nn.functional.rrelu(torch.full((COUNT,), -1.0, device="musa"), 0.1, 0.3, training=True).cpu()
    assert noisy.mean().item() == pytest.approx(-0.2, abs=0.01)
    assert -0.3 <= noisy.min() <= noisy.max() <= -0.1


def test_each_launch_of_a_graph_draws_others() -> None:
    values = torch.empty(1000, device="musa")
    graph = torch.musa.MUSAGraph()
    with torch.musa.graph(graph):
        values.uniform_()
    drawn = []
    torch.musa.manual_seed(7)
    for _ in range(2):
        graph.replay()
        drawn.append(values.cpu())
    assert not torch.equal(*drawn)
    torch.musa.manual_seed(7)
    assert torch.equal(values.uniform_().cpu(), drawn[0])
    assert drawn[1].std().item() == pytest.approx(1 / math.sqrt(12), rel=0.05)
