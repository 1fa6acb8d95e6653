"""Whole training loops: the manual's, optimizers, mixed precision, data loaders, checkpoints."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """The network of the manual's section 5.4."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)  # flatten all dimensions except batch
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def images_with_visible_classes(count: int) -> TensorDataset:
    """Random pictures shaped as CIFAR10's; class k is bright in the k-th of ten stripes, so it can be learnt."""
    labels = torch.arange(count) % 10
    pictures = 0.3 * torch.randn(count, 3, 32, 32)
    for picture, label in zip(pictures, labels.tolist()):
        picture[:, :, 3 * label : 3 * label + 3] += 1
    return TensorDataset(pictures, labels)


def test_training_loop_of_the_manual(tmp_path: Path) -> None:
    device = torch.device("musa")
    loader = DataLoader(images_with_visible_classes(200), batch_size=20, shuffle=True, num_workers=2)
    net = Net().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    losses = []
    for _ in range(6):
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = criterion(net(inputs.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[0] > 2 and sum(losses[-5:]) / 5 < 0.5

    path = tmp_path / "net.pth"
    torch.save(net.state_dict(), path)
    net = Net().to(device)
    net.load_state_dict(torch.load(path))
    correct = 0
    with torch.no_grad():
        for images, labels in DataLoader(images_with_visible_classes(100), batch_size=20):
            _, predicted = torch.max(net(images.to(device)).data, 1)
            correct += (predicted == labels.to(device)).sum().item()
    assert correct > 80


def train(model: nn.Module, optimizer: optim.Optimizer, device: str) -> list[float]:
    """Return the losses of a few steps on data that does not depend on the device."""
    generator = torch.Generator().manual_seed(7)
    losses = []
    for _ in range(4):
        inputs = torch.randn(8, 6, generator=generator).to(device)
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": lambda p: optim.Adam(p, lr=0.05, amsgrad=True),
    "AdamW foreach": lambda p: optim.AdamW(p, lr=0.05, foreach=True),
    "AdamW fused": lambda p: optim.AdamW(p, lr=0.05, fused=True),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.05, centered=True),
    "Adagrad": lambda p: optim.Adagrad(p, lr=0.05),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer_takes_the_same_steps(name: str) -> None:
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.BatchNorm1d(5), nn.Linear(5, 2))
    mirror = copy.deepcopy(model).musa()
    wanted = train(model, OPTIMIZERS[name](model.parameters()), "cpu")
    found = train(mirror, OPTIMIZERS[name](mirror.parameters()), "musa")
    torch.testing.assert_close(torch.tensor(found), torch.tensor(wanted), atol=1e-5, rtol=1e-4)
    for x, y in zip(model.state_dict().values(), mirror.state_dict().values()):
        torch.testing.assert_close(y.cpu(), x, atol=1e-4, rtol=1e-3)


