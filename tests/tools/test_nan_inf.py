"""NanInfTracker names the operator that made the first NaN or Inf out of good inputs, and no other."""

from __future__ import annotations

import re
from typing import Any, Callable

import pytest
import torch
from printing import printed

from musa_tools.compare_tool import NanInfTracker, PrecisionError, open_module_tracker

INF = float("inf")


def tracked(run: Callable[[], Any], **options: Any) -> list[str]:
    """Run something under the tracker; return what it says was created, as `name: what`."""
    return found(report(run, **options))


def report(run: Callable[[], Any], **options: Any) -> str:
    tool = NanInfTracker(**options)

    def under_the_tool() -> None:
        with tool:
            run()

    return printed(under_the_tool)


def found(text: str) -> list[str]:
    return [f"{name}: {what}" for name, what in re.findall(r"\[WARNING\] (\S+\((?:for|back)ward\)) (.*)", text)]


def test_the_maker_is_named_and_the_carriers_are_not(device: str) -> None:
    def run() -> None:
        x = torch.tensor([-1.0, 2.0], device=device)
        ((x.log() + 1).exp() * 2).sum()

    assert tracked(run) == ["torch.ops.aten.log(forward): created NaN"]


@pytest.mark.parametrize("size", [8, 100_000], ids=["small", "large"])
@pytest.mark.parametrize("at_once", [False, True])
def test_values(device: str, size: int, at_once: bool) -> None:
    """Results that are reduced together, alone, and at once."""
    x = torch.zeros(size, device=device)

    def one_bad() -> None:
        y = x + 1
        y[3] = -1.0
        y.sqrt()

    def tracked(run: Callable[[], Any], **options: Any) -> list[str]:
        return [line for line in found(report(run, **options)) if "passed" not in line]

    assert tracked(one_bad, log_all=at_once) == ["torch.ops.aten.sqrt(forward): created NaN"]
    assert tracked(lambda: 1 / x, log_all=at_once) == ["torch.ops.aten.reciprocal(forward): created Inf"]
    assert tracked(lambda: (x + 3e38) * 2, log_all=at_once) == ["torch.ops.aten.mul.Tensor(forward): created Inf"]


@pytest.mark.parametrize("size", [8, 100_000], ids=["small", "large"])
def test_finite_numbers_whose_sum_or_square_overflows_are_no_finding(device: str, size: int) -> None:
    assert tracked(lambda: torch.ones(size, device=device) * 3e38) == []
    half = torch.ones(size, device=device, dtype=torch.float16)
    assert tracked(lambda: half * 60000) == []


def test_half_overflow_in_a_matrix_product(device: str) -> None:
    x = torch.full((4, 64), 200.0, device=device, dtype=torch.float16)
    assert tracked(lambda: x @ x.t()) == ["torch.ops.aten.mm(forward): created Inf"]


def test_masks_of_infinity_are_no_finding(device: str) -> None:
    scores = torch.randn(2, 4, 4, device=device)
    lower = torch.ones(4, 4, device=device).tril().bool()
    mask = torch.zeros(4, 4, device=device).masked_fill(~lower, -INF)  # made before, as a buffer is

    def attend() -> None:
        scores.masked_fill(~lower, -INF).softmax(-1)
        (scores + mask).softmax(-1)
        (scores + torch.full((4, 4), -INF, device=device).triu(1)).softmax(-1)
        torch.where(lower, scores, torch.tensor(-INF, device=device)).softmax(-1)
        torch.where(lower, scores, -INF).softmax(-1)
        torch.nn.functional.scaled_dot_product_attention(scores, scores, scores, is_causal=True)
        torch.full((2,), -INF, device=device).amax()

    text = report(attend)
    assert found(text) == [], text


def test_a_row_that_is_all_masked_makes_nan(device: str) -> None:
    scores = torch.randn(3, 4, device=device)

    def attend() -> None:
        scores.masked_fill(torch.ones(3, 4, dtype=torch.bool, device=device), -INF).softmax(-1)

    assert tracked(attend) == ["torch.ops.aten._softmax(forward): created NaN"]


def test_a_temporary_nan_that_is_overwritten_is_found(device: str) -> None:
    def run() -> None:
        x = torch.tensor([-1.0, 4.0], device=device)
        y = x.log()
        y.nan_to_num_(0.0)
        y.zero_()
        y + 1

    assert tracked(run) == ["torch.ops.aten.log(forward): created NaN"]


def test_the_last_operator_of_a_block_and_one_before_an_exception(device: str) -> None:
    x = torch.tensor([-1.0], device=device)
    assert tracked(lambda: x.log()) == ["torch.ops.aten.log(forward): created NaN"]

    def fails() -> None:
        x.log()
        raise KeyError("the user's own")

    tool = NanInfTracker()

    def run() -> None:
        with pytest.raises(KeyError, match="the user's own"), tool:
            fails()

    assert found(printed(run)) == ["torch.ops.aten.log(forward): created NaN"]


