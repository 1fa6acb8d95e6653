"""Snapshots with stacks, histories, pictures of them, and observers of running out of memory."""

from __future__ import annotations

import gc
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from .conftest import PROGRAMS, RunPython

MEMORY = torch.musa.memory
ELEMENTS = 311 * 411


@pytest.fixture(autouse=True)
def nothing_recorded_of_others() -> Iterator[None]:
    gc.collect()  # memory of other tests would be freed while these record
    yield
    MEMORY._record_memory_history(None)


def block_of(tensor: torch.Tensor) -> dict[str, Any]:
    blocks = [block for segment in MEMORY._snapshot()["segments"] for block in segment["blocks"]]
    (found,) = [block for block in blocks if block["address"] == tensor.data_ptr()]
    return dict(found)


def actions() -> list[str]:
    return [event["action"] for event in MEMORY._snapshot()["device_traces"][0]]


def files(frames: list[dict[str, Any]]) -> list[str]:
    return [Path(frame["filename"]).name for frame in frames]


def test_a_block_tells_who_allocated_it() -> None:
    before = torch.empty(8, device="musa")
    MEMORY._record_memory_history("state", stacks="python")
    tensor = torch.rand(ELEMENTS, device="musa")
    block = block_of(tensor)
    assert block["requested_size"] == block["size"] == tensor.nbytes and block["state"] == "active_allocated"
    frame = block["frames"][0]
    assert Path(frame["filename"]).name == "test_memory_history.py"
    assert frame["name"] == "test_a_block_tells_who_allocated_it" and frame["line"] > 0
    assert block_of(before)["frames"] == []


def test_stacks_have_frames_of_cpp_if_they_are_wanted() -> None:
    MEMORY._record_memory_history("state", stacks="all")
    tensor = torch.rand(ELEMENTS, device="musa")
    frames = block_of(tensor)["frames"]
    assert any("::rand" in frame["name"] for frame in frames)
    assert "test_memory_history.py" in files(frames)


def test_a_history_has_every_event_with_its_stack() -> None:
    MEMORY._record_memory_history("all", stacks="python", clear_history=True)
    tensor = torch.empty(ELEMENTS, device="musa")
    address = tensor.data_ptr()
    del tensor
    events = MEMORY._snapshot()["device_traces"][0]
    assert [e["action"] for e in events] == [
        "segment_alloc",
        "alloc",
        "free_requested",
        "free_completed",
        "segment_free",
    ]
    assert {e["addr"] for e in events} == {address} and {e["size"] for e in events} == {4 * ELEMENTS}
    assert all("test_memory_history.py" in files(event["frames"]) for event in events)
    assert [e["time_us"] for e in events] == sorted(e["time_us"] for e in events)


@pytest.mark.parametrize(("context", "block", "alloc", "free"), [
    (None, False, False, False), ("state", True, False, False), ("alloc", True, True, False), ("all", True, True, True),
])  # fmt: skip
def test_the_context_says_what_stacks_are_kept_for(context: object, block: bool, alloc: bool, free: bool) -> None:
    MEMORY._record_memory_history("all", context=context, stacks="python", clear_history=True)
    kept = torch.empty(ELEMENTS, device="musa")
    gone = torch.empty(8, device="musa")
    del gone
    events = {event["action"]: event for event in MEMORY._snapshot()["device_traces"][0]}
    assert bool(block_of(kept)["frames"]) == block
    assert bool(events["alloc"]["frames"]) == alloc
    assert bool(events["free_completed"]["frames"]) == free


def test_a_history_is_as_long_as_requested() -> None:
    MEMORY._record_memory_history("all", max_entries=3, clear_history=True)
    for _ in range(4):
        torch.empty(8, device="musa")
    assert actions() == ["free_requested", "free_completed", "segment_free"]
    MEMORY._record_memory_history("state", clear_history=True)
    torch.empty(8, device="musa")
    assert actions() == ["segment_free"]


def test_none_forgets_and_records_no_more() -> None:
    MEMORY._record_memory_history()
    torch.empty(8, device="musa")
    assert actions()
    MEMORY._record_memory_history(None)
    tensor = torch.empty(8, device="musa")
    assert actions() == [] and block_of(tensor)["frames"] == []


@pytest.mark.parametrize("wrong", [{"enabled": "some"}, {"context": "none"}, {"stacks": "cpp"}])
def test_other_words_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(RuntimeError, match=f"Expected {next(iter(wrong))} to be one of .*, but got: '\\w+'"):
        MEMORY._record_memory_history(**wrong)


def test_the_older_form_is_refused() -> None:
    with pytest.raises(TypeError, match="older form"):
        MEMORY._record_memory_history(True)


def test_running_out_of_memory_is_an_event() -> None:
    MEMORY._record_memory_history("all", stacks="python", clear_history=True)
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(1 << 50, device="musa")
    (event,) = MEMORY._snapshot()["device_traces"][0]
    assert event["action"] == "oom" and event["size"] == 4 << 50 and "test_memory_history.py" in files(event["frames"])


@pytest.mark.slow
def test_a_snapshot_of_one_device_has_nothing_of_others(run_python: RunPython) -> None:
    done = run_python(
        PROGRAMS / "snapshots_of_two_devices.py",
        MUSA_SIM_DEVICES="2",
    )
    assert done.returncode == 0, done.stderr


def test_threads_record_at_once() -> None:
    """Each takes Python's lock for its stack and the allocator's own: no two may wait for each other."""
    MEMORY._record_memory_history("all", clear_history=True)

    def work() -> None:
        for _ in range(200):
            torch.rand(4, device="musa").neg().sum()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        MEMORY._snapshot()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    taken = actions()
    assert taken.count("alloc") == taken.count("free_completed") >= 4 * 200 * 3


def test_snapshots_go_to_pytorchs_viewer(tmp_path: Path) -> None:
    MEMORY._record_memory_history("all", stacks="python")
    kept = torch.empty(ELEMENTS, device="musa")
    MEMORY._dump_snapshot(str(tmp_path / "dump.pickle"))
    dumped = pickle.loads((tmp_path / "dump.pickle").read_bytes())
    assert any(segment["address"] == kept.data_ptr() for segment in dumped["segments"])
    from torch.cuda._memory_viz import trace_plot

    assert "<script" in trace_plot(dumped)


def test_pictures_show_who_uses_memory(tmp_path: Path) -> None:
    MEMORY._record_memory_history("state", stacks="python")
    kept = torch.empty(ELEMENTS, device="musa")
    for save in (MEMORY._save_segment_usage, MEMORY._save_memory_usage):
        save(str(tmp_path / "picture.svg"))
        picture = (tmp_path / "picture.svg").read_text()
        assert (
            picture.startswith("<svg") and "test_memory_history.py" in picture and f"{kept.nbytes:,} bytes" in picture
        )


def test_observers_are_called_before_the_error(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "out_of_memory_observers.py")
    assert done.returncode == 0 and done.stdout == "raised\n", done.stderr
