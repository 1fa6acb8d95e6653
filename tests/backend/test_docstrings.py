"""The public names of torch.musa have docstrings of their own: `help()` is the reference of the device."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch

MUSA = torch.musa
MODULES = (MUSA, *(module for module in vars(MUSA).values() if isinstance(module, ModuleType)))


def own(thing: object) -> bool:
    return (inspect.getmodule(thing) or MUSA).__name__.startswith("torch_musa.")


def public_names() -> Iterator[tuple[str, object]]:
    for module in MODULES:
        for name, thing in vars(module).items():
            if name.startswith("_") or not callable(thing) or not own(thing):
                continue
            yield f"{module.__name__}.{name}", thing
            if isinstance(thing, type):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, (property, staticmethod))):
                        yield f"{module.__name__}.{name}.{member}", value


def test_public_names_have_docstrings() -> None:
    names = dict(public_names())
    assert {"torch_musa.memory_allocated", "torch_musa.Stream", "torch_musa.Stream.musa_stream"} <= names.keys()
    assert [name for name, thing in names.items() if not (vars_doc(thing) or "").strip()] == []


def vars_doc(thing: object) -> str | None:
    """Return the docstring that the thing has itself: `inspect.getdoc` would take that of a base class."""
    return vars(thing).get("__doc__") if isinstance(thing, type) else thing.__doc__


@pytest.mark.parametrize("name", ["musa", "musa:0", 0, torch.device("musa"), None])
def test_a_device_may_be_given_in_each_form(name: object) -> None:
    assert MUSA.memory_allocated(name) == MUSA.memory_allocated(0)


def test_errors_that_the_docstrings_promise() -> None:
    with pytest.raises(ValueError, match="Expected a musa device"):
        MUSA.memory_allocated("cpu")
    calls = (MUSA.set_device, MUSA.synchronize, MUSA.get_device_properties, MUSA.memory_stats, MUSA.mem_get_info)
    streams = (MUSA.Stream, MUSA.current_stream, MUSA.default_stream, lambda device: MUSA.ExternalStream(0, device))
    for call in (*calls, *streams, lambda device: MUSA.get_stream_from_external(0, device)):
        with pytest.raises(RuntimeError, match="Invalid MUSA device index 99"):
            call(99)
    with pytest.raises(RuntimeError), MUSA.device(99):
        pass
    with pytest.raises(RuntimeError, match="16 bytes"):
        MUSA.set_rng_state(torch.zeros(5, dtype=torch.uint8))
    with pytest.raises(TypeError):
        MUSA.set_rng_state(MUSA.get_rng_state().float())
    with pytest.raises(RuntimeError, match="must be recorded"):
        MUSA.Event(enable_timing=True).elapsed_time(MUSA.Event(enable_timing=True))
    with pytest.raises(NotImplementedError):
        MUSA.Event(interprocess=True)


def test_a_state_of_a_generator_has_the_shape_that_the_docstring_says() -> None:
    state = MUSA.get_rng_state()
    assert (state.shape, state.dtype, state.device.type) == ((16,), torch.uint8, "cpu")
