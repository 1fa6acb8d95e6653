"""Run common_api.py in the working directory and check its results; the argument is the number of devices."""

import runpy
import sys

import torch

names = runpy.run_path("common_api.py")
count, devices = torch.musa.device_count(), int(sys.argv[1])
assert torch.musa.is_available() and count == devices, count
assert all(names[name].is_musa for name in "abcd")
torch.testing.assert_close(names["d"].cpu(), torch.tensor([1.2 + 1.8 + 1.8, 2.3 + 1.2 + 1.3]))
assert torch.musa.current_device() == devices - 1
