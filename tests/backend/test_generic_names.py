"""Names of torch.cuda under which generic code, and code ported from CUDA, asks torch.musa; held to what CUDA's do."""

from __future__ import annotations

import ctypes
import inspect
import itertools
import os
import pickle
import re
import threading
from pathlib import Path

import pytest
import torch

from .conftest import IS_OLDER_TORCH, PROGRAMS, RunPython

# Names that torch.cuda has and torch.musa lacks, and why.
GROUPS = {
    "tunable operators and code compiled for NVIDIA's hardware": {"tunable", "jiterator", "GreenContext"},
}
OTHER_NAMES = {
    "CudaError": "MusaError",
    "CUDAPluggableAllocator": "MUSAPluggableAllocator",
    "CUDAGraph": "MUSAGraph",
    "DeferredCudaCallError": "DeferredMusaCallError",
    "cudart": "musart",
    "cudaStatus": "musaStatus",
    "nccl": "mccl",
}


def test_what_is_lacking_is_known() -> None:
    asked = {*torch.cuda.__all__, *torch.cuda.memory.__all__}
    lacking = {name for name in asked if not hasattr(torch.musa, OTHER_NAMES.get(name, name))}
    for name in (OTHER_NAMES.get(name, name) for name in torch.cuda.memory.__all__):
        assert hasattr(torch.musa, name) == hasattr(torch.musa.memory, name), name
    expected = set().union(*GROUPS.values())
    assert lacking - expected == set()


def test_version_is_the_headers_number() -> None:
    """As in torch_musa: the text of MUSA_VERSION, which packages compare with their extensions'."""
    number = int(torch.version.musa)
    major, minor = number // 10000, number // 100 % 100
    assert (major, minor) == torch.musa._MUSAC.runtime_version() and (major, minor) >= (5, 0)


def test_statistics_have_cudas_names() -> None:
    if not hasattr(torch.accelerator, "memory_stats"):
        pytest.skip("PyTorch is older than torch.accelerator.memory_stats")
    documented = re.findall(r'- ``"([\w.{},]+)"``', torch.cuda.memory_stats.__doc__ or "")
    wanted = {name for pattern in documented for name in spelled_out(pattern)}
    wanted -= {name for name in wanted if name.startswith("allocated.")}  # documented so, but called allocation
    wanted -= {
        "num_oom_rejections",
        "reserved_bytes_by_private_pools",
        "num_sync_all_streams",
    }  # CUDA's allocator's own
    kept = torch.empty(300, device="musa")
    stats = torch.musa.memory_stats()
    assert len(wanted) > 80 and wanted <= stats.keys()
    assert list(stats) == sorted(stats)
    nested = torch.musa.memory_stats_as_nested_dict()
    assert nested["allocated_bytes"]["all"]["current"] == stats["allocated_bytes.all.current"] >= kept.nbytes
    assert nested["num_ooms"] == stats["num_ooms"]
    assert torch.musa.memory_stats_all()[0] == stats


def spelled_out(pattern: str) -> list[str]:
    """ "a.{b,c}" is "a.b" and "a.c"."""
    parts = [part.strip("{}").split(",") for part in pattern.split(".")]
    return [".".join(words) for words in itertools.product(*parts)]


def test_statistics_of_page_locked_memory() -> None:
    torch.musa.reset_accumulated_host_memory_stats()
    before = torch.musa.host_memory_stats()
    pinned = torch.empty(1000, dtype=torch.uint8, pin_memory=True)
    stats = torch.musa.host_memory_stats()
    documented = re.findall(r'``"(\w+(?:\.\{[\w,]+\})?)"``', torch.cuda.memory.host_memory_stats.__doc__ or "")
    wanted = (
        {name for pattern in documented for name in spelled_out(pattern)}
        if documented and not IS_OLDER_TORCH
        else {"num_host_alloc"}
    )
    assert {name for name in wanted if "_time" not in name} <= stats.keys()
    assert stats["allocated_bytes.current"] - before["allocated_bytes.current"] == pinned.nbytes
    assert stats["active_requests.allocated"] == stats["num_host_alloc"] == 1 and stats["num_host_free"] == 0
    nested = torch.musa.host_memory_stats_as_nested_dict()
    assert nested["active_bytes"]["current"] == stats["active_bytes.current"]
    del pinned
    assert torch.musa.host_memory_stats()["num_host_free"] == 1
    assert torch.musa.host_memory_stats()["active_bytes.peak"] > before["active_bytes.current"]
    torch.musa.reset_peak_host_memory_stats()
    assert torch.musa.host_memory_stats()["active_bytes.peak"] == before["active_bytes.current"]


