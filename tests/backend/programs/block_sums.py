import sys

import torch

torch.ops.load_library(sys.argv[1])
x = torch.arange(1024.0, device="musa")
for by_properties in (False, True):
    total, outside = torch.zeros(1, device="musa"), torch.zeros(1, dtype=torch.int32, device="musa")
    torch.ops.musa_probe.launch_block_sum(x, total, outside, by_properties)
    print(int(total.item()), outside.item(), end=" ")
print(torch.musa.get_device_properties().warp_size, torch.ops.musa_probe.c10_warp_size())
