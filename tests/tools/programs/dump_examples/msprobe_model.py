import torch
from msprobe.pytorch import PrecisionDebugger
from networks import Wide as ModuleOP

torch.musa.set_device("musa:0")
module = ModuleOP().musa()
debugger = PrecisionDebugger("./config.json", model=module)
debugger.start()
x = torch.randn(10, 8, device="musa")
out = module(x)
loss = out.sum()
loss.backward()
debugger.stop()
