"""FusedLAMB with parameters of two types on two devices, against float32 on one."""

import torch
from torch_musa.optim import FusedLAMB

torch.manual_seed(1)
values = [torch.randn(30), torch.randn(4, 4), torch.randn(3)]
kinds = [("musa:0", torch.float16), ("musa:1", torch.float32), ("musa:0", torch.float32)]
placed = [torch.nn.Parameter(v.to(device, dtype)) for v, (device, dtype) in zip(values, kinds)]
single = [torch.nn.Parameter(v.to("musa")) for v in values]
for parameters in (placed, single):
    optimizer = FusedLAMB(parameters, lr=0.1)
    for p, v in zip(parameters, values):
        p.grad = v.cos().to(p.device, p.dtype)
    optimizer.step()
for got, expected in zip(placed, single):
    close = 2e-2 if got.dtype == torch.float16 else 1e-5  # averages of squares are small for half precision
    torch.testing.assert_close(got.float().cpu(), expected.cpu(), rtol=close, atol=close)
assert [p.dtype for p in placed] == [dtype for _, dtype in kinds]
