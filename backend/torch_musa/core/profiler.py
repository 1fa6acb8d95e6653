"""torch.profiler on musa devices: times under musa's names, and a warning for releases that cannot show the device.

The events come from csrc/profiler. PyTorch names their times device_time_total and so on. Scripts for torch_musa use
musa_time_total, as those for CUDA use cuda_time_total.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

import torch
from torch.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from torch.profiler import ProfilerActivity

# torch's profiler has no annotations to speak of
# mypy: disable-error-code="no-untyped-call"

STACKS_METRIC = "self_musa_time_total"
MUSA_NAMES = {
    "musa_time": "device_time",
    "musa_time_total": "device_time_total",
    "self_musa_time_total": "self_device_time_total",
    "musa_memory_usage": "device_memory_usage",
    "self_musa_memory_usage": "self_device_memory_usage",
}
"""Names of an event's attributes -> PyTorch's names of them for any device."""


def add_musa_names() -> None:
    """Add musa's names of times to events, to the columns of tables and to exported stacks, and the activity MUSA.

    PyTorch 2.13 calls the activity by the name of the device itself; PyTorch 2.8 does not.
    """
    if not hasattr(ProfilerActivity, "MUSA"):
        ProfilerActivity.MUSA = ProfilerActivity.PrivateUse1
    for name, general in MUSA_NAMES.items():
        setattr(FunctionEvent, name, property(attrgetter(general)))
        setattr(FunctionEventAvg, name, property(attrgetter(general)))
    known_metrics = EventList.supported_export_stacks_metrics

    @functools.wraps(known_metrics)
    def supported_export_stacks_metrics(self: EventList) -> list[str]:
        return [*known_metrics(self), STACKS_METRIC]

    EventList.supported_export_stacks_metrics = supported_export_stacks_metrics


def choose_events(device_events: bool) -> None:
    """Make profilers of musa devices show the events of csrc/profiler.

    torch.autograd.profiler.profile(use_device="musa") without `use_kineto` asks for a profiler of an older kind, which
    does not exist for musa and would be an internal error of PyTorch. So `use_kineto` is set.

    Args:
        device_events: Whether this PyTorch can show events of the device. If not, only those of the CPU are shown, with
            a warning.
    """
    profile = torch.autograd.profiler.profile
    initialize = profile.__init__

    @functools.wraps(initialize)
    def initialize_for_musa(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("use_device") == "musa":
            if device_events:
                kwargs["use_kineto"] = True
            else:
                _warn_of_cpu_events()
                kwargs["use_device"] = None
        initialize(self, *args, **kwargs)

    profile.__init__ = initialize_for_musa


@functools.cache
def _warn_of_cpu_events() -> None:
    warnings.warn(
        f"torch.profiler shows no events of musa devices, only those of the CPU: PyTorch {torch.__version__} lets no "
        "device bring its own profiler. PyTorch 2.13 does",
        stacklevel=3,
    )


def start() -> None:
    """Do nothing: torch.cuda's function tells a tool outside of the process to collect, and there is none here."""


def stop() -> None:
    """Do nothing, as start."""


@contextmanager
def profile() -> Iterator[None]:
    """Return a context manager that starts and stops it."""
    start()
    try:
        yield
    finally:
        stop()
