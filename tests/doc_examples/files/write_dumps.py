"""Write a dump with tensors on the device, and one on the CPU, of the same model."""

import torch

from musa_tools.other_tools.msprobe import PrecisionDebugger

for device, folder in (("musa", "dump_musa"), ("cpu", "dump_cuda")):
    torch.manual_seed(1)
    model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(4)]).to(device)
    debugger = PrecisionDebugger(dump_path=folder, level="mix", task="tensor", model=model)
    debugger.start()
    model(torch.ones(2, 4, device=device)).sum().backward()
    debugger.stop()
    debugger.step()
