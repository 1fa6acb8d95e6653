# expect self_musa_time_total=True
# expect musa_time_total=True
# expect musa_time=True
"""The names that torch_musa's profiler has for the time on the device."""

from torch_probe import fact, torch_with_musa, undecided

torch = torch_with_musa()
activity = getattr(torch.profiler.ProfilerActivity, "MUSA", None) or torch.profiler.ProfilerActivity.PrivateUse1
x = torch.ones(1000, device="musa")
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, activity]) as profile:
    (x * 2 + 1).sum()
    torch.musa.synchronize()
events = profile.key_averages()
if not events:
    undecided("the profiler saw nothing")
for name in ("self_musa_time_total", "musa_time_total", "musa_time"):
    fact(name, hasattr(events[0], name))
