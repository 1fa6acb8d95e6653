from pathlib import Path

import torch
from networks import Small as ModuleOP
from torch_npu.hooks import register_hook, schedule, step_schedule, wrap_acc_cmp_hook

module = ModuleOP()
register_hook(module, wrap_acc_cmp_hook, schedule=schedule(4, 10, 2))
dump = Path("dump.pkl")


def lines() -> int:
    return len(dump.read_text().splitlines()) if dump.exists() else 0


grown = []
for _ in range(2):
    step_schedule.reset_step()
    for step in range(12):
        before = lines()
        output = module(torch.randn(2, 2))
        loss = output.sum()
        loss.backward()
        if lines() > before:
            grown.append(step)
        step_schedule.step()
