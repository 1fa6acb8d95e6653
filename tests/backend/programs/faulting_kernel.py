"""A fault on the device is an error, again in later calls, and the process continues."""

import sys

import torch

torch.ops.load_library(sys.argv[1])
x = torch.ones(4, device="musa")
try:
    torch.ops.musa_probe.fault(x)
    torch.musa.synchronize()
except RuntimeError as error:
    print("caught", error)
try:
    print(x + 1)
except RuntimeError as error:
    print("still", error)
print("alive", torch.ones(2).sum().item())
