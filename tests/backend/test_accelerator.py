"""torch.accelerator and the generic torch.Stream and torch.Event on musa."""

from __future__ import annotations

import inspect

import pytest
import torch

from .conftest import IS_OLDER_TORCH, PROGRAMS, RunPython

CALLS = {
    "current_accelerator": ("torch.accelerator.current_accelerator()", "musa"),
    "current_device_idx": ("torch.accelerator.current_device_idx()", "0"),
    "current_device_index": ("torch.accelerator.current_device_index()", "0"),
    "current_stream": ("torch.accelerator.current_stream() == torch.musa.default_stream()", "True"),
    "device_count": ("torch.accelerator.device_count()", "2"),
    "device_index": ("torch.accelerator.device_index(1).__enter__(), torch.musa.current_device()", "(None, 1)"),
    "empty_cache": ("torch.accelerator.empty_cache()", "None"),
    "empty_host_cache": ("torch.accelerator.empty_host_cache()", "None"),
    "get_device_capability": ("len(torch.accelerator.get_device_capability()['supported_dtypes']) > 15", "True"),
    "get_memory_info": ("torch.accelerator.get_memory_info() == torch.musa.mem_get_info()", "True"),
    "is_available": ("torch.accelerator.is_available()", "True"),
    "max_memory_allocated": ("torch.accelerator.max_memory_allocated() == torch.musa.max_memory_allocated()", "True"),
    "max_memory_reserved": ("torch.accelerator.max_memory_reserved() == torch.musa.max_memory_reserved()", "True"),
    "memory_allocated": ("torch.accelerator.memory_allocated() == torch.musa.memory_allocated()", "True"),
    "memory_reserved": ("torch.accelerator.memory_reserved() == torch.musa.memory_reserved()", "True"),
    "memory_stats": ("torch.accelerator.memory_stats()['num_ooms']", "0"),
    "reset_accumulated_memory_stats": ("torch.accelerator.reset_accumulated_memory_stats()", "None"),
    "reset_peak_memory_stats": ("torch.accelerator.reset_peak_memory_stats()", "None"),
    "set_device_idx": ("torch.accelerator.set_device_idx(1), torch.musa.current_device()", "(None, 1)"),
    "set_device_index": ("torch.accelerator.set_device_index(1), torch.musa.current_device()", "(None, 1)"),
    "set_stream": ("torch.accelerator.set_stream(torch.Stream('musa:1')), torch.musa.current_device()", "(None, 1)"),
    "synchronize": ("torch.accelerator.synchronize()", "None"),
    "Graph": ("torch.accelerator.Graph().reset()", "None"),
    # calls without a musa form say so, and do not crash
    "a stream of no device": ("torch.Stream('musa:7')", "RuntimeError: Invalid MUSA device index 7"),
    "pinned memory": ("torch.ones(3).pin_memory().is_pinned()", "True"),
    "stream": ("torch.Stream().query(), torch.Stream(device='musa:1').device", "(True, device(type='musa', index=1))"),
    "stream that waits": (
        "s := torch.Stream(), e := s.record_event(), torch.Stream().wait_event(e), e.wait(s), e.query()",
        "True)",
    ),
    "native handle": ("isinstance(torch.Stream().native_handle, int)", "True"),
    "event": ("torch.Event().query(), torch.Event('musa').synchronize(), torch.Event().record()", "(True, None, None)"),
    "time": (
        "a := torch.Event(enable_timing=True), b := torch.Event(enable_timing=True), a.record(), b.record(), "
        "b.synchronize(), a.elapsed_time(b) >= 0",
        "True)",
    ),
}


def test_every_function_of_the_accelerator_is_called_here() -> None:
    public = {name for name in dir(torch.accelerator) if not name.startswith("_")}
    imported = {"Any", "Optional", "cache", "deprecated", "torch", "graphs", "memory"}
    assert public - imported <= CALLS.keys()
    memory = getattr(torch.accelerator, "memory", torch.accelerator)
    of_memory = {name for name, value in vars(memory).items() if inspect.isfunction(value)}
    assert {name for name in of_memory if not name.startswith("_")} <= CALLS.keys()


@pytest.mark.parametrize(
    "first",
    [pytest.param("", marks=pytest.mark.slow, id="unused"), pytest.param("torch.ones(2, device='musa')", id="used")],
)
def test_calls_neither_crash_nor_guess(first: str, run_python: RunPython) -> None:
    """Each in a process of its own, as the first thing done with the device and after others."""
    calls = {name: call for name, call in CALLS.items() if not (IS_OLDER_TORCH and is_absent(name, call[0]))}
    done = run_python(
        PROGRAMS / "calls_in_children.py", first or "pass", *(call for call, _ in calls.values()), MUSA_SIM_DEVICES="2"
    )
    found = dict(zip(calls, done.stdout.splitlines()))
    assert len(found) == len(calls), done.stdout + done.stderr
    wrong = {name: found[name] for name, (_, wanted) in calls.items() if not matches(found[name], wanted)}
    assert not wrong


def is_absent(name: str, call: str) -> bool:
    """Return True for a function that this PyTorch does not have."""
    if "native_handle" in call:
        return not hasattr(torch.Stream, "native_handle")
    return f"torch.accelerator.{name}(" in call and not hasattr(torch.accelerator, name)


def matches(found: str, wanted: str) -> bool:
    """A wanted text that closes a tuple is its end, an error's begin suffices."""
    if wanted.endswith(")") and not wanted.startswith("("):
        return found.endswith(wanted)
    return found.startswith(wanted) if "Error: " in wanted else found == wanted


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_dtypes_of_the_capability_are_those_that_tensors_have() -> None:
    if not hasattr(torch.accelerator, "get_device_capability"):
        pytest.skip("PyTorch is older than torch.accelerator.get_device_capability")
    claimed = torch.accelerator.get_device_capability()["supported_dtypes"]
    assert {torch.float16, torch.bfloat16, torch.bool, torch.complex64, torch.float8_e4m3fn} <= claimed
    for dtype in claimed:
        tensor = torch.ones(3, device="musa").to(dtype)
        assert tensor.dtype == dtype and torch.empty(3, dtype=dtype, device="musa").device.type == "musa"
        assert tensor.to(torch.complex64 if dtype.is_complex else torch.float32).real.cpu().tolist() == [1, 1, 1], dtype
    assert torch.qint8 not in claimed