def test_fraction() -> None:
    assert torch.musa.get_per_process_memory_fraction() == 1.0
    torch.musa.set_per_process_memory_fraction(0.5)
    try:
        assert torch.musa.get_per_process_memory_fraction() == pytest.approx(0.5)
        with pytest.raises(TypeError, match="must be `float`, but got: int"):
            torch.musa.set_per_process_memory_fraction(1)
        for wrong in (-0.1, 1.5):
            with pytest.raises(ValueError, match="Invalid fraction value"):
                torch.musa.set_per_process_memory_fraction(wrong)
        assert torch.musa.get_per_process_memory_fraction() == pytest.approx(0.5)
    finally:
        torch.musa.set_per_process_memory_fraction(1.0)


def test_memory_without_a_tensor() -> None:
    before = torch.musa.memory_allocated()
    side = torch.musa.Stream()
    blocks = [
        torch.musa.caching_allocator_alloc(1000),
        torch.musa.caching_allocator_alloc(1000, "musa:0", side),
        torch.musa.caching_allocator_alloc(1000, 0, side.musa_stream),
    ]
    assert torch.musa.memory_allocated() == before + 3000 and len(set(blocks)) == 3
    for block in blocks:
        torch.musa.caching_allocator_delete(block)
    assert torch.musa.memory_allocated() == before
    with pytest.raises(ValueError, match="freed already"):
        torch.musa.caching_allocator_delete(blocks[0])
    with pytest.raises(TypeError, match="Stream"):
        torch.musa.caching_allocator_alloc(8, 0, "a stream")  # type: ignore[arg-type]
    with torch.musa.memory.caching_allocator_disabled():
        kept = torch.ones(4, device="musa")
        assert torch.musa.memory_allocated() == before + 16
        del kept
    assert torch.musa.memory_allocated() == before


def test_old_names_say_the_new_ones() -> None:
    kept = torch.ones(5, device="musa")
    with pytest.warns(FutureWarning, match="memory_reserved"):
        assert torch.musa.memory_cached() == torch.musa.memory_reserved() >= kept.nbytes
    with pytest.warns(FutureWarning, match="max_memory_reserved"):
        assert torch.musa.max_memory_cached() == torch.musa.max_memory_reserved()
    with pytest.warns(FutureWarning, match="reset_peak_memory_stats"):
        torch.musa.reset_max_memory_cached()
    assert torch.musa.max_memory_reserved() == torch.musa.memory_reserved()


def test_snapshot_is_what_pytorchs_viewer_reads(tmp_path: Path) -> None:
    from torch.cuda._memory_viz import segsum

    kept = torch.empty(12_345_678, dtype=torch.uint8, device="musa")
    (segment,) = [part for part in torch.musa.memory_snapshot() if part["address"] == kept.data_ptr()]
    assert segment["total_size"] == segment["blocks"][0]["size"] == 12_345_678 and segment["device"] == 0
    assert sum(part["total_size"] for part in torch.musa.memory_snapshot()) == torch.musa.memory_allocated()
    torch.musa.memory._dump_snapshot(str(tmp_path / "memory.pickle"))
    snapshot = pickle.loads((tmp_path / "memory.pickle").read_bytes())
    assert len(snapshot["device_traces"]) == torch.musa.device_count()
    assert f"total_allocated: {torch.musa.memory_allocated() / 2**20:.1f}MiB" in segsum(snapshot)
    del kept
    assert segment["address"] not in {part["address"] for part in torch.musa.memory_snapshot()}


