"""Whether torch.musa is initialized before and after each use of the command line, in a process of its own."""

import io
import os
import sys

import torch

file = io.BytesIO()
torch.save(torch.ones(1), file)
saved = file.getvalue()
print(len(torch.musa.default_generators), torch.musa.device_count(), torch.musa.is_available())
torch.manual_seed(1)
for use in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        before = (torch.musa._initialized, torch.musa.is_initialized())
        eval(use)
        after = (torch.musa._initialized, torch.musa.is_initialized())
        os._exit(0 if before == (False, False) and after == (True, True) else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), end=" ")
torch.ones(1, device="musa")
child = os.fork()
if child == 0:
    os._exit(7 if not torch.musa._initialized and not torch.musa.is_initialized() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
