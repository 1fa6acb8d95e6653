import sys

import torch

torch.ops.load_library(sys.argv[1])
print(torch.ops.musa_probe.device_guarded(1), torch.musa.current_device())
print(torch.ops.musa_probe.exchange_and_wait(1), torch.musa.current_device())
x = torch.ones(300, device="musa:1")
y = torch.zeros_like(x)
torch.ops.musa_probe.launch_scale(x, y, 3.0)
torch.musa.synchronize(1)
print(y.sum().item(), torch.musa.current_device())
