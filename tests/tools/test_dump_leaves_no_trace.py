"""A dump changes neither PyTorch nor the model, and sees what was imported before it began."""

from __future__ import annotations

import copy
import functools
import io
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from dumped_runs import Net, data, dump, files, train_step
from torch.nn.functional import relu as relu_from_before
from torch.nn.modules import module as torch_module

from musa_tools.other_tools import ptdbg_ascend
from musa_tools.other_tools.msprobe import PrecisionDebugger

gelu_partial = functools.partial(F.gelu, approximate="tanh")
METHODS = {name: getattr(torch.Tensor, name) for name in ("add", "relu", "backward", "__getitem__")}


def test_torch_is_never_patched(tmp_path: Path) -> None:
    before = F.gelu, F.relu, torch.relu, torch.nn.functional.linear

    def run() -> None:
        assert (F.gelu, F.relu, torch.relu, torch.nn.functional.linear) == before
        assert all(getattr(torch.Tensor, name) is method for name, method in METHODS.items())
        assert torch.jit.script(lambda_free)(torch.ones(2)).tolist() == [2, 2]

    dump(tmp_path, run)


def lambda_free(x: torch.Tensor) -> torch.Tensor:
    return F.relu(x) + 1


def test_functions_bound_before_are_seen(tmp_path: Path) -> None:
    x = torch.ones(2)
    method = x.tanh
    dump(tmp_path, lambda: (relu_from_before(x), gelu_partial(x), method(), torch.Tensor.exp(x)))
    assert [name.rpartition(".0.")[0] for name in data(tmp_path)] == [
        "Functional.relu",
        "Functional.gelu",
        "Tensor.tanh",
        "Tensor.exp",
    ]


@pytest.mark.parametrize("level", ["L0", "mix"])
def test_a_model_is_as_without_the_dump(level: str, tmp_path: Path) -> None:
    net = Net()
    plain = pickle.dumps(net)
    saved = io.BytesIO()
    torch.save(net.state_dict(), saved)
    hooks = len(torch_module._global_forward_hooks), len(torch_module._global_forward_pre_hooks)
    attributes = {name: dict(vars(module)) for name, module in net.named_modules()}

    def run() -> None:
        assert pickle.dumps(net) == plain
        twin = copy.deepcopy(net)
        for module in (*net.modules(), *twin.modules()):
            assert not module._forward_hooks and not module._forward_pre_hooks and not module._backward_hooks
        during = io.BytesIO()
        torch.save(net.state_dict(), during)
        assert during.getvalue() == saved.getvalue()
        order: list[str] = []
        net.apply(lambda module: order.append(type(module).__name__))
        assert order == ["Linear", "ReLU", "Linear", "Net"]
        net(torch.ones(1, 6))

    dump(tmp_path, run, level=level, model=net)
    for name, module in net.named_modules():
        assert vars(module).keys() == attributes[name].keys()
    assert all(not parameter._backward_hooks for parameter in net.parameters())
    assert (len(torch_module._global_forward_hooks), len(torch_module._global_forward_pre_hooks)) == hooks
    assert pickle.dumps(net) == plain


def test_modes_of_the_user_keep_their_order(tmp_path: Path) -> None:
    """Blocks that begin before and end after start and stop, and the other way round."""
    debugger = PrecisionDebugger(dump_path=tmp_path / "dump")
    with torch.device("cpu"):
        debugger.start()
        torch.ones(1)
    with torch.device("meta"):
        assert torch.ones(1).device.type == "meta"
        debugger.stop()
        assert torch.ones(1).device.type == "meta"
    assert torch.ones(1).device.type == "cpu"
    assert torch.overrides._len_torch_function_stack() == 0  # type: ignore[attr-defined]
    assert len(data(tmp_path)) == 2

    debugger.start()
    torch.set_default_device("meta")
    debugger.stop()
    debugger.start()
    assert torch.ones(1).device.type == "meta"
    torch.set_default_device(None)
    debugger.stop()
    assert torch.overrides._len_torch_function_stack() == 0  # type: ignore[attr-defined]

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    with Mode() as mode:
        debugger.start()
        torch.ones(1)
    assert mode not in torch.overrides._get_current_function_mode_stack()  # type: ignore[attr-defined]
    torch.exp(torch.ones(1))
    debugger.stop()
    assert "Torch.exp.0.forward" in data(tmp_path)


