"""Four steps that are dumped; the last ends by a signal, before the layer of the second argument."""

import os
import signal
import sys

import torch
from torch import nn

from musa_tools.other_tools.msprobe import PrecisionDebugger

folder, calls_in_the_last_step = sys.argv[1], int(sys.argv[2])
torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(20)])
x = torch.randn(4, 8)
debugger = PrecisionDebugger(dump_path=folder, level="mix", model=model)
for step in range(4):
    debugger.start()
    h = x
    for number, layer in enumerate(model):
        if step == 3 and number == calls_in_the_last_step:
            os.kill(os.getpid(), signal.SIGKILL)
        h = layer(h)
    h.square().mean().backward()
    debugger.stop()
    debugger.step()
