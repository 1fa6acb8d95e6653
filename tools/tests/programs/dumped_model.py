import sys

import torch

from musa_tools.other_tools.msprobe import PrecisionDebugger

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
if sys.argv[2] == "wrong":
    model[2].weight.data[0, 0] += 1
debugger = PrecisionDebugger(dump_path=sys.argv[1], level="mix", task="tensor", model=model)
debugger.start()
model(torch.ones(4, 8)).sum().backward()
debugger.stop()
debugger.step()
