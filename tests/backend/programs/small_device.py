"""Operators of the command line that need more memory than the device has; other work continues after each."""

import sys

import torch
from torch.nn.functional import batch_norm, conv1d  # noqa: F401  (operators of the command line use them)

x = torch.ones(1, 2, 4_000_000, device="musa")  # 32 MB
for count, operator in enumerate(sys.argv[1:], 1):
    try:
        eval(operator)
        print("no error")
    except torch.OutOfMemoryError as error:
        print(error)
    torch.musa.empty_cache()
    assert torch.musa.memory_allocated() == 32_000_000, (operator, torch.musa.memory_allocated())
    assert torch.musa.memory_stats()["num_ooms"] == count
    y = x[..., :1_000_000].relu()
    assert y.sum().item() == 2_000_000 and torch.musa.memory_allocated() == 40_000_000
    del y
