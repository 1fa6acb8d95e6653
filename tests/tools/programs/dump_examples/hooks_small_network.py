import torch
from networks import Small as ModuleOP
from torch_npu.hooks import register_hook, seed_all, set_dump_path, wrap_acc_cmp_hook

module = ModuleOP()
register_hook(module, wrap_acc_cmp_hook)
seed_all()
x = torch.randn(2, 2)
set_dump_path("./cpu_module_op.pkl")
out = module(x)
loss = out.sum()
loss.backward()
module.musa()
x = x.musa()
set_dump_path("./npu_module_op.pkl")
out = module(x)
loss = out.sum()
loss.backward()
