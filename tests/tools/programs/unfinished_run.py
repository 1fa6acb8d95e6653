"""Four steps that are dumped; the last one ends as the second argument says."""

import os
import signal
import sys

import torch

from musa_tools.other_tools.msprobe import PrecisionDebugger

debugger = PrecisionDebugger(dump_path=sys.argv[1], task=sys.argv[3])
for step in range(4):
    debugger.start()
    x = torch.ones(3, requires_grad=True)
    y = torch.exp(x)
    if step == 3:
        if sys.argv[2] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if sys.argv[2] == "raise":
            raise ValueError("the user's")
    y.sum().backward()
    debugger.stop()
    debugger.step()
