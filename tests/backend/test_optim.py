"""torch_musa.optim and the functions of lists under it, held against the papers' formulas in double precision."""

from __future__ import annotations

import copy
import io
import math
from typing import Any

import pytest
import torch
import torch_musa
from torch import Tensor
from torch_musa import _ext
from torch_musa.multi_tensor_apply import multi_tensor_applier
from torch_musa.optim import FusedAdam, FusedAdamW, FusedLAMB
from torch_musa.utils import ext_loader

from .conftest import PROGRAMS

STEPS = 4


def gradients(shapes: list[tuple[int, ...]]) -> list[list[Tensor]]:
    return [[torch.randn(shape) for shape in shapes] for _ in range(STEPS)]


class Adam:
    """Adam (arxiv.org/abs/1412.6980) and AdamW (arxiv.org/abs/1711.05101) as the papers write them."""

    def __init__(self, start: Tensor, decoupled: bool, decay: float, amsgrad: bool, maximize: bool) -> None:
        self.value = start.double()
        self.decoupled, self.decay, self.amsgrad, self.maximize = decoupled, decay, amsgrad, maximize
        self.average = self.square = self.largest = torch.zeros_like(self.value)
        self.steps = 0

    def step(self, gradient: Tensor, rate: float = 0.01, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> None:
        self.steps += 1
        gradient = -gradient.double() if self.maximize else gradient.double()
        if self.decoupled:
            self.value = self.value * (1 - rate * self.decay)
        else:
            gradient = gradient + self.decay * self.value
        self.average = b1 * self.average + (1 - b1) * gradient
        self.square = b2 * self.square + (1 - b2) * gradient**2
        self.largest = torch.maximum(self.largest, self.square)
        second = (self.largest if self.amsgrad else self.square) / (1 - b2**self.steps)
        self.value = self.value - rate * self.average / (1 - b1**self.steps) / (second.sqrt() + eps)


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.3])
@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("maximize", [False, True])
def test_adam_is_the_papers(decoupled: bool, decay: float, amsgrad: bool, maximize: bool) -> None:
    start = torch.randn(7, 5)
    expected = Adam(start, decoupled, decay, amsgrad, maximize)
    parameter = torch.nn.Parameter(start.to("musa"))
    kind: Any = FusedAdamW if decoupled else FusedAdam
    optimizer = kind([parameter], lr=0.01, weight_decay=decay, amsgrad=amsgrad, maximize=maximize)
    for (gradient,) in gradients([(7, 5)]):
        parameter.grad = gradient.to("musa")
        optimizer.step()
        expected.step(gradient)
    torch.testing.assert_close(parameter.detach().cpu().double(), expected.value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [FusedAdam, FusedAdamW])
def test_adams_state_is_saved_with_steps_on_the_cpu(kind: Any) -> None:
    parameters = [torch.nn.Parameter(torch.randn(3, device="musa"))]
    optimizer = kind(parameters, lr=0.01)
    for (gradient,) in gradients([(3,)]):
        parameters[0].grad = gradient.to("musa")
        optimizer.step()
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    loaded = torch.load(file)
    step = loaded["state"][0]["step"]
    assert step.device.type == "cpu" and step.item() == STEPS
    again = copy.deepcopy(parameters)
    resumed = kind(again, lr=0.01)
    resumed.load_state_dict(loaded)
    again[0].grad = parameters[0].grad
    optimizer.step()
    resumed.step()
    assert torch.equal(parameters[0], again[0])


@pytest.mark.parametrize("kind", [FusedAdam, FusedAdamW])
@pytest.mark.parametrize("wrong", [torch.ones(2), torch.ones(2, dtype=torch.int64, device="musa")])
def test_adam_wants_floating_point_on_musa(kind: Any, wrong: Tensor) -> None:
    with pytest.raises(RuntimeError, match=f"{kind.__name__} requires .*but got: {wrong.dtype} on {wrong.device}"):
        kind([wrong])


