"""Small models are trained by kernels alone: no operator falls back, and the losses follow the CPU's."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

WORDS, LENGTH, STEPS = 50, 16, 10
#: how far a loss may be from the CPU's: both round to the type, in sums of other orders, step after step
TOLERANCE = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 2e-2}


class Residual(nn.Module):
    """Two convolutions with normalization, and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.around = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.inner(images) + self.around(images))


def residual_network() -> nn.Module:
    stem = (nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return nn.Sequential(*stem, Residual(8, 8, 1), Residual(8, 16, 2), *head)


class Transformer(nn.Module):
    """Predicts the next word."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, 32)
        self.positions = nn.Parameter(torch.randn(1, LENGTH, 32) / 50)
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, nn.LayerNorm(32), enable_nested_tensor=False)
        self.head = nn.Linear(32, WORDS)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(LENGTH, device=words.device)
        return self.head(self.layers(self.words(words) + self.positions, mask, is_causal=True)).flatten(0, 1)


class Recurrent(nn.Module):
    """The same by a recurrent layer, in both directions."""

    def __init__(self, layer: type[nn.LSTM | nn.GRU | nn.RNN]) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, 16)
        self.layer = layer(16, 24, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(48, WORDS)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.head(self.layer(self.words(words))[0]).flatten(0, 1)


MODELS = {
    "residual network": residual_network,
    "transformer": Transformer,
    "LSTM": lambda: Recurrent(nn.LSTM),
    "GRU": lambda: Recurrent(nn.GRU),
    "RNN": lambda: Recurrent(nn.RNN),
}
OPTIMIZERS = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, 0.05, momentum=0.9, weight_decay=1e-4),
    "Adam, foreach": lambda parameters: torch.optim.Adam(parameters, 3e-3, foreach=True),
    "AdamW": lambda parameters: torch.optim.AdamW(parameters, 3e-3),
    "AdamW, fused": lambda parameters: torch.optim.AdamW(parameters, 3e-3, fused=True),
}


def losses(model: str, optimizer: str, dtype: torch.dtype, device: str) -> list[float]:
    """Train on one batch; return the loss of each step."""
    torch.manual_seed(5)
    network = MODELS[model]().to(device)
    steps = OPTIMIZERS[optimizer](list(network.parameters()))
    scaler = torch.amp.GradScaler(device, init_scale=256.0, enabled=dtype == torch.float16)
    if model == "residual network":
        inputs, targets = torch.randn(8, 3, 32, 32), torch.randint(0, 5, (8,))
    else:
        inputs = torch.randint(0, WORDS, (4, LENGTH))
        targets = inputs.roll(-1, 1).flatten()
    inputs, targets = inputs.to(device), targets.to(device)
    found = []
    for _ in range(STEPS):
        steps.zero_grad()
        with torch.autocast(device, dtype, enabled=dtype != torch.float32):
            loss = functional.cross_entropy(network(inputs), targets)
        scaler.scale(loss).backward()
        scaler.unscale_(steps)
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        scaler.step(steps)
        scaler.update()
        found.append(loss.item())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("model", "optimizer"),
    [
        ("residual network", "SGD"),
        ("residual network", "Adam, foreach"),
        ("transformer", "AdamW"),
        ("transformer", "AdamW, fused"),
        ("LSTM", "AdamW"),
        ("GRU", "AdamW, fused"),
        ("RNN", "SGD"),
    ],
)
def test_a_model_is_trained_by_kernels_alone(model: str, optimizer: str, dtype: torch.dtype) -> None:
    # oneDNN has no LSTM of float16 here; PyTorch's own code has
    with torch.backends.mkldnn.flags(enabled=dtype != torch.float16):
        expected = losses(model, optimizer, dtype, "cpu")
    torch.musa.reset_fallback_report()
    computed = losses(model, optimizer, dtype, "musa")
    assert [count.name for count in torch.musa.fallback_report().operators] == []
    assert expected[-1] < expected[0]
    assert computed == pytest.approx(expected, rel=TOLERANCE[dtype])