def test_an_infinity_of_the_backward_pass_only(device: str) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    model.to(device)

    class Root(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.sqrt()

    net = torch.nn.Sequential(model, Root())
    open_module_tracker(net)

    def run() -> None:
        net(torch.ones(1, 2, device=device)).sum().backward()

    first = tracked(run)[0]
    assert first.startswith("Sequential/Root/torch.ops.aten.div.Tensor(backward): created")


def test_data_that_arrive_bad_are_said_to_have_arrived(device: str) -> None:
    weight = torch.tensor([1.0, float("nan")], device=device)
    text = report(lambda: (torch.ones(2, device=device) * weight).exp())
    assert found(text) == ["torch.ops.aten.mul.Tensor(forward): received NaN that no watched operator made"]


def test_a_second_time_the_inputs_are_shown(device: str) -> None:
    x = torch.tensor([-1.0, 2.0], device=device)
    tool = NanInfTracker()

    def run() -> None:
        with tool:
            for _ in range(2):
                (x + 0).log()
                tool.step()

    text = printed(run)
    entries = text.split("[WARNING] torch.ops.aten.log(forward) created NaN")
    assert len(entries) == 3
    assert "shape=torch.Size([2])" in entries[2].split("output")[0]
    assert "nan_num=1, inf_num=0" in entries[2]


def test_dump_and_halt(device: str, tmp_path: Any) -> None:
    x = torch.tensor([-1.0, 2.0], device=device)
    with pytest.raises(PrecisionError, match="Nan or Inf Detected!") as error:
        tracked(lambda: x.log_(), dump_error_data=True, output_dir=str(tmp_path))
    assert "torch.ops.aten.log_(forward)" in str(error.value)
    saved = torch.load(tmp_path / "torch.ops.aten.log__inputs.pkl", weights_only=True)
    assert saved["args"][0].tolist() == [-1.0, 2.0]  # as they were before


def test_odd_tensors_do_not_crash(device: str) -> None:
    def run() -> None:
        torch.ones(3, device="meta").log()
        torch.eye(3).to_sparse() * 2
        torch.ones(3).to(torch.float8_e4m3fn).to(torch.float32)
        torch.view_as_complex(torch.ones(3, 2, device=device)).exp()
        torch.empty(0, device=device).exp()
        torch.ones(3, device=device).to(torch.int32) + 1

    assert tracked(run) == []


def test_sparse_values_are_looked_at() -> None:
    x = torch.eye(2).to_sparse()
    assert tracked(lambda: torch.log(-1 * torch.ones(1)) * 1 and x * float("nan")) != []
    assert any("mul" in name for name in tracked(lambda: x * float("nan") * 1))


def test_gradient_scaling_that_overflows(device: str) -> None:
    """With start_step=1 the first step's overflow is silent; without, its maker is the backward operator."""
    for start, wanted in ((1, 0), (None, 1)):
        model = torch.nn.Linear(4, 1).to(device)
        torch.nn.init.zeros_(model.weight)
        torch.nn.init.zeros_(model.bias)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler(device, init_scale=1e38)
        tool = NanInfTracker(start_step=start)

        def run(
            tool: NanInfTracker = tool, model: Any = model, optimizer: Any = optimizer, scaler: Any = scaler
        ) -> None:
            with tool:
                loss = model(torch.full((4, 4), 100.0, device=device)).sum()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
                tool.step()

        names = found(printed(run))
        assert not any("unscale" in name for name in names)
        assert bool(names) == bool(wanted)
        assert all("(backward)" in name for name in names)


def test_nothing_waits_for_the_device_before_the_step_ends(musa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU(), torch.nn.Linear(4, 1)).to(musa)
    x = torch.randn(3, 4, device=musa)
    waits: list[str] = []
    for name in ("item", "tolist", "cpu", "__bool__"):
        original = getattr(torch.Tensor, name)

        def counted(self: torch.Tensor, *args: Any, name: str = name, original: Any = original) -> Any:
            if self.device.type == "musa":
                waits.append(name)
            return original(self, *args)

        monkeypatch.setattr(torch.Tensor, name, counted)
    tool = NanInfTracker()

    def run() -> None:
        with tool:
            model(x).sum().backward()
            assert waits == []
            tool.step()
            assert waits

    assert found(printed(run)) == []


@pytest.mark.parametrize("size", [4, 70_000])
def test_the_level_of_modules(device: str, size: int) -> None:
    class Root(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x - 1).sqrt()

    net = torch.nn.Sequential(torch.nn.Identity(), torch.nn.ReLU(inplace=True), Root(), torch.nn.Tanh())
    open_module_tracker(net)
    x = torch.full((size,), 2.0, device=device, requires_grad=True)
    assert tracked(lambda: net(x * 1).sum().backward(), level="module") == []
    text = report(lambda: net(x * 0).sum().backward(), level="module")
    assert found(text)[0] == "Root/result(forward): created NaN"
    assert "  module: 2\n" in text
    first = found(report(lambda: net(x * 0.5).sum().backward(), level="module"))[0]
    assert first == "ReLU/gradient(backward): created Inf"  # sqrt(0) is right, and its gradient is not


def test_levels_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match='"op" or "module", not "kernel"'.replace('"kernel"', "'kernel'")):
        NanInfTracker(level="kernel")
    with pytest.raises(ValueError, match="sees no operators"):
        NanInfTracker(level="module", dump_error_data=True)
