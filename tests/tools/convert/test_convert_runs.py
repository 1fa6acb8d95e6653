"""A training script for CUDA, converted, runs on the simulated device; so does torch_musa's name of the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from musa_tools.convert.command_line import main

pytestmark = pytest.mark.compiles  # `musa` is compiled code

SCRIPT = '''"""Train."""
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
for step in range(2):
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
'''


@pytest.mark.slow
def test_a_converted_script_runs(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    assert main(["-r", str(tmp_path), "-l", str(script), "--strict"]) == 0
    done = subprocess.run([sys.executable, script.name], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("musa:0 ") and done.stdout.endswith(" True\n")


@pytest.mark.slow
def test_torch_musas_name_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    command = [sys.executable, "-m", "torch_musa.utils.musa_converter", "-r", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Scripts conversion done!!!" in done.stderr, done.stderr
    assert (tmp_path / "a.py").read_text() == "import torch\ntorch.musa.synchronize()\n"
