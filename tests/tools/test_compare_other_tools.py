"""compare and parse of ptdbg_ascend, compare of torch_npu.hooks: their parameters, files and columns."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from dumps import Made, network, write_hooks, write_ptdbg

from musa_tools.compare_dumps.other_tools import hooks_compare, ptdbg_compare, ptdbg_parse
from musa_tools.errors import ToolError

HOOKS_COLUMNS = (
    "Name,Npu Tensor Dtype,Bench Tensor Dtype,Npu Tensor Shape,Bench Tensor Shape,Cosine,RMSE,MAPE"  # in this order
)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def parameters(tmp_path: Path) -> dict[str, str]:
    """The parameters as the document of ptdbg_ascend writes them."""
    write_ptdbg(tmp_path / "npu_dump.pkl", network(wrong=2), stacks=True)
    write_ptdbg(tmp_path / "gpu_dump.pkl", network())
    return {
        "npu_pkl_path": str(tmp_path / "npu_dump.pkl"),
        "bench_pkl_path": str(tmp_path / "gpu_dump.pkl"),
        "npu_dump_data_dir": str(tmp_path / "npu_dump_20230104_132544"),
        "bench_dump_data_dir": str(tmp_path / "gpu_dump_20230104_132544"),
    }


@pytest.mark.parametrize("stacks", [False, True])
def test_ptdbg_compare(parameters: dict[str, str], stacks: bool, tmp_path: Path) -> None:
    output = tmp_path / "output"
    output.mkdir()
    ptdbg_compare(parameters, str(output), stacks)
    (path,) = output.iterdir()
    assert re.fullmatch(r"compare_result_\d{14}\.csv", path.name)
    rows = rows_of(path)
    wrong = {row["NPU Name"] for row in rows if row["Accuracy Reached or Not"] == "No"}
    right = {row["NPU Name"] for row in rows if row["Accuracy Reached or Not"] == "Yes"}
    assert "7_Functional_linear_forward_output.0" in wrong and "4_Functional_linear_forward_output.0" in right
    assert all(float(row["Cosine"]) == 1 and float(row["MaxAbsErr"]) == 0 for row in rows[:10])
    assert {"Bench Name", "Cosine", "MaxAbsErr", "MaxRelativeErr", "NPU max", "Bench mean"} <= set(rows[0])
    assert ("NPU_Stack_Info" in rows[0]) is stacks
    assert not stacks or any("model.py, line 12" in row["NPU_Stack_Info"] for row in rows)


def test_ptdbg_compare_says_what_is_missing(parameters: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"no such folder: .*nowhere; hint: make it first"):
        ptdbg_compare(parameters, tmp_path / "nowhere")
    with pytest.raises(ToolError, match="bench_dump_data_dir: no such folder"):
        ptdbg_compare({**parameters, "bench_dump_data_dir": "nowhere"}, tmp_path)
    del parameters["bench_pkl_path"]
    with pytest.raises(ToolError, match="bench_pkl_path is missing"):
        ptdbg_compare(parameters, tmp_path)


def test_ptdbg_parse(parameters: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    ptdbg_parse(parameters["npu_pkl_path"], "7_Functional_linear")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "7_Functional_linear_forward" and "model.py, line 12" in lines[1]
    assert [line.split(":")[0].strip() for line in lines[-3:]] == ["input.0", "input.1", "output.0"]
    assert "max" in lines[-1] and "min" in lines[-1] and "mean" in lines[-1]
    with pytest.raises(ToolError, match="no call whose name begins with '77_Torch_norm'"):
        ptdbg_parse(parameters["npu_pkl_path"], "77_Torch_norm")


def test_a_prefix_ends_at_the_end_of_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.ones(2)
    names = ["Torch.norm", "Torch.normal", "Torch.batch_normal"]
    path = write_ptdbg(tmp_path / "a.pkl", [Made(name, (x,), (x,)) for name in names], first=21)
    for prefix, found in (("21_Torch_norm", ["21_Torch_norm_forward"]), ("2", []), ("23_Torch_batch", [])):
        if found or prefix.startswith("23"):
            ptdbg_parse(path, prefix)
            wanted = found or ["23_Torch_batch_normal_forward"]
            assert [line for line in capsys.readouterr().out.splitlines() if line[0] != " "] == wanted
        else:
            with pytest.raises(ToolError):
                ptdbg_parse(path, prefix)


@pytest.mark.parametrize("form", [{"ours": True, "layers": True}, {"ours": False}, {"sample": False}])
def test_hooks_compare(form: dict[str, Any], tmp_path: Path) -> None:
    write_hooks(tmp_path / "npu.pkl", network(noise=1e-7), **form)
    write_hooks(tmp_path / "cpu.pkl", network(), **form)
    hooks_compare(tmp_path / "npu.pkl", str(tmp_path / "cpu.pkl"), tmp_path / "module_result.csv")
    rows = rows_of(tmp_path / "module_result.csv")
    assert ",".join(rows[0]) == HOOKS_COLUMNS
    assert len(rows) == 36 and all(float(row["Cosine"]) > 0.999999 for row in rows)
    assert rows[0]["Npu Tensor Shape"] == "[16, 8]" and rows[0]["Bench Tensor Dtype"] == "torch.float32"


def test_hooks_compare_leaves_out_what_has_no_partner(tmp_path: Path) -> None:
    """Figure 2 of the document: two operators here, another one there, and alignment continues after them."""
    calls = network()
    fused = [Made("NPU.npu_op_1", calls[1].inputs, calls[1].outputs), Made("NPU.npu_op_2", calls[2].inputs, ())]
    left, right = [*calls[:1], *fused, *calls[3:]], calls
    write_hooks(tmp_path / "npu.pkl", left)
    write_hooks(tmp_path / "cpu.pkl", right)
    hooks_compare(tmp_path / "npu.pkl", tmp_path / "cpu.pkl", tmp_path / "out.csv")
    names = [row["Name"] for row in rows_of(tmp_path / "out.csv")]
    assert not any("npu_op" in name for name in names) and len(names) == 31


def test_shape_flag(tmp_path: Path) -> None:
    write_hooks(tmp_path / "a.pkl", [Made("Torch.f", (torch.ones(2),), (torch.ones(2),))])
    write_hooks(tmp_path / "b.pkl", [Made("Torch.f", (torch.ones(3),), (torch.ones(3),))])
    for flag, count in ((False, 2), (True, 0)):
        hooks_compare(tmp_path / "a.pkl", tmp_path / "b.pkl", tmp_path / "out.csv", shape_flag=flag)
        assert len(rows_of(tmp_path / "out.csv")) == count
    assert (tmp_path / "out.csv").read_text().strip() == HOOKS_COLUMNS


def test_zero_references(tmp_path: Path) -> None:
    write_hooks(tmp_path / "a.pkl", [Made("Torch.f", (torch.zeros(2),), (torch.tensor([0.5, 2.0]),))])
    write_hooks(tmp_path / "b.pkl", [Made("Torch.f", (torch.zeros(2),), (torch.tensor([0.0, 1.0]),))])
    hooks_compare(tmp_path / "a.pkl", tmp_path / "b.pkl", tmp_path / "out.csv")
    zeros, result = rows_of(tmp_path / "out.csv")
    assert (zeros["Cosine"], zeros["RMSE"], zeros["MAPE"]) == ("1", "0", "")
    assert float(result["MAPE"]) == 1 and float(result["RMSE"]) == pytest.approx((0.625) ** 0.5)
