"""A program on unusual tensors runs as without a tool: the same results, exceptions, warnings and random numbers."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import pytest
import torch
import unusual_tensors
from dumped_runs import Net, data, dump, files
from torch import nn
from unusual_tensors import PROGRAMS, TOOLS

from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_tool import CompareWithCPU, NanInfTracker, PrecisionError
from musa_tools.dump.json_sink import JsonSink
from musa_tools.judge.closeness import identical, same
from musa_tools.saved_call import read_call

_COMPILED = ("compiled", "compiled_aot", "export")
_QUICK = (
    "compare",
    "nan_inf",
    "dump_overflows",
    "dump_and_read",
    "ptdbg",
)  # each of them reaches what the others do not
_ORDINARY = [name for name in PROGRAMS if name not in _COMPILED]
Outcomes = dict[str, Any]


def _outcomes(programs: Sequence[str], tools: Sequence[str]) -> Outcomes:
    """Run programs under tools, in one process; after a crash, continue with the next in another."""
    cells = [f"{program}/{tool}" for program in programs for tool in tools]
    found: Outcomes = {}
    while cells:
        command = [sys.executable, unusual_tensors.__file__, *cells]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
        lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('["')]
        found.update((cell, (wanted, watched)) for cell, wanted, watched in lines)
        cells = cells[len(lines) :]
        if cells:
            found[cells.pop(0)] = ("no crash", f"exit status {run.returncode} {run.stderr[-2000:]}")
    return found


def _check(programs: Sequence[str], tools: Sequence[str]) -> None:
    outcomes = _outcomes(programs, tools)
    assert len(outcomes) == len(programs) * len(tools)
    assert {cell: both for cell, both in outcomes.items() if both[0] != both[1]} == {}


def test_programs_run_as_without_a_tool() -> None:
    _check(_ORDINARY, _QUICK)


@pytest.mark.slow
def test_programs_run_as_without_the_other_tools() -> None:
    _check(_ORDINARY, [tool for tool in TOOLS if tool not in _QUICK])


@pytest.mark.slow
def test_compiled_programs_run_as_without_a_tool() -> None:
    _check(_COMPILED, list(TOOLS))


NESTED = (torch.ones(2), torch.ones(1))


# made in the test: a jagged tensor imports torch._dynamo, and each process of a run reads this list
@pytest.mark.parametrize(
    ("make", "shape", "numbers"),
    [
        (lambda: torch.tensor([7, 2**15], dtype=torch.int32).to(torch.uint16), [2], [2**15, 7, (2**15 + 7) / 2]),
        (lambda: torch.tensor([7, 2**31], dtype=torch.int64).to(torch.uint32), [2], [2**31, 7, (2**31 + 7) / 2]),
        (lambda: torch.tensor([1, 2], dtype=torch.uint64), [2], [2, 1, 1.5]),
        (lambda: torch.tensor([3 + 4j], dtype=torch.complex64).to(torch.complex32), [1], [5.0, 5.0, 5.0]),
        (lambda: torch.tensor([1.0, 4.0]).to(torch.float8_e8m0fnu), [2], [4.0, 1.0, 2.5]),
        (lambda: torch.tensor([1 + 2j]).conj().imag, [1], [-2.0, -2.0, -2.0]),
        (lambda: torch.tensor([1, 2, 3, 4], dtype=torch.uint8).view(torch.bits8), [4], [None] * 3),
        (lambda: torch._efficientzerotensor(3), [3], [None] * 3),
        (lambda: torch.ones(2, 3).to_mkldnn(), [2, 3], [None] * 3),
        (lambda: torch.eye(2).to_sparse_csr(), [2, 2], [None] * 3),
        (lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8), [2], [None] * 3),
        (lambda: torch.nested.nested_tensor(list(NESTED)), [-1, -1], [None] * 3),
        (lambda: torch.nested.nested_tensor(list(NESTED), layout=torch.jagged), [2, -1], [None] * 3),
    ],
    ids=(
        *("uint16", "uint32", "uint64", "complex32", "float8", "negative", "bits", "zero", "mkldnn", "csr"),
        *("quantised", "nested", "jagged"),
    ),
)
def test_what_a_dump_says_of_a_tensor(
    make: Callable[[], torch.Tensor], shape: Any, numbers: Any, tmp_path: Path
) -> None:
    """A tensor without numbers is noted without them."""
    value = make()
    dump(tmp_path, lambda: value.clone(), config={"summary_mode": "md5"}, task="statistics")
    entry = data(tmp_path)["Tensor.clone.0.forward"]["input_args"][0]
    assert (entry["type"], entry["dtype"], entry["shape"]) == ("torch.Tensor", str(value.dtype), shape)
    assert [entry[key] for key in ("Max", "Min", "Mean")] == numbers


def test_values_under_transforms_are_dumped_where_they_are_those_of_one_sample(tmp_path: Path) -> None:
    x = torch.tensor([3.0, 4.0])
    dump(tmp_path, lambda: torch.func.grad(lambda q: torch.sin(q).sum())(x), task="tensor")
    entry = data(tmp_path)["Torch.sin.0.forward"]["input_args"][0]
    assert (entry["Max"], entry["Norm"]) == (4.0, 5.0)
    assert torch.load(files(tmp_path) / "dump_tensor_data" / entry["data_name"]).tolist() == [3.0, 4.0]

    other = tmp_path / "other"
    other.mkdir()
    dump(other, lambda: torch.func.vmap(torch.sin)(torch.ones(5, 2)), task="tensor")
    entry = data(other)["Torch.sin.0.forward"]["input_args"][0]
    assert (entry["shape"], entry["Max"], entry["data_name"]) == ([2], None, None)


def test_lazy_modules_are_dumped_from_their_first_step(tmp_path: Path) -> None:
    model = nn.Sequential(nn.LazyLinear(3), nn.ReLU(inplace=True), nn.Linear(3, 1))
    dump(tmp_path, lambda: model(torch.ones(4, 5)).sum().backward(), level="mix", model=model)
    entries = data(tmp_path)
    parameters = entries["Module.0.LazyLinear.forward.0"]["parameters"]
    assert parameters["weight"] == {"type": "UninitializedParameter", "value": None}
    gradients = entries["Module.0.LazyLinear.parameters_grad.0"]
    assert gradients["weight"][0]["shape"] == [3, 5] and gradients["bias"][0]["shape"] == [3]
    assert not any(parameter._backward_hooks for parameter in model.parameters())


def test_memory_that_is_freed_before_it_was_looked_at(tmp_path: Path) -> None:
    """NanInfTracker holds small results for a while; meanwhile the program may give their memory back."""
    x = torch.full((4,), 2.0)
    with NanInfTracker(should_log_to_file=True, output_dir=str(tmp_path)) as tool:
        y = x * 2
        y.untyped_storage().resize_(0)
        z = torch.log(x - 3)
    assert z.isnan().all()
    assert tool.counts.total("created") == 1  # live tensors are still judged


def test_an_operator_without_a_copy_is_not_tested(tmp_path: Path) -> None:
    log = tmp_path / "compare_result.txt"
    with CompareWithCPU(should_log_to_file=True, output_dir=str(tmp_path)) as tool:
        torch._efficientzerotensor(3) * 2
        torch.nested.nested_tensor([torch.ones(2)]) * 2
    assert "a tensor has no memory\n[WARNING]" in log.read_text()
    assert "a tensor is nested" in log.read_text()
    assert not tool.counts.total("failed")


class Breaks(Exception):
    """An unexpected error."""


@pytest.mark.parametrize("method", ["begin", "end", "gradient", "gradients", "parameter_gradients"])
def test_an_error_of_the_dump_costs_one_warning(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any) -> Any:
        raise Breaks("what happened.\nand more")

    monkeypatch.setattr(JsonSink, method, fails)
    net = Net()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dump(tmp_path, lambda: [net(torch.ones(2, 6)).sum().backward() for _ in range(3)], level="mix", model=net)
    (message,) = [str(each.message) for each in caught]
    assert message.startswith("cannot dump ") and "Breaks: what happened. The run goes on" in message
    assert net.first.weight.grad is not None


def test_the_exception_that_a_user_asked_for_gets_through(tmp_path: Path) -> None:
    with pytest.raises(PrecisionError):
        dump(tmp_path, lambda: torch.log(torch.zeros(1)), task="overflow_check")


# --- numbers that are not finite


def strict(path: Path) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def not_finite() -> None:
    torch.log(torch.tensor([-1.0, 0.0]))
    torch.exp(torch.tensor([1000.0, 1.0]))
    torch.clamp(torch.ones(1), max=float("inf"), min=-float("inf"))
    torch.full((1,), float("nan"))
    torch.add(torch.ones(1), complex(float("nan"), 1))


def test_a_dump_is_strict_json(tmp_path: Path) -> None:
    dump(tmp_path, not_finite, task="tensor")
    entries = strict(files(tmp_path) / "dump.json")["data"]
    (log,) = entries["Torch.log.0.forward"]["output"]
    assert [log[key] for key in ("Max", "Min", "Mean", "Norm")] == ["NaN"] * 4
    assert entries["Torch.exp.0.forward"]["output"][0]["Max"] == "Infinity"
    clamp = entries["Torch.clamp.0.forward"]["input_kwargs"]
    assert clamp == {"max": {"type": "float", "value": "Infinity"}, "min": {"type": "float", "value": "-Infinity"}}
    assert entries["Torch.add.0.forward"]["input_args"][1] == {"type": "complex", "value": ["NaN", 1.0]}


def test_a_dump_that_is_not_finished_is_strict_json(tmp_path: Path) -> None:
    lines: list[str] = []
    dump(tmp_path, lambda: [not_finite(), lines.extend((files(tmp_path) / "dump.jsonl.part").read_text().splitlines())])
    assert len(lines) >= 5
    for number, line in enumerate(lines):
        (tmp_path / "line.json").write_text(line)
        assert strict(tmp_path / "line.json")["name"], number


def test_older_dumps_with_bare_words_read_the_same(tmp_path: Path) -> None:
    dump(tmp_path, not_finite, task="tensor")
    path = files(tmp_path) / "dump.json"
    new = read_dump(path).runs[0].calls
    again = read_call(path, "Torch.clamp.0.forward").kwargs
    text = path.read_text(encoding="utf-8")
    for word in ("NaN", "Infinity", "-Infinity"):
        text = text.replace(f'"{word}"', word)
    path.write_text(text, encoding="utf-8")
    assert repr(read_dump(path).runs[0].calls) == repr(new)
    assert again == read_call(path, "Torch.clamp.0.forward").kwargs == {"max": math.inf, "min": -math.inf}
    values = {value.position: value for call in new for value in call.values if call.name == "Torch.full.0.forward"}
    assert any(isinstance(value.scalar, float) and math.isnan(value.scalar) for value in values.values())


# --- equality


@pytest.mark.parametrize("equal", [identical, same])
def test_lazy_conjugates_and_negatives_are_not_what_lies_in_memory(equal: Callable[..., bool]) -> None:
    x = torch.tensor([1 + 2j, 3 - 1j])
    imaginary = x.conj().imag
    pairs = [
        (x, x.conj(), False),
        (x.conj(), x.conj(), True),
        (x.conj(), x.conj().resolve_conj(), True),
        (x.conj(), x.clone(), False),
        (imaginary, imaginary.resolve_neg(), True),
        (imaginary, x.imag.clone(), False),
        (torch.zeros(0), torch.zeros(0), True),
        (torch.ones(2), torch.ones(2), True),
    ]
    assert [equal(left, right) for left, right, _ in pairs] == [wanted for *_, wanted in pairs]
