"""muDNN: the names that torch_musa uses, on small tensors."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from library_programs import Build

NOT_SUPPORTED, INVALID = 4, 1


@pytest.mark.parametrize(("library", "flags"), [("mudnn", ()), ("mudnncxx", ("-include", "mudnncxx/mudnn.h"))])
def test_small_tensors(build: Build, library: str, flags: tuple[str, ...]) -> None:
    done = build("mudnn.cpp", [library], flags)()
    assert (done.status, done.stderr) == (0, "")
    lines = done.stdout.decode().splitlines()
    numbers = [(name, int(status), [float(x) for x in rest]) for name, status, *rest in map(str.split, lines)]
    assert numbers == [
        ("add", 0, [11, 22, 33, 14, 25, 36]),
        ("clip", 0, [2, 2, 3, 4, 4, 4]),
        ("matmul", 0, [7, 16, 16, 38.5]),
        ("matmul", 0, [14, 32, 32, 77]),
        ("softmax", 0, [0.0900306, 0.244728, 0.665241] * 2),
        ("log_softmax", 0, [-3.04859] * 3 + [-0.0485874] * 3),
        ("refused", NOT_SUPPORTED, []),
        ("refused", INVALID, []),
    ]


def made_up(tensor: int, *sizes: int) -> torch.Tensor:
    """The numbers that the program makes up."""
    index = torch.arange(math.prod(sizes))
    return (((index * 37 + tensor * 11) % 23 - 11).double() / 8).view(sizes)


@pytest.fixture(scope="module")
def random_numbers(build: Build) -> Callable[..., torch.Tensor | int]:
    program = build("mudnn_random.cpp", libraries=["mudnn"])

    def run(*words: object) -> torch.Tensor | int:
        done = program(*map(str, words))
        assert (done.status, done.stderr) == (0, "")
        status, *numbers = done.stdout.split()
        return torch.tensor([float(number) for number in numbers]).double() if int(status) == 0 else int(status)

    return run


def rounded(expected: torch.Tensor, kind: str) -> torch.Tensor:
    """The exact result as the type has it: sums are in double here, and rounded once."""
    return expected.flatten().to({"half": torch.half, "bfloat16": torch.bfloat16}.get(kind, torch.float)).double()


@pytest.mark.parametrize("kind", ["float", "half", "bfloat16"])
@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1, 1, 3, 3, 1, 0, 1, 1), (2, 4, 6, 2, 5, 7, 3, 1, 2, 1), (3, 3, 3, 3, 9, 8, 3, 2, 1, 2)],
    ids=["one", "groups and strides", "depthwise, dilated"],
)
def test_convolutions(random_numbers: Callable[..., torch.Tensor | int], kind: str, sizes: tuple[int, ...]) -> None:
    n, c, k, groups, h, w, kernel, padding, stride, dilation = sizes
    images = made_up(1, n, c, h, w).requires_grad_()
    weight = made_up(2, k, c // groups, kernel, kernel).requires_grad_()
    out = torch.nn.functional.conv2d(images, weight, None, stride, padding, dilation, groups)
    out.backward(made_up(3, *out.shape))
    assert images.grad is not None and weight.grad is not None
    for operation, expected in (("forward", out.detach()), ("data", images.grad), ("filter", weight.grad)):
        actual = random_numbers(operation, kind, *sizes)
        assert torch.equal(torch.as_tensor(actual), rounded(expected, kind)), operation


@pytest.mark.parametrize("kind", ["float", "half", "bfloat16"])
def test_batches_of_products(random_numbers: Callable[..., torch.Tensor | int], kind: str) -> None:
    left, right, before = made_up(1, 3, 4, 5), made_up(2, 3, 6, 5), made_up(3, 3, 4, 6)
    expected = 0.5 * left @ right.transpose(1, 2) + 2 * before
    assert torch.equal(torch.as_tensor(random_numbers("batches", kind, 3, 4, 5, 6)), rounded(expected, kind))


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("operation", ["softmax", "log_softmax"])
def test_softmax_backward(random_numbers: Callable[..., torch.Tensor | int], operation: str, dim: int) -> None:
    x = made_up(1, 4, 7).requires_grad_()
    getattr(torch, operation)(x, dim).backward(made_up(2, 4, 7))
    actual = torch.as_tensor(random_numbers(operation, "float", 4, 7, dim))
    assert x.grad is not None
    torch.testing.assert_close(actual, x.grad.flatten(), rtol=1e-5, atol=1e-6)


def test_a_convolution_that_does_not_fit_is_refused(random_numbers: Callable[..., torch.Tensor | int]) -> None:
    # 3 channels in 2 groups
    assert random_numbers("forward", "float", 1, 3, 4, 2, 5, 5, 3, 0, 1, 1) == INVALID
