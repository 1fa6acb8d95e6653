"""Device memory: figures, limits, page-locked host memory."""

from __future__ import annotations

import gc
import re

import pytest
import torch

from .conftest import PROGRAMS, RunPython, needs_2_13


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
    if hasattr(getattr(torch, "accelerator", None), "memory_allocated"):
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
        in_use = before + 2**19
        with pytest.raises(
            torch.OutOfMemoryError, match=rf"(1.00 MiB|1024.\d+ KiB) allowed; Of .* {in_use / 2**10:.2f} KiB is"
        ):
            torch.empty(2**20, dtype=torch.uint8, device="musa")
        assert kept.numel() == 2**19
    finally:
        torch.musa.set_per_process_memory_fraction(1.0)
    with pytest.raises(ValueError, match="from 0 to 1"):
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
    by_name = {} if torch.__version__ >= (2, 6) else {"pin_memory_device": "musa"}  # 2.5 looks for CUDA alone
    loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4, pin_memory=True, **by_name)
    batches = list(loader)
    assert all(batch.is_pinned() for batch in batches)
    assert [batch.musa(non_blocking=True).sum().item() for batch in batches] == [6, 22]


TOO_LARGE = (
    "x.exp()",
    "batch_norm(x, None, None, training=True)",
    "conv1d(x, torch.ones(2, 2, 1, device='musa'))",
    "torch._foreach_add([x[:, :1], x[:, 1:]], [x[:, 1:], x[:, :1]])",
    "torch.exp(x, out=torch.empty(0, device='musa'))",
    "x[..., :500_000].clone().requires_grad_().expand(8, 2, 500_000).exp().sum().backward()",
    "torch.randn(8_000_000, device='musa')",
    "x.flatten().sort()",
)


def test_operator_that_needs_too_much_is_an_exception_to_survive(run_python: RunPython) -> None:
    """Also where a CPU kernel does the work: its memory is the device's, not the host's."""
    done = run_python(PROGRAMS / "small_device.py", *TOO_LARGE, MUSA_SIM_MEMORY="48M")
    assert done.returncode == 0, done.stderr
    errors = done.stdout.splitlines()
    assert len(errors) == len(TOO_LARGE)
    for error in errors:
        assert re.fullmatch(
            r"MUSA out of memory\. Tried to allocate [\d.]+ MiB\. GPU 0 has a total capacity of 48\.00 MiB of which "
            r"[\d.]+ MiB is free\. Including non-PyTorch memory, this process has [\d.]+ MiB memory in use\. Of "
            r"the allocated memory [\d.]+ MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but "
            r"unallocated\. MUSA_SIM_MEMORY .*",
            error,
        )


def test_results_are_not_copied(before: int) -> None:
    """The memory that a CPU kernel writes its result to becomes the tensor's."""
    x = torch.randn(2, 300_000)
    moved = x.musa()
    torch.musa.reset_peak_memory_stats()
    y = moved.exp()
    assert torch.musa.memory_allocated() == before + 4_800_000 == torch.musa.max_memory_allocated()
    values, indices = moved.sort()
    top = y.as_strided((3, 5), (7, 2), 11)
    assert torch.equal(top.cpu(), x.exp().as_strided((3, 5), (7, 2), 11))
    assert torch.equal(values.cpu(), x.sort()[0]) and torch.equal(moved.gather(1, indices).cpu(), values.cpu())
    del x, moved, y, values, indices, top
    gc.collect()
    assert torch.musa.memory_allocated() == before


def test_two_results_in_one_memory_are_two_tensors() -> None:
    """torch.var_mean and its kind may return views of one buffer; later writes must not show in the other."""
    spectrum = torch.randn(2, 600_000)
    both = torch._foreach_exp([spectrum.musa(), spectrum.musa()])
    both[0].zero_()
    assert torch.equal(both[1].cpu(), spectrum.exp())


def test_host_memory_outside_of_operators_stays_the_hosts(before: int) -> None:
    large = torch.ones(3_000_000)
    copy = large.musa().cpu() + large
    assert torch.musa.memory_allocated() == before
    assert not copy.is_pinned() and copy.sum().item() == 6_000_000


def test_profiler_sees_memory() -> None:
    with torch.profiler.profile(profile_memory=True) as profile:
        x = torch.ones(1000, device="musa")
        del x
    sizes = [event.self_device_memory_usage for event in profile.events()]
    assert 4000 in sizes and sum(sizes) == 0


@needs_2_13
def test_statistics_of_the_accelerator_are_ours(before: int) -> None:
    torch.musa.reset_accumulated_memory_stats()
    kept = torch.empty(256, device="musa")
    ours, generic = torch.musa.memory_stats(), torch.accelerator.memory_stats()
    assert {name: generic[name] for name in ours} == ours
    assert ours["allocation.all.allocated"] == ours["num_device_alloc"] == 1 == kept.ndim