def test_no_grad_and_inference_mode(tmp_path: Path) -> None:
    net = Net()

    def run() -> None:
        with torch.no_grad():
            net(torch.ones(1, 6))
        with torch.inference_mode():
            net(torch.ones(1, 6))

    dump(tmp_path, run, level="mix", model=net)
    assert len([name for name in data(tmp_path) if "Module" in name]) == 8


def test_another_thread_is_not_dumped(tmp_path: Path) -> None:
    net = Net()

    def run() -> None:
        thread = threading.Thread(target=lambda: torch.exp(torch.ones(1)))
        thread.start()
        thread.join()
        thread = threading.Thread(target=lambda: net(torch.ones(1, 6)).sum().backward())
        torch.sin(torch.ones(1))
        thread.start()
        thread.join()

    dump(tmp_path, run)
    assert [name for name in data(tmp_path) if "exp" in name or "linear" in name] == []
    assert "Torch.sin.0.forward" in data(tmp_path)


def test_compiled_functions_run_and_are_not_broken_up(tmp_path: Path) -> None:
    breaks = []

    def backend(graph: torch.fx.GraphModule, inputs: Any) -> Any:
        breaks.append(len(graph.graph.nodes))
        return graph.forward

    @torch.compile(backend=backend)
    def compiled(x: torch.Tensor) -> torch.Tensor:
        return F.relu(x) * 2 + 1

    results = []
    net = Net()
    whole = torch.compile(net, backend=backend)
    dump(
        tmp_path,
        lambda: results.extend([compiled(torch.ones(2)), torch.exp(torch.ones(1)), whole(torch.ones(1, 6))]),
        level="mix",
        model=net,
    )
    assert results[0].tolist() == [3, 3]
    assert torch.equal(results[2], net(torch.ones(1, 6)))
    assert len(breaks) == 2
    assert "Torch.exp.0.forward" in data(tmp_path)


@pytest.mark.parametrize("kind", ["another step", "disabled", "another rank"])
def test_a_dump_that_is_off_watches_nothing(kind: str, tmp_path: Path) -> None:
    import json

    keys = {"another step": {"step": [7]}, "disabled": {"dump_enable": False}, "another rank": {"rank": [3]}}[kind]
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"dump_path": str(tmp_path / "dump"), "level": "mix", **keys}))
    net = Net()
    hooks = len(torch_module._global_forward_hooks)
    debugger = PrecisionDebugger(path, model=net)
    debugger.start()
    assert torch.overrides._len_torch_function_stack() == 0  # type: ignore[attr-defined]
    assert len(torch_module._global_forward_hooks) == hooks
    train_step(net)
    debugger.stop()
    debugger.step()
    assert not (tmp_path / "dump").exists()


def test_a_switch_that_is_off_watches_nothing(tmp_path: Path) -> None:
    seen = []

    class Looks(Net):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(torch.overrides._len_torch_function_stack())  # type: ignore[attr-defined]
            return super().forward(x)

    net = Looks()
    ptdbg_ascend.set_dump_path(tmp_path / "dump.pkl")
    ptdbg_ascend.register_hook(net, ptdbg_ascend.acc_cmp_dump)
    for state in ("OFF", "ON", "OFF"):
        ptdbg_ascend.set_dump_switch(state)
        train_step(net)
    assert seen == [0, 1, 0]


def test_a_tool_inside_a_tool(tmp_path: Path) -> None:
    """Both see the run, and neither sees the other."""
    net = Net()
    ptdbg_ascend.set_dump_path(tmp_path / "dump.pkl")
    ptdbg_ascend.register_hook(net, ptdbg_ascend.acc_cmp_dump)
    ptdbg_ascend.set_dump_switch("ON")
    dump(tmp_path, lambda: train_step(net), task="tensor")
    ptdbg_ascend.set_dump_switch("OFF")
    assert [name for name in data(tmp_path) if "Functional" in name and "forward" in name] == [
        "Functional.linear.0.forward",
        "Functional.relu.0.forward",
        "Functional.linear.1.forward",
    ]
    lines = (tmp_path / "dump.pkl").read_text().splitlines()
    assert lines[0].startswith('["0_Functional_linear_forward_input.0"')
    assert not any("aminmax" in name for name in data(tmp_path))
    assert files(tmp_path).exists()
