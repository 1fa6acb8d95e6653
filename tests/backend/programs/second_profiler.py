"""A profiler that begins while another one records sees the CPU alone."""

import ctypes

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.ones(3, device="musa")
assert ctypes.CDLL("libmusart.so.5").musa_sim_activity_start(2) == 0  # MUSA_SIM_ACTIVITY_VERSION
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.MUSA]) as profiler:
    x.neg()
assert "aten::neg" in [e.name for e in profiler.events()]
assert all(e.device_type.name == "CPU" for e in profiler.events())
