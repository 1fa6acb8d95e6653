"""A slice of PyTorch's own database of operators: no false alarm, and small changes are found.

The whole is a script: benchmarks/tools/op_db.py.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from script_modules import module_of

from musa_tools.compare_tool import CompareWithCPU, NanInfTracker
from musa_tools.judge.verdict import Status
from musa_tools.observe.op_facts import facts_of
from musa_tools.rerun.examine import examine
from musa_tools.rerun.reference import Call
from musa_tools.tensors.operands import tensors

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "tools" / "op_db.py"


@cache
def script() -> Any:
    pytest.importorskip("expecttest", reason="torch.testing's database of operators needs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return module_of(SCRIPT, "op_db_script")


@pytest.mark.parametrize(
    ("device", "every"),
    [
        pytest.param("musa", 96, marks=pytest.mark.compiles),
        pytest.param("musa", 12, marks=[pytest.mark.slow, pytest.mark.compiles]),
        pytest.param("cpu", 12, marks=pytest.mark.slow),
    ],
    indirect=["device"],
)
def test_a_slice_of_the_database(device: str, every: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        findings, impossible = script().run(device, None, 1, True, every)
    assert findings.false_alarms == {}
    assert len(findings.operators) > 600 / every
    assert len(findings.tested) >= 0.95 * len(findings.operators), findings.untested
    assert findings.found >= 0.97 * findings.changed - 2, findings.missed
    assert all("jiterator" in label or "sparse" in label for label in impossible), impossible


@pytest.mark.parametrize("tool", [CompareWithCPU, NanInfTracker])
@pytest.mark.parametrize("name", ["pinv", "lstsq"])
def test_operators_that_form_conjugates_are_not_changed(name: str, tool: Any, tmp_path: Path) -> None:
    """PyTorch computes these, of the second the residuals, wrongly under a dispatch mode."""
    torch.manual_seed(0)
    a, b = torch.randn(2, 6, 4, dtype=torch.complex128)

    def function() -> Any:
        return torch.linalg.pinv(a) if name == "pinv" else torch.linalg.lstsq(a, b, driver="gels")

    plain = function()
    with tool(should_log_to_file=True, output_dir=str(tmp_path)) as watching:
        watched = function()
    for left, right in zip(tensors(plain), tensors(watched)):
        torch.testing.assert_close(left, right)
    assert watching.counts.total("failed" if tool is CompareWithCPU else "created") == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the samples use what PyTorch deprecates
def test_no_operator_of_complex_numbers_is_changed() -> None:
    """All operators of the database, with a tool and without; only rounding may differ, as PyTorch calls other code."""
    compared = 0
    for op in script().op_db:
        if torch.complex64 not in op.dtypes or op.name.startswith(
            ("empty", "new_empty", "to_sparse", "sparse.", "jiterator")
        ):
            continue
        for sample in op.sample_inputs("cpu", torch.complex64):
            torch.manual_seed(1)
            plain = tensors(op(sample.input, *sample.args, **sample.kwargs))
            torch.manual_seed(1)
            with contextlib.redirect_stdout(io.StringIO()), NanInfTracker():
                watched = tensors(op(sample.input, *sample.args, **sample.kwargs))
            for left, right in zip(plain, watched):
                torch.testing.assert_close(left, right, equal_nan=True, rtol=1e-3, atol=1e-3)
                compared += 1
    assert compared > 5000


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_one_wrong_element_of_a_long_product(dtype: torch.dtype) -> None:
    """8 units in the last place for each of 4096 products, or 2 % in a narrow dtype."""
    torch.manual_seed(0)
    a, b = torch.randn(8, 4096).to(dtype), torch.randn(4096, 8).to(dtype)
    right = a @ b
    call = Call(torch.ops.aten.mm.default, facts_of(torch.ops.aten.mm.default), (a, b), {})
    order = torch.randperm(4096)
    assert verdict(call, a[:, order] @ b[order]) is Status.PASS  # another order of the sum is right, too
    size = right.abs().double()
    found = 0
    for index in range(right.numel()):
        wrong = right.clone()
        change = 8 * 4096 * 2.0**-23 if dtype == torch.float32 else 0.02 * 4
        wrong.view(-1)[index] += max(change * float(size.view(-1)[index]), change * float(size.median()))
        found += verdict(call, wrong) is Status.VALUES
    assert found == right.numel()


@pytest.mark.parametrize("error", [0.0, 0.01])
def test_statistics_of_normalizations_may_be_wider_than_the_cpus(error: float) -> None:
    """CUDA returns mean and deviation of halves in float32."""
    torch.manual_seed(0)
    x, shape = torch.randn(8, 64).half(), [64]
    function = torch.ops.aten.native_layer_norm.default
    wide = [each.float() for each in function(x.float(), shape, None, None, 1e-5)]
    outputs = (wide[0].half(), wide[1] + error, wide[2])
    call = Call(function, facts_of(function), (x, shape, None, None, 1e-5), {})
    assert verdict(call, outputs) is (Status.VALUES if error else Status.PASS)


@pytest.mark.parametrize("error", [0.0, 1.0])
def test_a_bias_may_be_added_to_the_rounded_sum(error: float) -> None:
    """Cards do so. Where sum and bias nearly cancel, the rounding of the sum is large beside the result."""
    rest = ([1] * 3, [0] * 3, [1] * 3, False, [0] * 3, 1)
    function = torch.ops.aten.convolution.default
    for seed in range(60):
        torch.manual_seed(seed)
        x, weight = torch.randn(1, 1, 4, 4, 4).half(), torch.randn(1, 1, 3, 3, 3).half()
        bias = (4 * torch.randn(1)).half()
        outputs = function(x, weight, None, *rest) + bias
        outputs[0, 0, 1, 1, 1] += error
        call = Call(function, facts_of(function), (x, weight, bias, *rest), {})
        assert verdict(call, outputs) is (Status.VALUES if error else Status.PASS), seed


def test_what_only_a_backward_pass_reads_is_not_compared() -> None:
    """CUDA returns an empty buffer."""
    x = torch.randn(5)
    call = Call(
        torch.ops.aten.log_sigmoid_forward.default, facts_of(torch.ops.aten.log_sigmoid_forward.default), (x,), {}
    )
    right = torch.nn.functional.logsigmoid(x)
    assert verdict(call, (right, torch.empty(0))) is Status.PASS
    assert verdict(call, (right + 1, torch.empty(0))) is Status.VALUES


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_buffers_of_an_embedding_bag_are_compared_where_they_say_something(mode: str) -> None:
    """CUDA fills those that the CPU leaves empty, and leaves others empty."""
    torch.manual_seed(0)
    weight, indices, offsets = torch.randn(10, 4), torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 3])
    function = torch.ops.aten._embedding_bag.default
    args = (weight, indices, offsets, False, ["sum", "mean", "max"].index(mode))
    call = Call(function, facts_of(function), args, {})
    right, bags, sizes, largest = function(*args)
    assert verdict(call, (right, bags, sizes, largest)) is Status.PASS
    assert verdict(call, (right + 1, bags, sizes, largest)) is Status.VALUES
    assert verdict(call, (right, bags, sizes, largest + 1)) is (Status.VALUES if mode == "max" else Status.PASS)
    assert verdict(call, (right, bags, sizes, largest[:0])) is (Status.SHAPE if mode == "max" else Status.PASS)


def verdict(call: Call, outputs: Any) -> Status:
    return examine(call, outputs, (), None).verdict.status


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_another_correct_way_to_compute_is_no_false_alarm(dtype: torch.dtype) -> None:
    """Other orders of summation, fused or separate multiplications and additions: many shapes, and none is blamed."""
    torch.manual_seed(1)
    ops = torch.ops.aten
    for _ in range(60):
        rows, inner, columns = (int(2 ** (7 * torch.rand(()))) for _ in range(3))
        a, b = torch.randn(rows, inner).to(dtype), torch.randn(inner, columns).to(dtype)
        x, y, z = (torch.randn(rows, columns).to(dtype) for _ in range(3))
        order = torch.randperm(inner)
        other_ways: list[tuple[Any, tuple[Any, ...], torch.Tensor]] = [
            (ops.mm.default, (a, b), a[:, order].contiguous() @ b[order].contiguous()),
            (ops.mm.default, (a, b), (b.t().contiguous() @ a.t().contiguous()).t()),
            (ops.sum.dim_IntList, (a, [1]), a[:, order].sum(1)),
            (ops._softmax.default, (a, 1, False), (a.double().exp() / a.double().exp().sum(1, True)).to(dtype)),
            (ops.addcmul.default, (x, y, z), x + y * z),
            (ops.addcmul.default, (x, y, z), (x.double() + y.double() * z.double()).to(dtype)),
            (ops.gelu.default, (x,), torch.nn.functional.gelu(x.double()).to(dtype)),
        ]
        for func, args, result in other_ways:
            found = examine(Call(func, facts_of(func), args, {}), result, (), None).verdict
            assert found.status is Status.PASS, (func, rows, inner, columns, found.reason)


def gelu_by_its_definition() -> tuple[Any, tuple[Any, ...], torch.Tensor]:
    """1 + erf(x) loses digits where x is negative, and nothing is more precise than double precision."""
    x = torch.randn(100, dtype=torch.float64) * 2
    return torch.ops.aten.gelu.default, (x,), x * 0.5 * (1 + torch.erf(x * 0.5**0.5))


def incomplete_gamma_by_another_series() -> tuple[Any, tuple[Any, ...], torch.Tensor]:
    """PyTorch's own series are up to 20 units in the last place from the precise value."""
    a, x = 1 + 5 * torch.rand(2, 100, dtype=torch.float64)
    twelve_units = 12 * torch.finfo(torch.float64).eps * torch.sign(torch.randn(100, dtype=torch.float64))
    return torch.ops.aten.igamma.default, (a, x), torch.igamma(a, x) * (1 + twelve_units)


