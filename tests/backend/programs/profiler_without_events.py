"""torch.profiler of a PyTorch that takes no events of devices."""

import warnings

import torch
from torch.profiler import ProfilerActivity, profile
from torch_musa.core import profiler

profiler.choose_events(device_events=False)
x = torch.ones(3, device="musa")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for activities in ([ProfilerActivity.CPU, ProfilerActivity.MUSA], None):
        with profile(activities=activities) as seen:
            x.neg()
        assert "aten::neg" in [e.name for e in seen.events()]
        assert all(e.device_type.name == "CPU" for e in seen.events())
        seen.key_averages().table(sort_by="self_musa_time_total")
messages = [w for w in caught if "no events of musa devices" in str(w.message)]
assert len(messages) == 1, [str(w.message) for w in caught]
assert torch.__version__ in str(messages[0].message)
