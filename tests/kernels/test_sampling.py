"""Gamma, Poisson, binomial and Dirichlet: moments, distribution, reproducibility; and gradients against the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from .compare import FLOATING, SINGLE, assert_native, compare

COUNT = 40_000
Distribution = Callable[[Tensor], Tensor]
#: name -> (what draws for tensors of parameters, parameters, mean, variance)
CASES: list[tuple[str, Distribution, tuple[float, ...], float, float]] = [
    *(("poisson", torch.poisson, (mean,), mean, mean) for mean in (0.3, 4, 9.9, 10, 55)),
    *(("binomial", torch.binomial, (n, p), n * p, n * p * (1 - p)) for n, p in ((5, 0.9), (40, 0.5), (100, 0.02))),
    *(("_standard_gamma", torch._standard_gamma, (shape,), shape, shape) for shape in (0.2, 1, 7.5)),
]


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(("name", "draw", "parameters", "mean", "variance"), CASES)
def test_moments(
    name: str,
    draw: Callable[..., Tensor],
    parameters: tuple[float, ...],
    mean: float,
    variance: float,
    dtype: torch.dtype,
) -> None:
    given = [torch.full((COUNT,), value, dtype=dtype) for value in parameters]
    values = draw(*(each.to("musa") for each in given)).cpu().double()
    rounding = 0.02 if dtype.itemsize == 2 else 0
    tail = 0.1 if name == "_standard_gamma" and mean < 1 else 0  # few large numbers, which decide
    assert abs(values.mean().item() - mean) < 5 * math.sqrt(variance / COUNT) + rounding * mean
    assert values.var().item() == pytest.approx(variance, rel=0.06 + rounding + tail)
    assert_native(name)


@pytest.mark.parametrize("mean", [0.7, 3, 12, 40])
def test_each_number_of_a_poisson_distribution_is_as_frequent_as_it_must_be(mean: float) -> None:
    values = torch.poisson(torch.full((COUNT,), mean, device="musa", dtype=torch.float64)).cpu()
    numbers = torch.arange(int(mean + 6 * math.sqrt(mean)) + 5, dtype=torch.float64)
    expected = COUNT * torch.exp(numbers * math.log(mean) - mean - torch.lgamma(numbers + 1))
    seen = torch.bincount(values.long(), minlength=len(numbers))[: len(numbers)].double()
    often = expected > 20
    chi_squared = ((seen - expected) ** 2 / expected)[often].sum().item()
    freedom = int(often.sum()) - 1
    assert chi_squared < freedom + 5 * math.sqrt(2 * freedom)


@pytest.mark.parametrize("shape", [0.3, 1.0, 6.0])
def test_a_gamma_distribution_is_uniform_by_its_own_function(shape: float) -> None:
    drawn = torch._standard_gamma(torch.full((COUNT,), shape, device="musa", dtype=torch.float64)).cpu()
    ranks = torch.special.gammainc(torch.full_like(drawn, shape), drawn).sort().values
    wanted = (torch.arange(COUNT, dtype=torch.float64) + 0.5) / COUNT
    assert (ranks - wanted).abs().max().item() < 2 / math.sqrt(COUNT)  # Kolmogorov and Smirnov; beyond it: 0.07 %


def test_each_element_has_its_own_parameters() -> None:
    means = torch.tensor([[0.0, 2.0], [30.0, 1000.0]])
    values = torch.poisson(means.expand(2000, 2, 2).to("musa")).cpu()
    assert (values[:, 0, 0] == 0).all()
    torch.testing.assert_close(values.mean(0), means, rtol=0.05, atol=0.1)
    counts, shares = torch.tensor([10.0, 100.0, 0.0]), torch.tensor([[0.5], [0.0], [1.0]])
    drawn = torch.binomial(counts.expand(3, 3).to("musa"), shares.expand(3, 3).to("musa")).cpu()
    assert torch.equal(drawn[1:], torch.stack([torch.zeros(3), counts]))
    assert (drawn[0] <= counts).all()


@pytest.mark.parametrize("dtype", FLOATING)
def test_dirichlet(dtype: torch.dtype) -> None:
    shapes = torch.tensor([0.5, 1, 3], dtype=dtype)
    values = torch._sample_dirichlet(shapes.repeat(COUNT, 1).to("musa")).cpu().double()
    rounding = 0.01 if dtype.itemsize == 2 else 1e-5
    assert (values.sum(1) - 1).abs().max().item() < rounding
    assert values.min() > 0
    total = shapes.double().sum()
    torch.testing.assert_close(values.mean(0), shapes.double() / total, rtol=0.02 + rounding, atol=0)
    wanted = shapes.double() * (total - shapes.double()) / (total * total * (total + 1))
    torch.testing.assert_close(values.var(0), wanted, rtol=0.06, atol=0)
    assert_native("_sample_dirichlet", "_standard_gamma")


@pytest.mark.parametrize("draw", [torch.poisson, torch._standard_gamma])
def test_numbers_depend_on_the_seed_alone(draw: Distribution) -> None:
    def drawn(*shape: int) -> Tensor:
        torch.musa.manual_seed(5)
        return draw(torch.full(shape, 12.5, device="musa")).cpu()

    assert torch.equal(drawn(1000), drawn(1000))
    assert torch.equal(drawn(1000)[:37], drawn(37))
    assert torch.equal(drawn(1000), drawn(10, 100).flatten())
    assert not torch.equal(draw(torch.full((1000,), 12.5, device="musa")).cpu(), drawn(1000))
    assert draw(torch.empty(0, 3, device="musa")).shape == (0, 3)


@pytest.mark.parametrize("dtype", SINGLE)
def test_gradients(dtype: torch.dtype) -> None:
    shapes = torch.rand(500, 4, dtype=torch.float64).mul(6).add(0.05).to(dtype)
    close = {"rtol": 5e-3 if dtype == torch.float32 else 1e-9, "atol": 1e-5 if dtype == torch.float32 else 1e-12}
    compare(torch._standard_gamma_grad, shapes, torch._standard_gamma(shapes), close=close)
    total = shapes.sum(-1, keepdim=True).expand_as(shapes).contiguous()
    compare(torch._dirichlet_grad, torch._sample_dirichlet(shapes), shapes, total, close=close)
    assert_native("_standard_gamma_grad", "_dirichlet_grad")


def test_distributions_of_torch() -> None:
    """Their samples have gradients by these operators."""
    shapes = torch.full((COUNT,), 2.0, device="musa", requires_grad=True)
    torch.distributions.Gamma(shapes, 1.0).rsample().sum().backward()
    assert shapes.grad is not None
    assert shapes.grad.mean().item() == pytest.approx(1, abs=0.02)  # the mean is the shape
    assert_native("_standard_gamma", "_standard_gamma_grad")
