"""Tensors of two devices: copies, the current device, gradients, and the error if they are mixed."""

import torch

a = torch.randn(5, device="musa:1")
assert a.device == torch.device("musa", 1) and (a + 1).device.index == 1
with torch.musa.device(1):
    assert torch.empty(1, device="musa").device.index == 1
    with torch.musa.device("musa:0"):
        assert torch.empty(1, device="musa").device.index == 0
    assert torch.musa.current_device() == 1
assert torch.musa.current_device() == 0
with torch.musa.device_of(a):
    assert torch.musa.current_device() == 1
with torch.device("musa:1"):
    assert torch.zeros(2).device.index == 1
b = a.to("musa:0")
assert b.device.index == 0 and torch.equal(a.cpu(), b.cpu())
assert torch.equal(a[::2].to("musa:0", torch.float64).cpu(), a.cpu()[::2].double())
try:
    a + b
except RuntimeError as error:
    assert "same device" in str(error) and "musa:1" in str(error) and "musa:0" in str(error), error
else:
    raise AssertionError("tensors of two devices were added")
x = torch.ones(3, device="musa:1", requires_grad=True)
(x.to("musa:0") * b[:3]).sum().backward()
assert x.grad.device.index == 1 and torch.equal(x.grad.cpu(), b[:3].cpu())
assert torch.musa.memory_allocated(1) > 0 and torch.musa.can_device_access_peer(0, 1)
torch.nn.Linear(2, 2).to("musa:1")(torch.ones(1, 2, device="musa:1")).sum().backward()
print("done")
