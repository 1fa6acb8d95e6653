import os

import torch

torch.ones(1, device="musa")
child = os.fork()
if child == 0:
    try:
        torch.ones(1, device="musa")
    except RuntimeError as error:
        os._exit(0 if "forked subprocess" in str(error) else 2)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), torch.ones(1, device="musa").item())
