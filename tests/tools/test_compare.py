"""CompareWithCPU finds planted faults, names them, and says nothing about results that are right."""

from __future__ import annotations

import re
from typing import Any, Callable

import pytest
import torch
from printing import printed

from musa_tools.compare_tool import CompareWithCPU, open_module_tracker

Planted = Callable[..., Any]


def compared(run: Callable[[], Any], **options: Any) -> tuple[str, CompareWithCPU]:
    """Run something under the tool; return its log and the tool."""
    tool = CompareWithCPU(**options)

    def under_the_tool() -> None:
        with tool:
            run()

    return printed(under_the_tool), tool


def test_a_right_result_passes(device: str) -> None:
    x = torch.randn(4, 5, device=device)
    log, tool = compared(lambda: (x @ x.t()).softmax(0))
    assert "torch.ops.aten.mm(forward) starts to run ...\ntorch.ops.aten.mm(forward) succeeds to pass" in log
    assert "torch.ops.aten.t(forward) is in white_list, pass" in log
    assert tool.counts.total("failed") == tool.counts.total("untested") == 0


FAULTS: dict[str, tuple[str, Callable[..., Any], Callable[..., Any], str]] = {
    "one wrong value": (
        "(Tensor x) -> Tensor",
        lambda x: x * 2,
        lambda x: (x * 2).index_fill(0, torch.tensor([1], device=x.device), 7.0),
        "Element at index (1,) is not close: 7.0(musa:0) vs 2.0(cpu)",
    ),
    "bool": ("(Tensor x) -> Tensor", lambda x: x > 0, lambda x: x < 0, "False(musa:0) vs True(cpu)"),
    "shape": ("(Tensor x) -> Tensor", lambda x: x + 0, lambda x: x[:2] + 0, "Shapes are not equal: (2,) vs (3,)"),
    "dtype": (
        "(Tensor x) -> Tensor",
        lambda x: x.double(),
        lambda x: x.int(),
        "Dtypes are not equal: torch.int32 vs torch.float64",
    ),
    "large integers": (
        "(Tensor x) -> Tensor",
        lambda x: torch.full((3,), 2**53 + 1),
        lambda x: torch.full((3,), 2**53, device=x.device),
        "9007199254740992(musa:0) vs 9007199254740993(cpu)",
    ),
    "list length": (
        "(Tensor x) -> Tensor[]",
        lambda x: [x + 0, x + 1],
        lambda x: [x + 0],
        "the results have different structures",
    ),
    "second output": (
        "(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x + 0, x + 1),
        lambda x: (x + 0, x + 2),
        "  result: 1",
    ),
    "sign of an infinity": (
        "(Tensor x) -> Tensor",
        lambda x: x + float("inf"),
        lambda x: x - float("inf"),
        "Element at index (0,) is not close: -inf(musa:0) vs inf(cpu)",
    ),
    "NaN": ("(Tensor x) -> Tensor", lambda x: x + 0, lambda x: x * float("nan"), "nan_num=3, inf_num=0"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("tolerances", [{}, {"atol": 1e-3, "rtol": 1e-3}], ids=["auto", "given"])
def test_fault(musa: str, planted: Planted, fault: str, tolerances: dict[str, float]) -> None:
    schema, cpu, wrong, words = FAULTS[fault]
    op = planted(f"fault{schema}", cpu, wrong)
    x = torch.ones(3, device=musa)
    log, tool = compared(lambda: op(x), **tolerances)
    assert "[ERROR] torch.ops.planted.fault(forward) fails to pass CompareWithCPU test" in log
    assert words in log
    assert tool.counts.total("failed") == 1


def test_the_same_operators_without_a_fault_pass(musa: str, planted: Planted) -> None:
    """The faults above are found for what they are, not because custom operators always fail."""
    for number, (schema, cpu, _, _) in enumerate(FAULTS.values()):
        if "torch.full" not in str(cpu.__code__.co_names):
            op = planted(f"right{number}{schema}", cpu, cpu)
            if number != 4:
                log, _ = compared(lambda op=op: op(torch.ones(3, device=musa)))  # type: ignore[misc]
                assert "[ERROR]" not in log


def test_a_wrongly_written_argument_is_found_though_nothing_is_returned(musa: str, planted: Planted) -> None:
    op = planted("write(Tensor x, Tensor(a!) y) -> ()", lambda x, y: y.copy_(x) and None, lambda x, y: None)
    x, y = torch.ones(1, device=musa), torch.zeros(1, device=musa)
    log, _ = compared(lambda: op(x, y))
    assert "[ERROR] torch.ops.planted.write(forward)" in log and "result: written argument 0" in log


def test_one_wrong_element_of_a_list_that_is_written(musa: str, planted: Planted) -> None:
    def right(xs: list[torch.Tensor]) -> None:
        for x in xs:
            x.add_(1)

    def wrong(xs: list[torch.Tensor]) -> None:
        right(xs)
        xs[2].add_(1)

    op = planted("_foreach_add_(Tensor(a!)[] xs) -> ()", right, wrong)
    log, _ = compared(lambda: op([torch.zeros(2, device=musa) for _ in range(3)]))
    assert "[ERROR]" in log and "written argument 0.2" in log


def test_foreach_and_fused_optimizers_are_really_compared(device: str) -> None:
    parameters = [torch.randn(3, device=device, requires_grad=True) for _ in range(2)]
    for parameter in parameters:
        parameter.grad = torch.randn(3, device=device)
    optimizer = torch.optim.AdamW(parameters, foreach=True)
    log, tool = compared(optimizer.step)
    assert "torch.ops.aten._foreach_addcdiv_.ScalarList(forward) succeeds" in log
    assert tool.counts.total("failed") == tool.counts.total("untested") == 0


def test_in_place_operators_on_views(device: str) -> None:
    x = torch.arange(6.0, device=device)
    log, tool = compared(lambda: x[1:].add_(x[:-1].clone()).mul_(x[1:]))
    assert "[ERROR]" not in log and tool.counts.total("passed") == 3
    assert x.tolist() == [0, 1, 9, 25, 49, 81]
    log, _ = compared(lambda: torch.as_strided(x, (3,), (2,), 0).add_(torch.as_strided(x, (3,), (2,), 1)))
    assert "[ERROR]" not in log
    log, _ = compared(lambda: torch.add(x[:3], 1, out=x[3:]))
    assert "[ERROR]" not in log


def test_what_pytorch_refuses_it_refuses_under_the_tool(device: str) -> None:
    x = torch.arange(6.0, device=device)
    with pytest.raises(RuntimeError, match="single memory location"):
        compared(lambda: x[1:].add_(x[:-1]))


def test_arguments_that_share_memory_share_it_on_the_cpu_too(musa: str, planted: Planted) -> None:
    """The operator writes to one argument and reads the other: only with shared memory is the result the same."""

    def through_memory(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.fill_(3)
        return y.clone()

    op = planted("through(Tensor(a!) x, Tensor y) -> Tensor", through_memory, through_memory)
    base = torch.zeros(8, device=musa)
    log, _ = compared(lambda: op(base[:4], base[2:6]))
    assert "[ERROR]" not in log


def test_random_and_uninitialised_values_are_not_compared(device: str) -> None:
    def draws() -> None:
        x = torch.randn(50, device=device)
        torch.nn.functional.dropout(x)
        x.uniform_()
        torch.empty(50, device=device)
        x.new_empty(3)
        torch.multinomial(torch.ones(5, device=device), 2)

    log, tool = compared(draws)
    assert "[ERROR]" not in log and tool.counts.total("untested") == 0


def test_factories_are_compared_with_the_cpu(musa: str, planted: Planted) -> None:
    op = planted("make(Device device) -> Tensor", lambda device: torch.ones(2, device=device), lambda device: 0)
    library = torch.library.Library("planted", "FRAGMENT")
    library.impl("make", _wrong_factory, "BackendSelect")
    try:
        log, _ = compared(lambda: op(torch.device(musa)))
    finally:
        library._destroy()
    assert "[ERROR] torch.ops.planted.make(forward)" in log


def _wrong_factory(device: torch.device) -> torch.Tensor:
    return torch.full((2,), 1.0 if device.type == "cpu" else 5.0, device=device)


def test_half_without_a_kernel_on_the_cpu(musa: str, planted: Planted) -> None:
    """Floats are raised to float32; an index stays an integer."""

    def cpu(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        if x.dtype == torch.float16:
            raise RuntimeError("\"pick_cpu\" not implemented for 'Half'")
        assert index.dtype == torch.int64
        return x.index_select(0, index) * 2

    op = planted("pick(Tensor x, Tensor i) -> Tensor", cpu, lambda x, i: x.index_select(0, i) * 2)
    x, index = torch.ones(3, dtype=torch.float16, device=musa), torch.tensor([2, 0], device=musa)
    log, tool = compared(lambda: op(x, index))
    assert "\"pick_cpu\" not implemented for 'Half'\nConvert to float32 ...\n" in log
    assert tool.counts.total("failed") == tool.counts.total("untested") == 0


def test_an_operator_without_a_kernel_for_the_cpu_is_untested_and_never_halts(musa: str, tmp_path: Any) -> None:
    library = torch.library.Library("planted", "FRAGMENT")
    library.define("only(Tensor x) -> Tensor")
    library.impl("only", lambda x: x + 1, "PrivateUse1")
    try:
        x = torch.ones(2, device=musa)
        log, tool = compared(lambda: torch.ops.planted.only(x), dump_error_data=True, output_dir=str(tmp_path))
    finally:
        library._destroy()
    assert "[WARNING] torch.ops.planted.only(forward) has not been tested!" in log
    assert "no CPU kernel" in log
    assert tool.counts.total("untested") == 1


def test_sparse_meta_and_quantized_tensors_do_not_crash(device: str) -> None:
    def odd() -> None:
        torch.eye(3).to_sparse() * 2
        torch.ones(3, device="meta") * 2
        torch.ones(3).to(torch.float8_e4m3fn).to(torch.float32)
        torch.view_as_complex(torch.ones(3, 2, device=device)).abs()

    log, _ = compared(odd)
    assert "[ERROR]" not in log


def test_ties_are_no_error(musa: str, planted: Planted) -> None:
    x = torch.zeros(5)
    from musa_tools.judge.ties import point_to_equal_values

    assert point_to_equal_values("aten.argmax", (x,), {}, torch.tensor(3), torch.tensor(0))
    assert not point_to_equal_values("aten.argmax", (torch.arange(5.0),), {}, torch.tensor(3), torch.tensor(4))
    assert point_to_equal_values("aten.topk", (x, 2), {}, torch.tensor([4, 3]), torch.tensor([0, 1]))


def test_target_list_and_white_list(musa: str) -> None:
    x = torch.ones(2, 2, device=musa)

    def run() -> None:
        (x @ x).add(1).exp()

    for option in ("target_list", "target_op"):
        log, tool = compared(run, **{option: ["torch.ops.aten.mm", "torch.ops.aten.add"]})
        assert "torch.ops.aten.add.Tensor(forward) starts to run" in log  # a name without overload means all
        assert "torch.ops.aten.exp(forward) is not in target_list, pass" in log
        assert tool.counts.total("passed") == 2
    log, _ = compared(run, white_list=["torch.ops.aten.e*", "torch.ops.aten.mn"])
    assert "torch.ops.aten.exp(forward) is in white_list, pass" in log
    assert "torch.ops.aten.mm(forward) starts to run" in log
    assert "no operator was called 'torch.ops.aten.mn'" in log


def test_both_names_of_the_target_list_must_agree() -> None:
    with pytest.raises(ValueError, match="target_list and target_op"):
        CompareWithCPU(target_list=["a"], target_op=["b"])
    with pytest.raises(TypeError, match="needs a list"):
        CompareWithCPU(target_list="torch.ops.aten.mm")


def test_the_entry_of_a_failure_reads_as_documented(musa: str, planted: Planted) -> None:
    op = planted("scale(Tensor x, float by=2.0) -> Tensor", lambda x, by=2.0: x * by, lambda x, by=2.0: x * 3)

    class Scale(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return op(x)

    model = torch.nn.Sequential(torch.nn.Identity(), Scale())
    open_module_tracker(model)
    x = torch.ones(30, device=musa)
    log, _ = compared(lambda: model(x), atol=0.001, rtol=0.001)
    head = r"Tensor <shape=torch.Size\(\[30\]\), dtype=torch.float32, device=%s, size=30, >"
    elements = "".join(rf"Element at index \({i},\) is not close: 3.0\(musa:0\) vs 2.0\(cpu\)\n" for i in range(20))
    pattern = (
        r"\n={28}\n\[ERROR\] Sequential/Scale/torch.ops.planted.scale\(forward\) fails to pass CompareWithCPU test\n"
        r"  module: 1 \(call 1\)\n"
        r"\.{7} input \.{9}\n0: " + head % "musa:0" + r", \n\n\n\.{6} output \.{8}\n" + head % "musa:0" + r"\n\n"
        r"\.{6} compare with cpu \.{7}\nTensor values are not close\n\nToo many indices \(total 30\) to print \n\n"
        r"\.\.\.\n\n" + elements + r"\n\.\.\.\n\n.*={28}\n"
    )
    assert re.search(pattern, log, re.DOTALL), log


def test_without_verbose_inputs_and_outputs_are_left_out(musa: str, planted: Planted) -> None:
    op = planted("twice(Tensor x) -> Tensor", lambda x: x * 2, lambda x: x * 3)
    log, _ = compared(lambda: op(torch.ones(3, device=musa)), verbose=False)
    assert "....... input" not in log and "...... output" not in log and "...... compare with cpu" in log


def test_what_a_kernel_prints_and_raises_reaches_the_user(musa: str, planted: Planted) -> None:
    def loud(x: torch.Tensor) -> torch.Tensor:
        print("from the kernel")
        raise KeyError("planted")

    op = planted("loud(Tensor x) -> Tensor", lambda x: x, loud)

    def run() -> None:
        with pytest.raises(KeyError, match="planted"), CompareWithCPU():
            op(torch.ones(2, device=musa))

    assert "from the kernel" in printed(run)


def test_operators_of_the_cpu_are_passed_over_once_another_device_is_in_use(musa: str) -> None:
    def run() -> None:
        torch.ones(2, device=musa).exp()
        torch.ones(2).sin()

    log, _ = compared(run)
    assert "aten.exp(forward) succeeds" in log and "aten.sin" not in log


def test_a_default_device_of_the_user_changes_nothing(musa: str) -> None:
    torch.set_default_device(musa)
    try:
        log, tool = compared(lambda: (torch.ones(3, 3) @ torch.ones(3, 3)).add_(1))
    finally:
        torch.set_default_device(None)
    assert tool.counts.total("failed") == tool.counts.total("untested") == 0 and "aten.mm(forward) succeeds" in log
