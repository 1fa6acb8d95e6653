"""The names of modules: of equal blocks, in the backward pass, after an exception; and no trace on the model."""

from __future__ import annotations

import copy
import gc
import io
import re
import threading
from typing import Any, Callable

import pytest
import torch
from printing import printed
from torch.nn.modules import module as torch_module
from torch.utils.checkpoint import checkpoint

from musa_tools.compare_tool import CompareWithCPU, ModuleInfo, open_module_tracker
from musa_tools.observe.modules import CURRENT, TRACKER


class Block(torch.nn.Module):
    def __init__(self, op: Callable[[torch.Tensor], torch.Tensor] = torch.tanh) -> None:
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        self.relu = torch.nn.ReLU(inplace=True)
        self.op = op

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.op(self.relu(self.lin(x)))


class Net(torch.nn.Module):
    def __init__(self, *ops: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Block(op) for op in ops)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        if x.shape[0] == 13:
            raise KeyError("planted")
        return x


def log_of(run: Callable[[], Any], **options: Any) -> str:
    def under_the_tool() -> None:
        with CompareWithCPU(**options):
            run()

    return printed(under_the_tool)


def names(log: str) -> list[str]:
    return re.findall(r"^(\S+) starts to run", log, re.MULTILINE)


def test_a_fault_of_the_backward_pass_in_one_of_two_equal_blocks(musa: str, planted: Callable[..., Any]) -> None:
    """No input needs a gradient, and a ReLU works in place: both confuse backward hooks."""
    wrong = {"now": False}
    sine = planted("sine(Tensor x) -> Tensor", torch.sin, torch.sin)
    grad = planted(
        "sine_grad(Tensor g, Tensor x) -> Tensor",
        lambda g, x: g * x.cos(),
        lambda g, x: g * x.cos() + (1 if wrong["now"] else 0),
    )

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return sine(x)

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            return grad(g, *ctx.saved_tensors)

    net = Net(torch.tanh, Sine.apply, torch.tanh, Sine.apply).to(musa)
    open_module_tracker(net)
    calls: list[int] = []

    def run() -> None:
        y = net(torch.randn(2, 4, device=musa))
        y.register_hook(lambda g: calls.append(1))
        wrong["now"] = True
        y.sum().backward()

    log = log_of(run)
    errors = re.findall(r"\[ERROR\] (\S+) fails.*\n  module: (.*)", log)
    assert errors == [
        ("Net/Block/torch.ops.planted.sine_grad(backward)", "layers.3 (call 1)"),
        ("Net/Block/torch.ops.planted.sine_grad(backward)", "layers.1 (call 1)"),
    ]
    lines = names(log)
    assert "Net/Block/ReLU/torch.ops.aten.threshold_backward(backward)" in lines
    assert "Net/Block/Linear/torch.ops.aten.mm(backward)" in lines
    assert lines.count("Net/Block/Linear/torch.ops.aten.addmm(forward)") == 4


def test_names_after_an_exception_in_the_model(device: str) -> None:
    net = Net(torch.tanh, torch.exp).to(device)
    open_module_tracker(net)
    x = torch.randn(13, 4, device=device)

    def run() -> None:
        with pytest.raises(KeyError, match="planted"):
            net(x)
        x.cumsum(0)
        net(x[:2])

    lines = names(log_of(run))
    assert "torch.ops.aten.cumsum(forward)" in lines
    assert lines.count("Net/Block/Linear/torch.ops.aten.addmm(forward)") == 4
    assert CURRENT.get() is None


def test_an_interrupt_leaves_no_names_behind() -> None:
    net = Net(torch.tanh)
    open_module_tracker(net)
    net.layers[0].op = _interrupt
    with pytest.raises(KeyboardInterrupt):
        net(torch.ones(1, 4))
    net.layers[0].op = torch.tanh
    assert "Net/Block/torch.ops.aten.tanh(forward)" in names(log_of(lambda: net(torch.ones(1, 4))))
    CURRENT.set(None)


def _interrupt(x: torch.Tensor) -> torch.Tensor:
    raise KeyboardInterrupt


def test_opening_twice_and_removing() -> None:
    net = Net(torch.tanh)
    handle = open_module_tracker(net)
    open_module_tracker(net)
    assert "Net/Block/torch.ops.aten.tanh(forward)" in names(log_of(lambda: net(torch.ones(1, 4))))
    handle.remove()
    assert "torch.ops.aten.tanh(forward)" in names(log_of(lambda: net(torch.ones(1, 4))))
    assert not torch_module._global_forward_hooks and not torch_module._global_forward_pre_hooks


def test_a_model_that_is_gone_leaves_no_hook() -> None:
    open_module_tracker(Net(torch.tanh))
    gc.collect()
    assert not torch_module._global_forward_hooks


def test_modules_added_later_and_called_twice() -> None:
    net = Net(torch.tanh)
    open_module_tracker(net)
    net.layers.append(Block(torch.exp))
    net.layers.append(net.layers[1])
    log = log_of(lambda: net(torch.ones(1, 4) * float("nan")), target_list=["aten.exp"], atol=0.0, rtol=0.0)
    assert names(log) == ["Net/Block/torch.ops.aten.exp(forward)"] * 2


