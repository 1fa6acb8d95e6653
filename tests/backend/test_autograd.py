"""Gradients and layers of torch.nn on musa, against the CPU."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn

from .comparison import assert_same_on_musa, on_cpu


def test_gradients_of_an_expression() -> None:
    x = torch.randn(5, 4, requires_grad=True)
    y = torch.randn(4, requires_grad=True)
    assert_same_on_musa(lambda x, y: (x.sin() * y).cumsum(0)[1:].exp().sum(1), x, y)


def test_gradcheck() -> None:
    x = torch.randn(3, 4, dtype=torch.float64, device="musa", requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: (x.tanh() @ x.t()).logsumexp(1), [x])
    assert torch.autograd.gradgradcheck(lambda x: x.sin() * x, [x])


def test_function_of_ones_own() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(context, x):  # type: ignore[no-untyped-def]
            context.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(context, gradient):  # type: ignore[no-untyped-def]
            return 2 * context.saved_tensors[0] * gradient

    assert_same_on_musa(Square.apply, torch.randn(6, requires_grad=True))


LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "Linear": (lambda: nn.Linear(8, 4), (3, 8)),
    "Conv1d": (lambda: nn.Conv1d(4, 6, 3, padding=1), (2, 4, 9)),
    "Conv2d": (lambda: nn.Conv2d(4, 6, 3, stride=2, bias=False), (2, 4, 9, 9)),
    "Conv2d groups": (lambda: nn.Conv2d(4, 8, 3, groups=2, dilation=2), (2, 4, 9, 9)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), (1, 2, 4, 4, 4)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1), (2, 4, 5, 5)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), (3, 4, 5, 5)),
    "LayerNorm": (lambda: nn.LayerNorm(8), (3, 8)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (3, 4, 5)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2), (1, 2, 6, 6)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(2), (1, 2, 6, 6)),
    "GELU": (lambda: nn.GELU(), (3, 8)),
    "Softmax": (lambda: nn.Softmax(-1), (3, 8)),
    "PReLU": (lambda: nn.PReLU(), (3, 8)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 3, 8)),
}


def assert_layer_same(layer: nn.Module, *inputs: torch.Tensor) -> None:
    """Compare outputs, and gradients of parameters and inputs."""
    mirror = copy.deepcopy(layer).to("musa")
    mirrored = [x.detach().musa().requires_grad_(x.requires_grad) for x in inputs]
    wanted, found = layer(*inputs), mirror(*mirrored)
    if isinstance(wanted, tuple):
        wanted, found = wanted[0], found[0]
    torch.testing.assert_close(on_cpu(found), wanted.detach(), atol=1e-5, rtol=1e-4)
    weight = torch.randn_like(wanted)
    (wanted * weight).sum().backward()
    (found * weight.musa()).sum().backward()
    for x, y in zip([*inputs, *layer.parameters()], [*mirrored, *mirror.parameters()]):
        assert (x.grad is None) == (y.grad is None)
        if x.grad is not None:
            torch.testing.assert_close(on_cpu(y.grad), x.grad, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name: str) -> None:
    make, size = LAYERS[name]
    assert_layer_same(make(), torch.randn(size, requires_grad=True))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_recurrent_layer(kind: type[nn.RNNBase], bias: bool, bidirectional: bool) -> None:
    layer = kind(4, 5, num_layers=2, bias=bias, bidirectional=bidirectional)
    assert_layer_same(layer, torch.randn(7, 3, 4, requires_grad=True))


@pytest.mark.parametrize("kind", [nn.LSTMCell, nn.GRUCell])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_recurrent_cell(kind: type[nn.RNNCellBase], dtype: torch.dtype) -> None:
    cell = kind(4, 5, dtype=torch.float64)  # type: ignore[call-arg]
    x = torch.randn(3, 4, dtype=torch.float64)
    wanted = cell(x)
    low = copy.deepcopy(cell).to("musa", dtype)
    found = low(x.to("musa", dtype))
    if kind is nn.LSTMCell:
        wanted, found = wanted[1], found[1]
    tolerance = 1e-9 if dtype == torch.float64 else 0.02
    torch.testing.assert_close(found.double().cpu(), wanted, atol=tolerance, rtol=tolerance)


def test_lstm_with_packed_sequence() -> None:
    layer = nn.LSTM(4, 5)
    sequences = torch.randn(6, 3, 4)
    lengths = torch.tensor([6, 4, 1])

    def run(layer: nn.Module, sequences: torch.Tensor) -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(sequences, lengths)
        return nn.utils.rnn.pad_packed_sequence(layer(packed)[0])[0]

    wanted = run(layer, sequences)
    found = run(copy.deepcopy(layer).musa(), sequences.musa())
    torch.testing.assert_close(on_cpu(found), wanted.detach(), atol=1e-6, rtol=1e-5)


def test_embedding() -> None:
    layer = nn.Embedding(10, 4)
    assert_layer_same(layer, torch.tensor([[1, 2], [9, 2]]))
    assert_layer_same(nn.EmbeddingBag(10, 4), torch.tensor([[1, 2], [9, 2]]))


@pytest.mark.parametrize(
    "loss",
    [nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.KLDivLoss(reduction="batchmean"), nn.BCEWithLogitsLoss()],
)
def test_regression_loss(loss: nn.Module) -> None:
    assert_same_on_musa(loss, torch.randn(4, 3, requires_grad=True), torch.rand(4, 3))


def test_classification_losses() -> None:
    logits = torch.randn(4, 3, requires_grad=True)
    classes = torch.tensor([0, 2, 1, 1])
    assert_same_on_musa(nn.CrossEntropyLoss(label_smoothing=0.1), logits, classes)
    assert_same_on_musa(lambda x, y: nn.functional.nll_loss(x.log_softmax(1), y), logits, classes)


def test_ctc_loss_with_lengths_on_the_host() -> None:
    scores = torch.randn(12, 2, 5, requires_grad=True)
    targets = torch.randint(1, 5, (2, 4))
    lengths, target_lengths = torch.tensor([12, 10]), torch.tensor([4, 3])
    assert_same_on_musa(
        lambda x, y: nn.functional.ctc_loss(x.log_softmax(2), y, lengths, target_lengths), scores, targets
    )


def test_an_operator_without_a_formula_runs() -> None:
    """PyTorch 2.8 knows no such thing for this device: torch.distributed's collectives are of that kind."""
    library = torch.library.Library("musa_test_without_formula", "FRAGMENT")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x + x, "PrivateUse1")
    x = torch.arange(3.0, device="musa", requires_grad=True)
    assert torch.ops.musa_test_without_formula.twice(x).tolist() == [0, 2, 4]
    with torch.no_grad():
        assert torch.ops.musa_test_without_formula.twice(x).tolist() == [0, 2, 4]