def test_devices_by_number(run_python: RunPython) -> None:
    code = PROGRAMS / "devices_by_number.py"
    assert run_python(code, MUSA_SIM_DEVICES="2").stdout == "0 1 1\n-1 -1 0\n1 1 0 0\n"


def test_tf32_goes_with_bfloat16(run_python: RunPython) -> None:
    code = (
        "import torch; print(torch.musa.is_tf32_supported(), torch.musa.is_bf16_supported(including_emulation=False))"
    )
    assert run_python(code, MUSA_SIM_DEVICES="mp_31").stdout == "True True\n"
    assert run_python(code, MUSA_SIM_DEVICES="mp_21").stdout == "False False\n"


def test_streams_by_their_handles() -> None:
    made = torch.musa.Stream()
    outside = torch.musa.get_stream_from_external(made.musa_stream, "musa:0")
    assert isinstance(outside, torch.musa.Stream) and outside.musa_stream == made.musa_stream
    with torch.musa.stream(outside):
        assert torch.musa.current_stream().musa_stream == made.musa_stream
        torch.musa._sleep(200_000_000)
    assert not made.query(), "work on one is work on the other"
    outside.synchronize()
    assert made.query()
    before = torch.musa.current_stream()
    torch.musa._set_stream_by_id(made.stream_id, made.device_index, made.device_type)
    try:
        assert torch.musa.current_stream() == made
    finally:
        torch.musa.set_stream(before)
    with pytest.raises(ValueError, match="musa stream"):
        torch.musa._set_stream_by_id(0, 0, 1)
    assert ctypes.c_void_p(made.musa_stream).value == made._as_parameter_.value


def test_priorities_and_what_is_printed() -> None:
    least, greatest = torch.musa.Stream.priority_range()
    assert greatest < least == torch.musa.Stream().priority
    assert torch.musa.Stream(priority=greatest).priority == greatest
    event = torch.musa.Event()
    assert repr(event) == "<torch_musa.Event uninitialized>" and event._as_parameter_.value is None
    event.record()
    assert repr(event) == f"<torch_musa.Event {event.musa_event:#x}>" and event._as_parameter_.value


def test_no_stream_is_captured() -> None:
    """As torch.cuda's outside of a graph, on any stream."""
    assert torch.musa.is_current_stream_capturing() is False
    with torch.musa.stream(torch.musa.Stream()):
        assert torch.musa.is_current_stream_capturing() is False


@pytest.mark.parametrize("name", ["current_blas_handle", "current_blaslt_handle", "current_solver_handle"])
def test_handles_are_the_threads_own(name: str) -> None:
    handle = getattr(torch.musa, name)
    here = handle()
    assert here != 0 and handle() == here
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(handle()))
    other.start()
    other.join()
    assert found and found[0] not in (0, here)


def test_functions_of_the_runtime() -> None:
    musart = torch.musa.musart()
    torch.musa.check_error(musart.musaError.success)
    torch.musa.check_error(0)
    torch.musa.check_error(musart.musaProfilerStart())
    torch.musa.check_error(musart.musaProfilerStop())
    memory = torch.empty(4096, dtype=torch.uint8)
    torch.musa.check_error(musart.musaHostRegister(memory.data_ptr(), memory.nbytes, 0))
    assert memory.is_pinned()
    torch.musa.check_error(musart.musaHostUnregister(memory.data_ptr()))
    assert not memory.is_pinned()
    status = musart.musaHostUnregister(memory.data_ptr())
    with pytest.raises(torch.musa.MusaError, match=rf"\({int(status)}\)") as caught:
        torch.musa.check_error(status)
    assert isinstance(caught.value, RuntimeError)
    assert musart.musaGetErrorString(status) in str(caught.value)
    torch.musa.synchronize()  # the error was handed over, and is not reported again

    handle = ctypes.c_void_p()
    torch.musa.check_error(musart.musaStreamCreate(ctypes.addressof(handle)))
    stream = torch.musa.get_stream_from_external(handle.value or 0)
    with torch.musa.stream(stream):
        doubled = torch.ones(3, device="musa") * 2
    stream.synchronize()
    assert doubled.tolist() == [2, 2, 2]
    torch.musa.check_error(musart.musaStreamDestroy(handle.value or 0))
    assert musart.musaMemGetInfo(0) == torch.musa.mem_get_info(0)
    assert torch.musa.musaStatus.ERROR_NOT_READY == int(musart.musaError.errorNotReady) == 600
    assert torch.musa.musaStatus.SUCCESS == torch.cuda.cudaStatus.SUCCESS


