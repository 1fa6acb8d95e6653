"""An event belongs to the device on which it was recorded; times of two devices cannot be subtracted."""

import torch

events = [torch.musa.Event(enable_timing=True) for _ in range(3)]
assert events[0].device is None
for event, device in zip(events, (0, 1, 0)):
    event.record(torch.musa.current_stream(device))
assert [event.device for event in events] == [torch.device("musa", index) for index in (0, 1, 0)]
torch.musa.synchronize(0), torch.musa.synchronize(1)
assert events[0].elapsed_time(events[2]) >= 0
try:
    events[0].elapsed_time(events[1])
except RuntimeError as error:
    assert str(error) == "Expected two events of one device, but got one of musa:0 and one of musa:1"
else:
    raise AssertionError("not refused")
