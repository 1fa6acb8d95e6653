"""The model of write_dumps.py, dumped by a tool of Ascend's under that tool's name."""

import torch
from msprobe.pytorch import PrecisionDebugger

torch.manual_seed(1)
model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(4)])
debugger = PrecisionDebugger(dump_path="dump_npu", level="mix", model=model)
debugger.start()
model(torch.ones(2, 4)).sum().backward()
debugger.stop()
debugger.step()