def test_the_model_is_as_before() -> None:
    """Copies, pickles and state dicts of a tracked model are those of an untracked one."""
    torch.manual_seed(0)
    tracked, plain = Net(torch.tanh), Net(torch.tanh)
    plain.load_state_dict(tracked.state_dict())
    before = {name: dict(module.__dict__) for name, module in plain.named_modules()}
    handle = open_module_tracker(tracked)
    tracked(torch.ones(2, 4)).sum().backward()
    for name, module in tracked.named_modules():
        assert module.__dict__.keys() == before[name].keys()
        assert not module._forward_hooks and not module._forward_pre_hooks and not module._backward_hooks
    assert [len(pickled(model)) for model in (tracked, plain)] != [0, 0]
    assert pickled(copy.deepcopy(tracked), grads=False) == pickled(plain, grads=False)
    handle.remove()


def pickled(model: torch.nn.Module, grads: bool = True) -> bytes:
    stream = io.BytesIO()
    if not grads:
        model.zero_grad(set_to_none=True)
    torch.save(model, stream)
    return stream.getvalue()


@pytest.mark.parametrize("reentrant", [True, False])
def test_what_checkpointing_computes_again_is_forward(device: str, reentrant: bool) -> None:
    net = Net(torch.tanh, torch.tanh).to(device)
    open_module_tracker(net)
    x = torch.randn(2, 4, device=device, requires_grad=True)

    def run() -> None:
        for _ in range(2):
            checkpoint(net, x, use_reentrant=reentrant).sum().backward()

    lines = names(log_of(run))
    assert lines.count("Net/Block/Linear/torch.ops.aten.addmm(forward)") == 8
    assert lines.count("Net/Block/Linear/torch.ops.aten.mm(backward)") == 8
    assert lines.count("Net/Block/torch.ops.aten.tanh_backward(backward)") == 4
    assert not [name for name in lines if "addmm(backward)" in name]


def test_two_threads_run_two_models_under_one_tool(device: str) -> None:
    class Other(Net):
        pass

    nets = [Net(torch.tanh).to(device), Other(torch.exp).to(device)]
    for net in nets:
        open_module_tracker(net)
    tool = CompareWithCPU()
    both = threading.Barrier(2)

    def run(net: torch.nn.Module) -> None:
        with tool:
            both.wait(60)
            for _ in range(5):
                net(torch.randn(2, 4, device=device)).sum().backward()

    def start() -> None:
        threads = [threading.Thread(target=run, args=(net,)) for net in nets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    log = printed(start)
    lines = names(log)
    for name, op in (("Net", "tanh"), ("Other", "exp")):
        assert lines.count(f"{name}/Block/torch.ops.aten.{op}(forward)") == 5
        assert lines.count(f"{name}/Block/Linear/torch.ops.aten.mm(backward)") == 5
    assert not [line for line in lines if "Net/Block/torch.ops.aten.exp(" in line]
    whole = re.compile(
        r"\S+ (starts to run \.\.\.|succeeds to pass CompareWithCPU test|is in white_list, pass)"
        r"|(random|uninitialised) values: only shape and dtype are compared|CompareWithCPU: .*|"
    )
    assert all(whole.fullmatch(line) for line in log.splitlines())


def test_a_thread_that_gets_the_identifier_of_an_earlier_one(device: str) -> None:
    """Each thread's nodes are numbered from zero, so what the earlier one did must be forgotten."""
    other, net = torch.nn.Sequential(Net(torch.tanh)).to(device), Net(torch.tanh).to(device)
    for model in (other, net):
        open_module_tracker(model)
    tool = CompareWithCPU(target_list=["aten.tanh_backward"])
    earlier: set[int] = set()

    def before() -> None:
        earlier.add(threading.get_ident())
        other(torch.randn(2, 4, device=device))

    def run() -> None:
        if threading.get_ident() in earlier:
            earlier.clear()
        with tool:
            net(torch.randn(2, 4, device=device)).sum().backward()

    for _ in range(200):
        in_a_thread(before)
        assert names(printed(lambda: in_a_thread(run))) == ["Net/Block/torch.ops.aten.tanh_backward(backward)"]
        if not earlier:
            return
    pytest.fail("no thread got the identifier of an earlier one: this test shows nothing")


def in_a_thread(function: Callable[[], None]) -> None:
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def test_deep_models_cost_the_same_and_keep_nothing() -> None:
    """Neither time nor memory grows with the depth of the hierarchy or with the number of calls."""
    model: torch.nn.Module = torch.nn.Identity()
    for _ in range(20):
        model = torch.nn.Sequential(model)
    open_module_tracker(model)
    x = torch.ones(1)
    with torch.no_grad():
        model(x)
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(1000):
            model(x)
    gc.collect()
    assert len(gc.get_objects()) - before < 200
    assert len(TRACKER.timeline()._numbers) < 1 << 17


def test_module_info() -> None:
    net = ModuleInfo("Net")
    leaf = ModuleInfo("Linear", father=net, is_leaf=True)
    assert leaf.name_with_prefix() == "Net/Linear" and net.children == [leaf]
    assert leaf.full_name() == "Net/Linear(forward)"
    deep = net
    for _ in range(5000):
        deep = ModuleInfo("M", father=deep)
    assert deep.name_with_prefix().count("/") == 5000


def test_something_else_than_a_model() -> None:
    with pytest.raises(TypeError, match=r"needs a torch.nn.Module, but found str"):
        open_module_tracker("model")  # type: ignore[arg-type]
