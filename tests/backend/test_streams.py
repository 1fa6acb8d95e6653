"""Streams and events."""

from __future__ import annotations

import pytest
import torch

from .conftest import PROGRAMS, RunPython


def test_current_stream_follows_the_context() -> None:
    default = torch.musa.current_stream()
    assert default == torch.musa.default_stream() and default.musa_stream == 0
    side = torch.musa.Stream()
    with torch.musa.stream(side):
        assert torch.musa.current_stream() == side and side.musa_stream != 0
        y = torch.ones(3, device="musa") * 2
        with torch.musa.stream(None):
            assert torch.musa.current_stream() == side
    assert torch.musa.current_stream() == default
    if torch.__version__ >= (2, 6):  # before, torch.Stream was no context
        with side:
            assert torch.musa.current_stream() == side
    side.synchronize()
    assert side.query() and y.tolist() == [2, 2, 2]


def test_streams_are_distinct() -> None:
    first, second = torch.musa.Stream(), torch.musa.Stream(priority=-1)
    assert first != second and first.musa_stream != second.musa_stream
    assert first.priority == 0 and second.priority < 0
    same = torch.musa.ExternalStream(first.musa_stream)
    assert same.musa_stream == first.musa_stream
    assert "device=musa:0" in repr(first)


def test_waiting() -> None:
    producer, consumer = torch.musa.Stream(), torch.musa.Stream()
    with torch.musa.stream(producer):
        x = torch.full((1000,), 3.0, device="musa")
        done = producer.record_event()
    consumer.wait_event(done)
    with torch.musa.stream(consumer):
        y = x + 1
    torch.musa.current_stream().wait_stream(consumer)
    y.record_stream(torch.musa.current_stream())
    assert (y.cpu() == 4).all() and done.query()


@pytest.mark.parametrize("kind", ["torch.musa.Event", "torch.Event"])
def test_events_measure_time(kind: str) -> None:
    def make() -> torch.Event:
        if kind == "torch.Event":
            return torch.Event("musa", enable_timing=True)
        return torch.musa.Event(enable_timing=True)

    start, middle, end = make(), make(), make()
    start.record()
    torch.ones(10, device="musa").sum()
    middle.record()
    torch.ones(200_000, device="musa").sin().sum()
    end.record()
    end.synchronize()
    assert start.query() and end.query()
    assert 0 < start.elapsed_time(middle) < start.elapsed_time(end)


def test_event_never_recorded() -> None:
    event, other = torch.musa.Event(enable_timing=True), torch.musa.Event(enable_timing=True)
    assert event.query()
    event.synchronize()
    event.wait(torch.musa.current_stream())
    with pytest.raises(RuntimeError, match="must be recorded"):
        event.elapsed_time(other)


def test_event_without_timing() -> None:
    start, end = torch.musa.Event(), torch.musa.Event()
    start.record()
    end.record()
    with pytest.raises(RuntimeError, match=r"MUSA error|timing"):
        start.elapsed_time(end)
    assert torch.ones(1, device="musa").item() == 1


def test_non_blocking_copies() -> None:
    host = torch.randn(10_000).pin_memory()
    stream = torch.musa.Stream()
    with torch.musa.stream(stream):
        device = host.to("musa", non_blocking=True)
        back = torch.empty_like(host).pin_memory()
        back.copy_(device * 2, non_blocking=True)
    stream.synchronize()
    assert torch.equal(back, host * 2)


def test_an_event_has_the_device_that_it_was_recorded_on(run_python: RunPython) -> None:
    done = run_python(
        PROGRAMS / "events_of_two_devices.py",
        MUSA_SIM_DEVICES="2",
    )
    assert done.returncode == 0, done.stderr
