import sys

import torch
import torch_musa  # noqa: F401

torch.ones(2, device="musa").sum().item()
compiler = {"torch._dynamo", "torch._inductor.codegen", "torch_musa._compile.dynamo"}
print(sorted(compiler & sys.modules.keys()))
import torch._dynamo  # noqa: E402  the moment is what is tested

print("torch_musa._compile.dynamo" in sys.modules, "torch_musa._compile.inductor" in sys.modules)
loader = torch._dynamo.__loader__
print("exec_module" in vars(loader), "register" in loader.get_source("torch._dynamo"))
