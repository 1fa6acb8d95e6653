"""Sparse tensors, of coordinates (COO) and compressed, held against the CPU's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

LAYOUTS = {
    "coo": lambda dense: dense.to_sparse(),
    "csr": lambda dense: dense.to_sparse_csr(),
    "csc": lambda dense: dense.to_sparse_csc(),
    "bsr": lambda dense: dense.to_sparse_bsr((2, 2)),
    "bsc": lambda dense: dense.to_sparse_bsc((2, 2)),
}
COMPRESSED = {name: make for name, make in LAYOUTS.items() if name != "coo"}


def some_zeros() -> Tensor:
    return torch.randn(6, 8) * (torch.rand(6, 8) > 0.6)


def parts(tensor: Tensor) -> list[Tensor]:
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]


def assert_same(musa: Tensor, cpu: Tensor) -> None:
    assert musa.device.type == "musa" and musa.layout == cpu.layout
    assert musa.shape == cpu.shape and musa.dtype == cpu.dtype
    if cpu.layout == torch.strided:
        torch.testing.assert_close(musa.cpu(), cpu)
        return
    assert musa._nnz() == cpu._nnz()
    if cpu.layout == torch.sparse_coo:
        assert musa.is_coalesced() == cpu.is_coalesced()
    for mine, expected in zip(parts(musa), parts(cpu)):
        assert mine.device.type == "musa"
        torch.testing.assert_close(mine.cpu(), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_made_from_a_dense_tensor_and_back(layout: str) -> None:
    dense = some_zeros()
    made = LAYOUTS[layout](dense.to("musa"))
    assert_same(made, LAYOUTS[layout](dense))
    assert_same(made.to_dense(), dense)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_moved_to_the_device_and_back(layout: str) -> None:
    there = LAYOUTS[layout](some_zeros())
    here = there.to("musa")
    assert_same(here, there)
    back = here.cpu()
    assert back.device.type == "cpu" and back.layout == there.layout
    torch.testing.assert_close(back.to_dense(), there.to_dense())


def test_made_from_coordinates_and_coalesced() -> None:
    indices, values = torch.tensor([[2, 0, 2], [1, 3, 1]]), torch.tensor([1.0, 2.0, 4.0])
    there = torch.sparse_coo_tensor(indices, values, (3, 4))
    here = torch.sparse_coo_tensor(indices.to("musa"), values.to("musa"), (3, 4))
    assert_same(here, there)
    assert not here.is_coalesced() and here._nnz() == 3
    assert_same(here.coalesce(), there.coalesce())
    assert_same(here.coalesce().indices(), there.coalesce().indices())
    assert here._values().data_ptr() == here._values().data_ptr()  # a part, not a copy of it


def test_made_from_rows() -> None:
    dense = some_zeros()
    there = dense.to_sparse_csr()
    made = [part.to("musa") for part in parts(there)]
    here = torch.sparse_csr_tensor(*made, size=(6, 8))
    assert_same(here, there)
    assert_same(here.to_sparse().coalesce(), there.to_sparse().coalesce())
    assert_same(there.to_sparse().to("musa").to_sparse_csr(), there)


OPERATORS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "matrix times matrix": lambda a, dense: torch.sparse.mm(a, dense),
    "matrix times vector": lambda a, dense: a @ dense[:, 0],
    "sum": lambda a, dense: torch.sparse.sum(a) if a.layout == torch.sparse_coo else a.sum(),
    "times a number": lambda a, dense: a * 3,
    "added": lambda a, dense: a + a,
    "negated": lambda a, dense: -a,
    "sine": lambda a, dense: a.sin(),
    "transposed": lambda a, dense: a.t(),
    "half": lambda a, dense: a.to(torch.float16),
    "cloned": lambda a, dense: a.clone(),
}


@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(layout: str, name: str) -> None:
    dense, other = some_zeros(), torch.randn(8, 3)
    there, here = LAYOUTS[layout](dense), LAYOUTS[layout](dense.to("musa"))
    assert_same(OPERATORS[name](here, other.to("musa")), OPERATORS[name](there, other))


def test_changed_in_place() -> None:
    dense = some_zeros()
    there, here = dense.to_sparse(), dense.to("musa").to_sparse()
    for tensor in (there, here):
        tensor.mul_(2)
        tensor.add_(tensor.clone())
        tensor.sparse_resize_((9, 9), 2, 0)
    assert_same(here.coalesce(), there.coalesce())
    for tensor in (there, here):
        tensor.zero_()
    assert_same(here, there)


def test_gradients() -> None:
    dense, other = some_zeros(), torch.randn(8, 3)
    found = []
    for device in ("cpu", "musa"):
        matrix = dense.to(device).to_sparse().requires_grad_()
        weight = other.clone().to(device).requires_grad_()
        torch.sparse.mm(matrix, weight).sum().backward()
        assert matrix.grad is not None and weight.grad is not None
        found.append((matrix.grad.to_dense(), weight.grad))
    for here, there in zip(found[1], found[0]):
        assert_same(here, there)


def test_an_embedding_with_sparse_gradients_learns() -> None:
    found = []
    for device in ("cpu", "musa"):
        torch.manual_seed(3)
        embedding = torch.nn.Embedding(10, 4, sparse=True).to(device)
        optimizer = torch.optim.SparseAdam(embedding.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            embedding(torch.tensor([1, 5, 1], device=device)).pow(2).sum().backward()
            optimizer.step()
        found.append(embedding.weight.detach())
    assert_same(found[1], found[0])


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_gradients_of_a_product_that_reduces(reduce: str) -> None:
    """The CPU's kernel returns the indices of extremes only where an operand wants a gradient."""
    sparse, dense, seed = some_zeros().to_sparse_csr(), torch.randn(8, 3), torch.randn(6, 3)
    found = []
    for device in ("cpu", "musa"):
        operands = [tensor.to(device).requires_grad_() for tensor in (sparse, dense)]
        result = torch.sparse.mm(*operands, reduce)
        found.append([result.detach(), *torch.autograd.grad(result, operands, seed.to(device))])
        with torch.no_grad():
            assert_same(torch.sparse.mm(*operands, reduce).to("musa"), result.detach().cpu())
    for cpu, musa in zip(*found):
        assert_same(musa, cpu)


def test_wrong_coordinates_are_refused() -> None:
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        torch.sparse_coo_tensor([[5]], [1.0], (3,), device="musa", check_invariants=True)


def test_operands_of_two_devices_are_refused() -> None:
    with pytest.raises(RuntimeError, match="same device"):
        torch.sparse.mm(some_zeros().to("musa").to_sparse(), torch.ones(8, 3))


def test_printed() -> None:
    text = repr(some_zeros().to("musa").to_sparse())
    assert "device='musa:0'" in text and "layout=torch.sparse_coo" in text


def test_legacy_types() -> None:
    kind = torch.musa.sparse.FloatTensor
    made = kind(torch.tensor([[0, 2]]), torch.tensor([1.0, 2.0]), (3,))
    assert_same(made, torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)))
    assert isinstance(made, kind) and not isinstance(made, torch.musa.sparse.DoubleTensor)
    assert not isinstance(made.to_dense(), kind) and not isinstance(made.cpu(), kind)
    assert kind().shape == (0,) and repr(kind) == "<class 'torch.musa.sparse.FloatTensor'>"