def test_mudnn_flags_are_put_back() -> None:
    mudnn = torch.backends.mudnn
    assert mudnn.version() >= 3000, "a number that can be compared, as torch_musa's tests do"
    assert not mudnn.is_available(), "this build computes nothing with it"
    before = mudnn.allow_tf32
    assert mudnn.set_flags(True) == (before,) and mudnn.allow_tf32 is True
    assert mudnn.set_flags(None) == (True,) and mudnn.allow_tf32 is True
    assert mudnn.set_flags(_allow_tf32=False) == (True,)
    with mudnn.flags(allow_tf32=True):
        assert mudnn.allow_tf32 is True
    assert mudnn.allow_tf32 is False
    mudnn.set_flags(before)


def test_forked_generators() -> None:
    torch.musa.manual_seed(3)
    with torch.musa.fork_rng():
        inside = torch.rand(4, device="musa")
    with torch.musa.fork_rng(devices=["musa:0"]):
        torch.musa.manual_seed(99)
        torch.rand(9, device="musa")
    assert torch.equal(torch.rand(4, device="musa"), inside)
    with torch.musa.fork_rng(enabled=False):
        torch.rand(4, device="musa")
    torch.musa.manual_seed(3)
    assert torch.equal(torch.rand(4, device="musa"), inside)


def test_ranges_with_names_are_the_profilers() -> None:
    nvtx = torch.musa.nvtx
    assert nvtx.__all__ == sorted(torch.cuda.nvtx.__all__)
    with torch.profiler.profile() as profile:
        assert (nvtx.range_push("outer"), nvtx.range_push("inner")) == (0, 1)
        torch.ones(3, device="musa")
        assert (nvtx.range_pop(), nvtx.range_pop(), nvtx.range_pop()) == (1, 0, -1)
        with nvtx.range("filled {}", "in"):
            nvtx.mark("a moment")
        nvtx.range_end(nvtx.range_start("apart"))
    names = [event.name for event in profile.events()]
    assert {"outer", "inner", "filled in", "a moment", "apart"} <= set(names)


def test_sensors() -> None:
    free, total = torch.musa.mem_get_info()
    assert 0 <= torch.musa.device_memory_used() <= total and abs(torch.musa.device_memory_used() - total + free) < 2**26
    kept = torch.empty(2**20, dtype=torch.uint8, device="musa")
    assert f"{os.getpid()} uses" in torch.musa.list_gpu_processes() and kept.nbytes == 2**20
    for name in ("utilization", "memory_usage", "temperature", "power_draw", "clock_rate"):
        with pytest.raises(RuntimeError, match="simulated MUSA device has no sensor"):
            getattr(torch.musa, name)()
        assert list(inspect.signature(getattr(torch.cuda, name)).parameters) == ["device"]


def test_small_answers() -> None:
    called: list[int] = []
    torch.musa._lazy_call(lambda: called.append(1))
    assert called == [1]
    assert torch.musa.has_half is True and torch.musa.has_magma is False
    assert torch.ones(2, dtype=torch.half, device="musa").sum().item() == 2
    assert torch.musa.ipc_collect() is None
    assert torch.musa.get_allocator_backend() == "native"
    assert torch.musa.streams.Stream is torch.musa.Stream


def test_memory_is_known_for_pinned_as_soon_as_it_is(run_python: RunPython) -> None:
    """Also if nothing was pinned before: PyTorch asks only devices that were initialised."""
    done = run_python(PROGRAMS / "registered_before_pinned.py")
    assert done.returncode == 0, done.stderr


def test_the_profilers_range_runs_its_block() -> None:
    done = []
    with torch.musa.profiler.profile():
        done.append(True)
    assert done == [True]