def convolution_by_partial_sums() -> tuple[Any, tuple[Any, ...], torch.Tensor]:
    """Kernels without a library add each product of matrices to the result, in the result's dtype."""
    image, weight = 9 * torch.randn(1, 4, 5, 5).bfloat16(), 9 * torch.randn(4, 8, 3, 3).bfloat16()
    columns = (weight.flatten(1).t().float() @ image.flatten(2)[0].float()).bfloat16().view(8, 3, 3, 5, 5)
    result = torch.zeros(1, 8, 7, 7, dtype=torch.bfloat16)
    for row in range(3):
        for column in range(3):
            result[0, :, row : row + 5, column : column + 5] += columns[:, row, column]
    return torch.ops.aten.convolution.default, (image, weight, None, [1, 1], [0, 0], [1, 1], True, [0, 0], 1), result


@pytest.mark.parametrize(
    "way", [gelu_by_its_definition, incomplete_gamma_by_another_series, convolution_by_partial_sums]
)
def test_digits_that_are_lost_by_the_way_to_compute_are_no_false_alarm(way: Any) -> None:
    for seed in range(10):
        torch.manual_seed(seed)
        func, args, result = way()
        call = Call(func, facts_of(func), args, {})
        assert examine(call, result, (), None).verdict.status is Status.PASS, seed
        wrong = result.clone()
        largest = int(wrong.abs().argmax())
        wrong.view(-1)[largest] *= 1 + 128 * torch.finfo(wrong.dtype).eps
        assert examine(call, wrong, (), None).verdict.status is Status.VALUES, seed