class SimpleModel(nn.Module):
    """The model of the manual's section 5.5."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(5, 4)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(self.relu(self.fc1(x)))

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.forward(x)


@pytest.mark.parametrize("low_dtype", [torch.float16, torch.bfloat16])
def test_mixed_precision_example_of_the_manual(low_dtype: torch.dtype) -> None:
    model = SimpleModel().to("musa")
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.musa.amp.GradScaler()
    inputs = torch.randn(6, 5).to("musa")
    targets = torch.randn(6, 3).to("musa")
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        with torch.musa.amp.autocast(dtype=low_dtype):
            outputs = model(inputs)
            assert outputs.dtype == low_dtype
            loss = criterion(outputs, targets)
        assert loss.dtype == torch.float32
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_scaler_skips_a_step_that_overflowed() -> None:
    weight = nn.Parameter(torch.ones(2, device="musa"))
    optimizer = optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("musa", init_scale=4.0)
    scaler.scale((weight * torch.tensor([1.0, float("inf")], device="musa")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [1, 1] and scaler.get_scale() == 2.0


def test_autocast_lists() -> None:
    x = torch.rand(4, 4, device="musa")
    with torch.autocast("musa", dtype=torch.float16):
        assert (x @ x).dtype == torch.float16
        assert F.linear(x, x).dtype == torch.float16
        assert F.conv2d(x[None, None], x[None, None]).dtype == torch.float16
        assert F.scaled_dot_product_attention(x[None], x[None], x[None]).dtype == torch.float16
        assert x.half().exp().dtype == torch.float32
        assert x.half().softmax(-1).dtype == torch.float32
        assert x.half().sum().dtype == torch.float32
        assert x.half().norm().dtype == torch.float32
        assert torch.addcmul(x, x.half(), x.half()).dtype == torch.float32
        assert (x + 1).dtype == torch.float32 and x.fill_(1).dtype == torch.float32
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            F.binary_cross_entropy(x, x)
        with torch.autocast("musa", enabled=False):
            assert (x @ x).dtype == torch.float32
        lstm = nn.LSTM(4, 3).musa()
        assert lstm(x[:, None])[0].dtype == torch.float16
    assert (x @ x).dtype == torch.float32


def test_checkpoints_cross_devices() -> None:
    buffer = io.BytesIO()
    torch.save({"x": torch.arange(3.0, device="musa"), "half": torch.ones(2, device="musa")[1:]}, buffer)
    for location, kind in [(None, "musa"), ("cpu", "cpu"), ("musa:0", "musa")]:
        buffer.seek(0)
        loaded = torch.load(buffer, map_location=location)
        assert loaded["x"].device.type == kind and loaded["x"].tolist() == [0, 1, 2]
        assert loaded["half"].tolist() == [1]
    buffer = io.BytesIO()
    torch.save(torch.arange(3.0), buffer)
    buffer.seek(0)
    assert torch.load(buffer, map_location="musa").is_musa


def test_a_module_that_moves_keeps_its_parameters() -> None:
    """As on other GPUs: an optimizer that was made before the move trains the module."""
    module = torch.nn.Linear(3, 2)
    weight = module.weight
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module.to("musa")
    assert module.weight is weight and weight.device.type == "musa" and weight.is_leaf
    before = weight.detach().clone()
    module(torch.ones(1, 3, device="musa")).sum().backward()
    optimizer.step()
    assert not torch.equal(weight, before)
    module.double().cpu()
    assert module.weight is weight and weight.device.type == "cpu" and weight.dtype == torch.float64
    module(torch.ones(1, 3).double()).sum().backward()


def test_scripted_modules_move_after_they_were_loaded(tmp_path: Path) -> None:
    module = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU()).to("musa")
    image = torch.randn(1, 1, 8, 8)
    torch.jit.save(torch.jit.trace(module, image.to("musa")), str(tmp_path / "module.pt"))
    loaded = torch.jit.load(str(tmp_path / "module.pt"))
    expected = module(image.to("musa"))
    assert torch.equal(loaded(image.to("musa")), expected)
    assert torch.allclose(loaded.to("cpu")(image), expected.cpu(), atol=1e-5)
    assert torch.equal(loaded.to("musa")(image.to("musa")), expected)


def test_a_convolution_whose_weight_stayed_behind() -> None:
    words = "on the same MUSA device, but got weight on cpu and input on musa:0"
    image = torch.randn(1, 1, 8, 8, device="musa")
    with pytest.raises(RuntimeError, match=words):
        torch.nn.Conv2d(1, 2, 3)(image)
    with pytest.raises(RuntimeError, match=r"Expected bias tensor .* but got bias on cpu"):
        torch.nn.functional.conv2d(image, torch.ones(1, 1, 3, 3, device="musa"), torch.ones(1))


def test_a_checkpoint_of_cuda_says_what_to_do(tmp_path: Path) -> None:
    torch.save(torch.ones(2, device="musa"), tmp_path / "tensor.pt")
    with pytest.raises(
        RuntimeError, match=r"map_location=torch.device\('musa'\) or map_location=torch.device\('cpu'\)"
    ):
        torch.load(tmp_path / "tensor.pt", map_location="cuda")
    assert torch.load(tmp_path / "tensor.pt").device == torch.device("musa:0")
    assert torch.load(tmp_path / "tensor.pt", map_location="cpu").device == torch.device("cpu")
