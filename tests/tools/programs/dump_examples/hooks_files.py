import torch
from networks import Small as ModuleOP
from torch_npu.hooks import register_hook, schedule, step_schedule, wrap_async_datadump_hook

module = ModuleOP()
step_schedule.reset_step()
module.musa()
register_hook(module, wrap_async_datadump_hook, path="./output", schedule=schedule(1, 2))
for _ in range(4):
    module(torch.randn(2, 2).musa()).sum().backward()
    step_schedule.step()
