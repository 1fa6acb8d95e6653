"""The call that a tool saves when it halts can be run again; a stranger's file is read without being run."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from printing import printed

from musa_tools.compare_tool import (
    CompareWithCPU,
    PrecisionError,
    ToolError,
    compare_for_single_op,
    nan_inf_track_for_single_op,
)
from musa_tools.watch.error_dump import load_call


def quietly(run: Callable[[], Any]) -> Any:
    result: list[Any] = []
    printed(lambda: result.append(run()))
    return result[0]


def halt(op: Any, folder: Path, *args: Any, **kwargs: Any) -> PrecisionError:
    def run() -> None:
        with CompareWithCPU(dump_error_data=True, output_dir=str(folder)):
            op(*args, **kwargs)

    with pytest.raises(PrecisionError) as error:
        printed(run)
    return error.value


def test_it_halts_at_the_first_failure_and_the_dump_fails_again(
    musa: str, planted: Callable[..., Any], tmp_path: Path
) -> None:
    op = planted(
        "off(Tensor x, int[] n, *, float by=1.) -> Tensor", lambda x, n, by=1.0: x * by, lambda x, n, by=1.0: x + 7
    )
    error = halt(op, tmp_path / "path_to_save", torch.ones(3, device=musa), [1, 2], by=2.0)
    path = tmp_path / "path_to_save" / "torch.ops.planted.off_inputs.pkl"
    assert str(error).startswith("CompareWithCPU Failed!") and str(path) in str(error)
    assert (tmp_path / "path_to_save" / "torch.ops.planted.off_outputs.pkl").exists()
    correct, args, kwargs, out = quietly(lambda: compare_for_single_op(path, op, atol=0.01, rtol=0.01))
    assert not correct
    assert args[0].device.type == musa and args[1] == [1, 2] and kwargs == {"by": 2.0}
    assert out.cpu().tolist() == [8.0, 8.0, 8.0]


def test_the_inputs_of_an_operator_in_place_are_those_before_it(
    musa: str, planted: Callable[..., Any], tmp_path: Path
) -> None:
    op = planted("off_(Tensor(a!) x) -> Tensor(a!)", lambda x: x.mul_(2), lambda x: x.add_(5))
    halt(op, tmp_path, torch.tensor([1.0, 2.0], device=musa))
    data = load_call(tmp_path / "torch.ops.planted.off__inputs.pkl")
    assert data["args"][0].tolist() == [1.0, 2.0]


def test_arguments_share_memory_again(musa: str, planted: Callable[..., Any], tmp_path: Path) -> None:
    def right(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.fill_(1)
        return y + 0

    def wrong(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return right(x, y) + 1

    op = planted("alias(Tensor(a!) x, Tensor y) -> Tensor", right, wrong)
    base = torch.zeros(3, 4, device=musa).t()
    halt(op, tmp_path, base[:2], base[1:])
    path = tmp_path / "torch.ops.planted.alias_inputs.pkl"
    correct, args, _, out = quietly(lambda: compare_for_single_op(path, op))
    assert not correct
    assert args[0].stride() == base.stride()
    args[0].fill_(9)
    assert args[1][0].tolist() == [9, 9, 9] and out.cpu()[0].tolist() == [2, 2, 2]


def test_a_packet_finds_its_overload_and_its_device(device: str, tmp_path: Path) -> None:
    path = tmp_path / "torch.ops.aten.addmm_inputs.pkl"
    args = [torch.randn(6), torch.randn(2, 5), torch.randn(5, 6)]
    torch.save({"args": args, "kwargs": {}, "device": device}, path)
    correct, moved, _, out = quietly(lambda: compare_for_single_op(path, torch.ops.aten.addmm, atol=0.01, rtol=0.01))
    assert correct and moved[0].device.type == device and out.shape == (2, 6)
    correct, *_ = quietly(lambda: nan_inf_track_for_single_op(path, torch.ops.aten.addmm))
    assert correct
    torch.save({"args": [args[0], args[1] * float("nan"), args[2]], "kwargs": {}, "device": device}, path)
    correct, *_ = quietly(lambda: nan_inf_track_for_single_op(str(path), torch.ops.aten.addmm))
    assert not correct


def test_plain_pickles_of_torch_musa_are_read(tmp_path: Path) -> None:
    path = tmp_path / "inputs.pkl"
    args = [
        torch.randn(2),
        torch.ones(2, dtype=torch.bfloat16),
        [1, 2],
        torch.float16,
        torch.nn.Parameter(torch.ones(1)),
    ]
    path.write_bytes(pickle.dumps({"args": args, "kwargs": {"device": torch.device("cpu"), "dtype": torch.int64}}))
    data = load_call(path)
    assert torch.equal(data["args"][0], args[0]) and data["args"][1].dtype == torch.bfloat16
    assert data["args"][3] is torch.float16 and data["kwargs"]["dtype"] is torch.int64


class Hostile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.path),))


class HostileBytes:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def __reduce__(self) -> Any:
        return (torch.storage._load_from_bytes, (self.data,))


@pytest.mark.parametrize("form", ["pickle", "zip", "nested"])
def test_a_hostile_file_is_refused_and_nothing_runs(tmp_path: Path, form: str) -> None:
    path, trace = tmp_path / "inputs.pkl", tmp_path / "trace"
    value = {"args": [Hostile(trace)], "kwargs": {}}
    if form == "zip":
        torch.save(value, path)
    elif form == "pickle":
        path.write_bytes(pickle.dumps(value))
    else:
        inner = tmp_path / "inner"
        torch.save(Hostile(trace), inner, _use_new_zipfile_serialization=False)
        path.write_bytes(pickle.dumps({"args": [HostileBytes(inner.read_bytes())], "kwargs": {}}))
    with pytest.raises(ToolError, match="asks for more than tensors"):
        load_call(path)
    assert not trace.exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", pickle.dumps([1, 2]), pickle.dumps({"args": 1})[:9]])
def test_a_file_that_is_no_dump(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "inputs.pkl"
    path.write_bytes(content)
    with pytest.raises(ToolError, match=r"inputs\.pkl"):
        load_call(path)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(ToolError, match="no such file: nowhere"):
        load_call("nowhere")


def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "inputs.pkl"
    torch.save({"args": [torch.ones(1)], "kwargs": {}, "device": "cuda:77"}, path)
    with pytest.raises(ToolError, match='device="cpu"'):
        compare_for_single_op(path, torch.ops.aten.exp)
    assert quietly(lambda: compare_for_single_op(path, torch.ops.aten.exp, device="cpu"))[0]


def test_dumps_of_ranks_lie_beside_each_other(
    musa: str, planted: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = planted("rank(Tensor x) -> Tensor", lambda x: x + 1, lambda x: x + 2)
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        halt(op, tmp_path, torch.ones(1, device=musa))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"torch.ops.planted.rank_{kind}_rank{rank}.pkl" for kind in ("inputs", "outputs") for rank in "01"]
