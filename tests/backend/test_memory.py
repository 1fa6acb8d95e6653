"""Device memory: figures, limits, page-locked host memory."""

from __future__ import annotations

import gc

import pytest
import torch


@pytest.fixture
def before() -> int:
    """Bytes in use when the test starts."""
    gc.collect()
    torch.musa.reset_peak_memory_stats()
    return torch.musa.memory_allocated()


def test_figures_follow_tensors(before: int) -> None:
    x = torch.empty(1000, device="musa")
    y = torch.empty(3, 500, dtype=torch.float64, device="musa")
    assert torch.musa.memory_allocated() == before + 4000 + 12000
    del y
    assert torch.musa.memory_allocated() == before + 4000 == torch.musa.memory_reserved()
    assert torch.musa.max_memory_allocated() == before + 16000 == torch.musa.max_memory_reserved()
    torch.musa.reset_peak_memory_stats()
    assert torch.musa.max_memory_allocated() == before + 4000
    view = x[10:]
    del x
    assert torch.musa.memory_allocated() == before + 4000
    del view
    torch.musa.empty_cache()
    assert torch.musa.memory_allocated() == before


def test_operators_leak_nothing(before: int) -> None:
    x = torch.randn(100, 100, device="musa", requires_grad=True)
    (x @ x).relu().sum().backward()
    out = torch.empty(0, device="musa")
    torch.cat([x.detach(), x.detach()], out=out)
    del x, out
    gc.collect()
    assert torch.musa.memory_allocated() == before


def test_statistics(before: int) -> None:
    torch.musa.reset_accumulated_memory_stats()
    torch.empty(25, device="musa")
    stats = torch.musa.memory_stats()
    assert stats["allocated_bytes.all.allocated"] == 100 == stats["allocated_bytes.all.freed"]
    assert stats["allocated_bytes.all.current"] == before
    assert torch.accelerator.memory_allocated() == before
    assert f"{before:,}" in torch.musa.memory_summary()
    free, total = torch.musa.mem_get_info()
    assert 0 < free <= total == torch.musa.get_device_properties().total_memory


def test_out_of_memory_is_an_exception_to_survive(before: int) -> None:
    total = torch.musa.get_device_properties().total_memory
    with pytest.raises(torch.OutOfMemoryError, match=r"MUSA out of memory. Tried to allocate .* GiB.*total capacity"):
        torch.empty(2 * total, dtype=torch.uint8, device="musa")
    assert torch.musa.OutOfMemoryError is torch.OutOfMemoryError
    assert torch.musa.memory_allocated() == before
    assert torch.ones(10, device="musa").sum().item() == 10


def test_memory_fraction(before: int) -> None:
    total = torch.musa.get_device_properties().total_memory
    try:
        torch.musa.set_per_process_memory_fraction((before + 2**20) / total)
        kept = torch.empty(2**19, dtype=torch.uint8, device="musa")
        with pytest.raises(torch.OutOfMemoryError, match="this process may use"):
            torch.empty(2**20, dtype=torch.uint8, device="musa")
        assert kept.numel() == 2**19
    finally:
        torch.musa.set_per_process_memory_fraction(1.0)
    with pytest.raises(RuntimeError, match="from 0 to 1"):
        torch.musa.set_per_process_memory_fraction(2.0)


def test_pinned_memory() -> None:
    x = torch.randn(100)
    assert not x.is_pinned()
    pinned = x.pin_memory()
    assert pinned.is_pinned() and pinned[10:].is_pinned() and torch.equal(pinned, x)
    assert torch.empty(3, pin_memory=True).is_pinned()
    assert torch.equal(pinned.to("musa", non_blocking=True).cpu(), x)
    assert not torch.ones(1, device="musa").is_pinned()
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        torch.empty(1, device="musa", pin_memory=True)


def test_loader_that_pins_memory() -> None:
    loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4, pin_memory=True)
    batches = list(loader)
    assert all(batch.is_pinned() for batch in batches)
    assert [batch.musa(non_blocking=True).sum().item() for batch in batches] == [6, 22]
