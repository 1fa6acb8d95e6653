"""The states of graphs' memory pools, as graph trees use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, musa
from torch_musa import _MUSAC

NBYTES = 4 * 1000
Pool = tuple[int, int]


@pytest.fixture
def kept_pool() -> Iterator[Pool]:
    """A pool that a graph without tensors keeps."""
    graph, x = musa.MUSAGraph(), torch.zeros(1, device="musa")
    with musa.graph(graph):
        x.add_(1)
    yield graph.pool()
    graph.reset()


def captured(pool: Pool, function: Callable[[], Tensor]) -> tuple[musa.MUSAGraph, Tensor]:
    graph = musa.MUSAGraph()
    with musa.graph(graph, pool=pool):
        result = function()
    return graph, result


def is_live(pool: Pool, *tensors: Tensor) -> bool:
    return _MUSAC._musa_checkPoolLiveAllocations(0, pool, {tensor.data_ptr() for tensor in tensors})


def storage_of(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata


def test_memory_of_a_path_that_is_left(kept_pool: Pool) -> None:
    x = torch.arange(1000.0, device="musa")
    first, a = captured(kept_pool, lambda: x * 2)
    state = _MUSAC._musa_getCheckpointState(0, kept_pool)
    second, b = captured(kept_pool, lambda: a + 1)
    assert is_live(kept_pool, a, b) and not is_live(kept_pool, a)
    before = musa.memory_allocated()
    _MUSAC._musa_setCheckpointPoolState(0, state, [storage_of(b)], [])
    assert is_live(kept_pool, a) and musa.memory_allocated() == before - NBYTES
    assert _MUSAC._has_Standard_Deleter(storage_of(a)) and not _MUSAC._has_Standard_Deleter(storage_of(b))
    third, c = captured(kept_pool, lambda: a - 1)
    first.replay()
    third.replay()
    musa.synchronize()
    torch.testing.assert_close(c, x * 2 - 1)
    del b, second
    assert is_live(kept_pool, a, c)


def test_memory_that_comes_back(kept_pool: Pool) -> None:
    x = torch.arange(1000.0, device="musa")
    # A copy is a node of the runtime's; the recorded call of an operator would keep its tensors.
    graph, a = captured(kept_pool, lambda: torch.empty(1000, device="musa").copy_(x))
    state = _MUSAC._musa_getCheckpointState(0, kept_pool)
    address = a.data_ptr()
    del a
    assert is_live(kept_pool)
    before = musa.memory_allocated()
    again = torch._C._construct_storage_from_data_pointer(address, torch.device("musa", 0), NBYTES)
    _MUSAC._musa_setCheckpointPoolState(0, state, [], [again._cdata])
    assert musa.memory_allocated() == before + NBYTES and _MUSAC._has_Standard_Deleter(again._cdata)
    graph.replay()
    tensor = torch.empty(0, device="musa").set_(again)  # type: ignore[call-overload]
    assert torch.equal(tensor, x)
    assert is_live(kept_pool, tensor)
    del tensor, again
    assert is_live(kept_pool)


def test_a_stale_tensor_must_be_given(kept_pool: Pool) -> None:
    state = _MUSAC._musa_getCheckpointState(0, kept_pool)
    _graph, b = captured(kept_pool, lambda: torch.zeros(1000, device="musa"))
    with pytest.raises(RuntimeError, match="must be passed to set checkpoint"):
        _MUSAC._musa_setCheckpointPoolState(0, state, [], [])
    assert is_live(kept_pool, b) and _MUSAC._has_Standard_Deleter(storage_of(b))


def test_a_pool_that_no_graph_has() -> None:
    with pytest.raises(RuntimeError, match="Could not find pool"):
        _MUSAC._musa_getCheckpointState(0, musa.graph_pool_handle())


def test_memory_that_a_tensor_is_deprived_of() -> None:
    x = torch.zeros(1000, device="musa")
    before = musa.memory_allocated()
    _MUSAC._free_And_Remove_DeleterFn(storage_of(x))
    assert musa.memory_allocated() == before - NBYTES and not _MUSAC._has_Standard_Deleter(storage_of(x))
    with pytest.raises(RuntimeError, match="Unexpected deleter"):
        _MUSAC._free_And_Remove_DeleterFn(storage_of(x))
    _MUSAC._set_storage_access_error_msg(x, "its graph has run again")
    with pytest.raises(RuntimeError, match="its graph has run again"):
        x.add(1)


def test_a_stream_allocates_in_a_pool() -> None:
    pool = musa.graph_pool_handle()
    with pytest.raises(RuntimeError, match="Expected stream capture"):
        _MUSAC._musa_beginAllocateCurrentStreamToPool(0, pool)
    with musa.stream(musa.Stream()):
        _MUSAC._musa_beginAllocateCurrentStreamToPool(0, pool)
        inside = torch.zeros(8, device="musa")
        _MUSAC._musa_endAllocateCurrentStreamToPool(0, pool)
        outside = torch.zeros(8, device="musa")
    assert is_live(pool, inside) and not is_live(pool, inside, outside)
    _MUSAC._musa_releasePool(0, pool)


def test_uses_of_a_storage_and_addresses() -> None:
    tensors = [torch.zeros(4, device="musa") for _ in range(3)]
    assert _MUSAC._storage_Use_Count(tensors[0].untyped_storage()._cdata) >= 1
    addresses = [tensor.data_ptr() for tensor in tensors]
    assert _MUSAC._tensors_data_ptrs_at_indices_equal(tensors, [addresses[0], None, addresses[2]], [0, 2])
    assert not _MUSAC._tensors_data_ptrs_at_indices_equal(tensors, [addresses[0], addresses[0], None], [0, 1])
