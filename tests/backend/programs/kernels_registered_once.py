import ctypes
import pathlib
import sys

import torch

torch.ops.load_library(sys.argv[1] + "/libtorch_musa.so")
ctypes.CDLL(sys.argv[1] + "/../lib/libmusa_python.so")
import torch_musa  # noqa: E402, F401  after the libraries are loaded

files = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "musa" in line}
print(sorted(pathlib.Path(file).name for file in files if "/torch_musa/lib/" in file))
kernels = torch._C._dispatch_dump("aten::empty.memory_format")
print((torch.ones(2, device="musa") + 1).tolist(), kernels.count("\nPrivateUse1:"))