def lamb(values: list[Tensor], all_gradients: list[list[Tensor]], options: dict[str, Any]) -> list[Tensor]:
    """LAMB (arxiv.org/abs/1904.00962), with all gradients clipped to one norm first, as apex does."""
    numbers = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 0.01, "max_grad_norm": 1.0}
    switches = {"bias_correction": True, "adam_w_mode": True, "grad_averaging": True, "use_nvlamb": False}
    o: dict[str, Any] = {**numbers, **switches, **options}
    b1, b2 = o["betas"]
    values = [value.double() for value in values]
    averages = [torch.zeros_like(value) for value in values]
    squares = [torch.zeros_like(value) for value in values]
    for step, now in enumerate(all_gradients, 1):
        norm = math.sqrt(sum(gradient.double().pow(2).sum().item() for gradient in now))
        for i, gradient in enumerate(now):
            g = gradient.double() / max(1.0, norm / o["max_grad_norm"])
            if not o["adam_w_mode"]:
                g = g + o["weight_decay"] * values[i]
            averages[i] = b1 * averages[i] + ((1 - b1) if o["grad_averaging"] else 1.0) * g
            squares[i] = b2 * squares[i] + (1 - b2) * g**2
            first, second = (1 - b1**step, 1 - b2**step) if o["bias_correction"] else (1.0, 1.0)
            update = averages[i] / first / ((squares[i] / second).sqrt() + o["eps"])
            if o["adam_w_mode"]:
                update = update + o["weight_decay"] * values[i]
            size, change = values[i].norm().item(), update.norm().item()
            adapts = (o["use_nvlamb"] or o["weight_decay"] != 0) and size > 0 and change > 0
            values[i] = values[i] - o["lr"] * (size / change if adapts else 1.0) * update
    return values


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight_decay": 0.0},
        {"weight_decay": 0.0, "use_nvlamb": True},
        {"adam_w_mode": False, "weight_decay": 0.2},
        {"bias_correction": False},
        {"grad_averaging": False},
        {"max_grad_norm": 100.0, "betas": (0.6, 0.9), "eps": 3e-6, "lr": 0.01},
    ],
    ids=str,
)
def test_lamb_is_the_papers(options: dict[str, Any]) -> None:
    shapes: list[tuple[int, ...]] = [(40, 3), (7,), (1,), (2, 2)]
    start = [torch.randn(shape) for shape in shapes[:-1]] + [torch.zeros(2, 2)]
    parameters = [torch.nn.Parameter(value.to("musa")) for value in start]
    optimizer = FusedLAMB(parameters, **options)
    given = gradients(shapes)
    for now in given:
        for parameter, gradient in zip(parameters, now):
            parameter.grad = gradient.to("musa")
        optimizer.step()
    for parameter, expected in zip(parameters, lamb(start, given, options)):
        torch.testing.assert_close(parameter.detach().cpu().double(), expected, rtol=2e-5, atol=2e-6)


@pytest.mark.slow
def test_lamb_works_on_half_precision_and_on_several_devices(run_python: Any) -> None:
    done = run_python(PROGRAMS / "lamb_on_two_devices.py", MUSA_SIM_DEVICES="2")
    assert done.returncode == 0, done.stderr


def test_lamb_refuses() -> None:
    with pytest.raises(RuntimeError, match="AMSGrad"):
        FusedLAMB([torch.ones(1, device="musa")], amsgrad=True)
    parameter = torch.ones(2, dtype=torch.float64, device="musa", requires_grad=True)
    parameter.grad = torch.ones_like(parameter)
    with pytest.raises(RuntimeError, match=r"fp16 and fp32, but got: torch\.float64"):
        FusedLAMB([parameter]).step()


def test_lamb_without_gradients_changes_nothing() -> None:
    parameter = torch.ones(2, device="musa", requires_grad=True)
    optimizer = FusedLAMB([parameter])
    assert optimizer.step(lambda: 5) == 5 and parameter.tolist() == [1, 1]
    parameter.grad = torch.ones_like(parameter)
    optimizer.zero_grad()
    assert parameter.grad is None


def test_the_norm_of_a_list() -> None:
    tensors = [torch.randn(1000, 10, device="musa"), torch.randn(3, device="musa").half()]
    flag = torch.zeros(1, dtype=torch.int32, device="musa")
    total, each = multi_tensor_applier(_ext.multi_tensor_l2norm, flag, [tensors], True)
    expected = [tensor.cpu().double().norm() for tensor in tensors]
    torch.testing.assert_close(each.cpu().double(), torch.stack(expected), rtol=1e-6, atol=0)
    torch.testing.assert_close(total.cpu().double(), torch.stack(expected).norm().reshape(1), rtol=1e-6, atol=0)
    assert multi_tensor_applier(_ext.multi_tensor_l2norm, flag, [tensors])[1].numel() == 0


def test_functions_are_found_by_name() -> None:
    found = ext_loader.load_ext("_ext", ["multi_tensor_l2norm", "multi_tensor_lamb"])
    assert found is _ext and found is torch_musa._ext
    with pytest.raises(AssertionError, match="nothing not found in module _ext"):
        ext_loader.load_ext("_ext", "nothing")
