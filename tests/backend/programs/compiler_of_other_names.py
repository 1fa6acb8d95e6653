import warnings

import torch
from torch_musa._compile import registration


def unknown():
    raise ImportError("no such table")


registration._STEPS["torch._dynamo"] = unknown
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    f = torch.compile(lambda x: x * 2, backend="eager")
    print(f(torch.ones(1, device="musa")).item())
print([str(warning.message) for warning in said if "torch_musa" in str(warning.message)])
