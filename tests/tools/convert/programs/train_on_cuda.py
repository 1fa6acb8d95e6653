"""Train on CUDA: a script to convert."""

from __future__ import annotations

import argparse
import os

import torch
from torch.cuda import amp
from torch.cuda.amp import GradScaler as Scaler

os.environ.setdefault("NCCL_DEBUG", "WARN")
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
options = parser.parse_args()
device = torch.device(options.device)
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.cuda.manual_seed_all(3)

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scaler = Scaler(enabled=device.type == "cuda")
for _ in range(2):
    with amp.autocast(enabled=True), torch.autocast("cuda", dtype=torch.float16):
        loss = model(torch.rand(8, 4, device=f"cuda:{0}")).float().square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
torch.cuda.synchronize()
torch.save(model.state_dict(), "model_cuda.pt")
state = torch.load("model_cuda.pt", map_location={"cuda:0": "cuda:0"})
assert all(value.is_cuda for value in state.values()) and scaler.is_enabled()
print(f"{device} {torch.cuda.device_count()} {torch.cuda.memory_allocated() > 0}")
