"""freqencoder on the musa device against its definition in NumPy's float64."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

Array = npt.NDArray[np.float64]

DTYPES = [torch.float32, torch.float64, torch.float16]
SHAPES = [(0, 3), (1, 3), (1,), (7, 3), (257, 1), (2, 5, 3), (4, 0)]


def forward_reference(x: Array, degree: int) -> Array:
    blocks = [x]
    for k in range(degree):
        blocks += [np.sin(2.0**k * x), np.cos(2.0**k * x)]
    return np.concatenate(blocks, axis=-1)


def backward_reference(grad: Array, x: Array, degree: int) -> tuple[Array, Array]:
    """The gradient with respect to `x`, and the sum of the sizes of its terms: rounding errors are in proportion."""
    blocks = np.split(grad, 1 + 2 * degree, axis=-1) if x.shape[-1] else [x] * (1 + 2 * degree)
    result, size = blocks[0].copy(), np.abs(blocks[0])
    for k in range(degree):
        sine, cosine = blocks[1 + 2 * k], blocks[2 + 2 * k]
        result += 2.0**k * (sine * np.cos(2.0**k * x) - cosine * np.sin(2.0**k * x))
        size += 2.0**k * (np.abs(sine) + np.abs(cosine))
    return result, size


def double(tensor: torch.Tensor) -> Array:
    array: Array = tensor.detach().cpu().double().numpy()
    return array


def random_tensor(seed: int, shape: Any, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def check(freqencoder: ModuleType, shape: tuple[int, ...], degree: int, dtype: torch.dtype) -> None:
    """Forward and backward, on random inputs and random gradients."""
    inputs = random_tensor(degree, shape, dtype)
    device_inputs = inputs.to("musa").requires_grad_()
    outputs = freqencoder.freq_encode(device_inputs, degree)
    assert outputs.shape == (*shape[:-1], shape[-1] * (1 + 2 * degree))
    assert (outputs.dtype, outputs.device.type) == (dtype, "musa")

    # 2^k x is exact, so sin and cos err by a few roundings of a number below 1; x itself is copied. float16 is computed
    # in float32 and rounded once.
    epsilon = torch.finfo(dtype).eps
    np.testing.assert_allclose(double(outputs), forward_reference(double(inputs), degree), rtol=0, atol=4 * epsilon)
    np.testing.assert_array_equal(double(outputs)[..., : shape[-1]], double(inputs))

    grad = random_tensor(100 + degree, tuple(outputs.shape), dtype)
    outputs.backward(grad.to("musa"))
    assert device_inputs.grad is not None
    wanted, size = backward_reference(double(grad), double(inputs), degree)
    # Each term errs by a few roundings of the type in which the sum is computed; then the result is rounded to `dtype`.
    computed_in = torch.finfo(torch.float32 if dtype is torch.float16 else dtype).eps
    allowed = 8 * computed_in * size + epsilon * np.abs(wanted) + 1e-7 * (dtype is torch.float16)
    assert (np.abs(double(device_inputs.grad) - wanted) <= allowed).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("degree", range(11))
def test_every_degree_and_small_sizes(freqencoder: ModuleType, degree: int, dtype: torch.dtype) -> None:
    for shape in SHAPES:
        check(freqencoder, shape, degree, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_million_rows(freqencoder: ModuleType, dtype: torch.dtype) -> None:
    check(freqencoder, (1_000_000, 1), 3, dtype)


@pytest.mark.slow
def test_a_million_inputs_at_the_highest_degree(freqencoder: ModuleType) -> None:
    check(freqencoder, (1_000_001, 1), 10, torch.float32)


def test_large_arguments(freqencoder: ModuleType) -> None:
    inputs = random_tensor(1, (1000, 3), torch.float32) * 1e4
    outputs = freqencoder.freq_encode(inputs.to("musa"), 10)
    wanted = forward_reference(double(inputs), 10)[:, 3:]
    np.testing.assert_allclose(double(outputs)[:, 3:], wanted, rtol=0, atol=5e-7)


def test_infinite_and_missing_numbers(freqencoder: ModuleType) -> None:
    inputs = torch.tensor([[float("inf")], [float("nan")], [0.0]])
    outputs = double(freqencoder.freq_encode(inputs.to("musa"), 2))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(outputs, forward_reference(double(inputs), 2))


@pytest.mark.parametrize("degree", [0, 1, 4])
def test_first_and_second_derivatives_against_finite_differences(freqencoder: ModuleType, degree: int) -> None:
    inputs = random_tensor(3, (3, 2), torch.float64).to("musa").requires_grad_()
    assert torch.autograd.gradcheck(lambda x: freqencoder.freq_encode(x, degree), (inputs,))
    assert torch.autograd.gradgradcheck(lambda x: freqencoder.freq_encode(x, degree), (inputs,))


def test_third_derivative(freqencoder: ModuleType) -> None:
    """d^3/dx^3 of sin(x) + cos(x) is sin(x) - cos(x)."""
    inputs = torch.tensor([[0.3]], dtype=torch.float64).to("musa").requires_grad_()
    value = freqencoder.freq_encode(inputs, 1)[..., 1:].sum()
    for _ in range(3):
        (value,) = torch.autograd.grad(value.sum(), inputs, create_graph=True)
    assert value.item() == pytest.approx(np.sin(0.3) - np.cos(0.3), abs=1e-14)


def test_layouts_that_are_not_contiguous(freqencoder: ModuleType) -> None:
    base = random_tensor(4, (6, 8), torch.float64)
    for view in (lambda t: t.t(), lambda t: t[::2, 1::3], lambda t: t[:1].expand(5, 8), lambda t: t.flip(0)):
        inputs = view(base.to("musa")).detach().requires_grad_()
        outputs = freqencoder.freq_encode(inputs, 3)
        reference = double(view(base))
        np.testing.assert_allclose(double(outputs), forward_reference(reference, 3), rtol=0, atol=1e-15)
        outputs.sum().backward()  # an expanded gradient: all its strides are zero
        assert inputs.grad is not None
        wanted, _ = backward_reference(np.ones(outputs.shape), reference, 3)
        np.testing.assert_allclose(double(inputs.grad), wanted, rtol=0, atol=1e-14)


def test_runs_on_the_current_stream(freqencoder: ModuleType) -> None:
    musa: Any = torch.musa  # type: ignore[attr-defined]
    inputs = random_tensor(5, (100, 3), torch.float32)
    stream = musa.Stream()
    with musa.stream(stream):
        outputs = freqencoder.freq_encode(inputs.to("musa"), 2)
    stream.synchronize()
    np.testing.assert_allclose(double(outputs), forward_reference(double(inputs), 2), rtol=0, atol=5e-7)


def test_module_learns(freqencoder: ModuleType) -> None:
    """A line on top of the encoding fits sin(4x), which a line alone cannot."""
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 64).unsqueeze(-1)
    target = torch.sin(4 * x).to("musa")
    model = torch.nn.Sequential(freqencoder.FreqEncoder(input_dim=1, degree=3), torch.nn.Linear(7, 1)).to("musa")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x.to("musa")), target)
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-3
