"""muDNN's Binary computes gradients of activations as torch's differentiation does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from library_programs import Build
from sim_programs import Program

torch = pytest.importorskip("torch")

Function = Callable[[Any], Any]
THRESHOLD = 0.25
# The function, and whether muDNN gets its result in place of its argument.
FUNCTIONS: dict[str, tuple[Function, bool]] = {
    "silu": (torch.nn.functional.silu, False),
    "sigmoid": (torch.sigmoid, True),
    "tanh": (torch.tanh, True),
    "gelu": (torch.nn.functional.gelu, False),
    "gelu by tanh": (lambda x: torch.nn.functional.gelu(x, approximate="tanh"), False),
    "threshold": (lambda x: torch.nn.functional.threshold(x, THRESHOLD, 7.0), False),
}
TYPES = {
    "float": (torch.float32, 1e-6),
    "double": (torch.float64, 1e-14),
    "half": (torch.float16, 1e-3),
    "bfloat16": (torch.bfloat16, 8e-3),
}


@pytest.fixture(scope="module")
def mudnn(build: Build) -> Program:
    return build("mudnn_gradients.cpp", libraries=["mudnn"])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 70)])
def test_gradients(mudnn: Program, name: str, kind: str, rows: int, columns: int) -> None:
    function, of_result = FUNCTIONS[name]
    dtype, error = TYPES[kind]
    generator = torch.Generator().manual_seed(columns)
    upstream = torch.randn(rows, columns, generator=generator, dtype=torch.float64).to(dtype)
    x = 2 * torch.randn(columns, generator=generator, dtype=torch.float64)
    if of_result:
        given = function(x).to(dtype)
        y = given.double()
        expected = upstream.double() * (y * (1 - y) if name == "sigmoid" else 1 - y * y)
        leaf = x.requires_grad_()  # the formulas against torch's gradient of the argument
        function(leaf).backward(upstream.double().sum(0))
        torch.testing.assert_close(expected.sum(0), leaf.grad, atol=rows * 50 * error, rtol=50 * error)
    else:
        given = x.to(dtype)
        leaf = given.double().repeat(rows, 1).requires_grad_()
        function(leaf).backward(upstream.double())
        expected = leaf.grad
    bytes_of = [tensor.contiguous().view(torch.uint8).numpy() for tensor in (upstream.flatten(), given)]
    result = mudnn(name, kind, given.element_size(), THRESHOLD, rows, columns, inputs=bytes_of)
    assert (result.status, result.stderr) == (0, "")
    found = torch.frombuffer(bytearray(result.stdout), dtype=dtype).reshape(rows, columns).double()
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=error, atol=error)
