"""Matrix products whose result has another type than the matrices."""

from __future__ import annotations

import pytest
import torch

OPERATORS = {"mm": ((3, 5), (5, 4)), "bmm": ((2, 3, 5), (2, 5, 4))}

pytestmark = pytest.mark.skipif(
    "dtype" not in torch.ops.aten.mm.overloads(), reason="this PyTorch has no products with another type"
)


def factors(name: str, dtype: torch.dtype) -> list[torch.Tensor]:
    return [torch.randn(shape).to(dtype) for shape in OPERATORS[name]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", OPERATORS)
def test_the_result_is_not_rounded_to_the_factors_type(name: str, dtype: torch.dtype) -> None:
    a, b = factors(name, dtype)
    exact = getattr(torch, name)(a.double(), b.double())
    result = getattr(torch, name)(a.musa(), b.musa(), out_dtype=torch.float32)
    assert result.dtype == torch.float32
    torch.testing.assert_close(result.cpu().double(), exact, rtol=1e-5, atol=1e-5)
    assert not torch.equal(result.cpu(), result.cpu().to(dtype).float())
    out = torch.empty(0, device="musa")
    getattr(torch, name)(a.musa(), b.musa(), out_dtype=torch.float32, out=out)
    assert torch.equal(out, result)


@pytest.mark.parametrize("of_added", [torch.float16, torch.float32])
@pytest.mark.parametrize(("name", "product"), [("addmm", "mm"), ("baddbmm", "bmm")])
def test_a_matrix_is_added(name: str, product: str, of_added: torch.dtype) -> None:
    a, b = factors(product, torch.float16)
    added = torch.randn(3, 4).to(of_added)
    if product == "bmm":
        added = added.expand(2, 3, 4)
    exact = 0.5 * added.double() + 3 * (a.double() @ b.double())
    result = getattr(torch, name)(added.musa(), a.musa(), b.musa(), out_dtype=torch.float32, beta=0.5, alpha=3)
    torch.testing.assert_close(result.cpu().double(), exact, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(
    ("dtype", "of_result"),
    [(torch.float32, torch.float16), (torch.float16, torch.bfloat16), (torch.float16, torch.float64)],
)
def test_other_types_are_refused(name: str, dtype: torch.dtype, of_result: torch.dtype) -> None:
    a, b = factors(name, dtype)
    with pytest.raises(RuntimeError, match="out_dtype must be the same as input dtype"):
        getattr(torch, name)(a.musa(), b.musa(), out_dtype=of_result)
