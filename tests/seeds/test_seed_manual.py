"""The manual's variables of the environment (5.1), and its example programs 5.2 (common API) and 5.5 (mixed precision),
with their lost indentation put back.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]

VARIABLES = {
    "TORCH_SHOW_CPP_STACKTRACES": "1",
    "MUDNN_LOG_LEVEL": "INFO",
    "MUSA_VISIBLE_DEVICES": "0,1,2,3",
    "MUSA_LAUNCH_BLOCKING": "1",
}

CHECK_VARIABLES = """
import torch
assert torch.musa.device_count() == 4, torch.musa.device_count()
assert (torch.ones(2, device="musa:3") + 1).tolist() == [2, 2]
try:
    torch.ones(2, device="musa:4")
    raise AssertionError("a device that is not visible")
except RuntimeError as error:
    assert "4" in str(error), error
try:
    torch.ones(2, device="musa") + torch.ones(3, device="musa")
    raise AssertionError("sizes that do not match")
except RuntimeError as error:
    assert "C++ CapturedTraceback" in str(error), error
"""


def test_environment_variables(run: Run) -> None:
    run("-c", CHECK_VARIABLES, MUSA_SIM_DEVICES="6", **VARIABLES)


COMMON_API = """
import torch
import torch_musa

torch.musa.is_available()
torch.musa.device_count()

a = torch.tensor([1.2, 2.3], dtype=torch.float32, device='musa')
b = torch.tensor([1.8, 1.2], dtype=torch.float32, device='cpu').to('musa')
c = torch.tensor([1.8, 1.3], dtype=torch.float32).musa()

d = a + b + c

torch.musa.synchronize()

with torch.musa.device(0):
    assert torch.musa.current_device() == 0

if torch.musa.device_count() > 1:
    torch.musa.set_device(1)
    assert torch.musa.current_device() == 1
    torch.musa.synchronize("musa:1")
"""

CHECK_COMMON_API = """
import runpy, sys
names = runpy.run_path("common_api.py")
import torch
count, devices = torch.musa.device_count(), int(sys.argv[1])
assert torch.musa.is_available() and count == devices, count
assert all(names[name].is_musa for name in "abcd")
torch.testing.assert_close(names["d"].cpu(), torch.tensor([1.2 + 1.8 + 1.8, 2.3 + 1.2 + 1.3]))
assert torch.musa.current_device() == devices - 1
"""


@pytest.mark.parametrize("devices", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_common_api(devices: int, run: Run, tmp_path: Path) -> None:
    (tmp_path / "common_api.py").write_text(COMMON_API)
    run("-c", CHECK_COMMON_API, str(devices), MUSA_SIM_DEVICES=str(devices))


MIXED_PRECISION = """
import torch
import torch_musa
import torch.nn as nn

class SimpleModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(5, 4)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(4, 3)

    def forward(self, x):
        x = self.fc1(x)
        x = self.relu(x)
        x = self.fc2(x)
        return x

    def __call__(self, x):
        return self.forward(x)

DEVICE = "musa"

def train_in_amp(low_dtype=torch.float16):
    model = SimpleModel().to(DEVICE)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    # create the scaler object
    scaler = torch.musa.amp.GradScaler()
    inputs = torch.randn(6, 5).to(DEVICE)
    targets = torch.randn(6, 3).to(DEVICE)
    for step in range(20):
        optimizer.zero_grad()
        # create autocast environment
        with torch.musa.amp.autocast(dtype=low_dtype):
            outputs = model(inputs)
            assert outputs.dtype == low_dtype
            loss = criterion(outputs, targets)

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return loss

if __name__ == "__main__":
    train_in_amp(torch.float16)
"""

# The same training on the CPU in float32, from the same start, for comparison.
CHECK_MIXED_PRECISION = """
import runpy, torch
names = runpy.run_path("mixed_precision.py", run_name="__main__")
for low_dtype, tolerance in ((torch.float16, 5e-3), (torch.bfloat16, 4e-2)):
    torch.manual_seed(7)
    loss = names["train_in_amp"](low_dtype)
    assert loss.device.type == "musa"

    torch.manual_seed(7)
    model = names["SimpleModel"]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(6, 5), torch.randn(6, 3)
    for step in range(20):
        optimizer.zero_grad()
        wanted = torch.nn.functional.mse_loss(model(inputs), targets)
        wanted.backward()
        optimizer.step()
    torch.testing.assert_close(loss.cpu().float(), wanted, rtol=tolerance, atol=0)
"""


@pytest.mark.slow
def test_mixed_precision(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mixed_precision.py").write_text(MIXED_PRECISION)
    run("-c", CHECK_MIXED_PRECISION)
