"""The examples of torch_musa's documents, as they are written; where one cannot run, its repaired form and why."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch
from printing import printed

COMPARE_OPTIONS = "atol=0.001, rtol=0.001, verbose=True"
TRACKED = """
    model = get_your_model()
    open_module_tracker(model)
    with CompareWithCPU({options}):
        train(model)
"""
BOTH = "from torch_musa.utils.compare_tool import CompareWithCPU, open_module_tracker"
# The documents import only these two here, and then use CompareWithCPU.
WITHOUT_COMPARE = """
    from torch_musa.utils.compare_tool import open_module_tracker, ModuleInfo
    from torch_musa.utils.compare_tool import CompareWithCPU
"""
LOOP = """
    model = get_your_model()
    open_module_tracker(model)
    with CompareWithCPU(atol=0.001, rtol=0.001, verbose=True, start_step=5) as compare_with_cpu:
        for epoch in range(epoch_num):
            for step in range(step_num):
                 train_step(model)
                 compare_with_cpu.step()
"""
EXAMPLES = {
    "compare": f"""
    from torch_musa.utils.compare_tool import CompareWithCPU
    model = get_your_model()
    with CompareWithCPU({COMPARE_OPTIONS}):
        train(model)
    """,
    "enabled": f"""
    from torch_musa.utils.compare_tool import CompareWithCPU
    model = get_your_model()
    with CompareWithCPU(enabled=False, {COMPARE_OPTIONS}):
        train(model)
    """,
    "tracker": WITHOUT_COMPARE + TRACKED.format(options=COMPARE_OPTIONS),
    "nan": """
    from torch_musa.utils.compare_tool import NanInfTracker
    model = get_your_model()
    with NanInfTracker():
        train(model)
    """,
    "isolate": f"    {BOTH}" + TRACKED.format(options="atol=0.001, rtol=0.001, target_op=['torch.ops.aten.addmm']"),
    "adjust": f"    {BOTH}" + TRACKED.format(options="atol=0.01, rtol=0.01, target_op=['torch.ops.aten.addmm']"),
    "white list": f"    {BOTH}" + TRACKED.format(options="atol=0.001, rtol=0.001, white_list=['torch.ops.aten.addmm']"),
    "dump": f"    {BOTH}"
    + TRACKED.format(
        options="atol=0.01, rtol=0.01, verbose=True, target_op=['torch.ops.aten.addmm'], dump_error_data=True, "
        " output_dir='path_to_save'"
    ),
    "steps": WITHOUT_COMPARE + LOOP,
    "file": WITHOUT_COMPARE
    + TRACKED.format(options=f"{COMPARE_OPTIONS}, should_log_to_file=True, output_dir='path_to_save'"),
    "ranks": WITHOUT_COMPARE
    + TRACKED.format(
        options=f"{COMPARE_OPTIONS}, should_log_to_file=True, output_dir='path_to_save', enable_ranks=[0]"
    ),
}


def names(device: str) -> dict[str, Any]:
    """Return the names that the documents leave to the reader."""

    def get_your_model() -> torch.nn.Module:
        layers = (torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
        return torch.nn.Sequential(*layers).to(device)

    def train_step(model: torch.nn.Module) -> None:
        model(torch.randn(5, 8, device=device)).square().mean().backward()

    def train(model: torch.nn.Module) -> None:
        for _ in range(2):
            train_step(model)

    return {
        "get_your_model": get_your_model,
        "train": train,
        "train_step": train_step,
        "epoch_num": 2,
        "step_num": 4,
    }


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(musa: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = compile(textwrap.dedent(EXAMPLES[example]), example, "exec")
    log = printed(lambda: exec(code, names(musa)))
    if example in ("file", "ranks"):
        log = (tmp_path / "path_to_save" / "compare_result.txt").read_text()
    assert "[ERROR]" not in log and "[WARNING]" not in log
    lines = log.splitlines()
    if example in ("compare", "tracker", "isolate", "adjust", "dump", "steps", "file", "ranks"):
        path = "" if example == "compare" else "Sequential/Linear/"
        assert f"{path}torch.ops.aten.addmm(forward) starts to run ..." in lines
        assert f"{path}torch.ops.aten.addmm(forward) succeeds to pass CompareWithCPU test" in lines
    if example == "white list":
        assert "Sequential/Linear/torch.ops.aten.addmm(forward) is in white_list, pass" in lines
    if example == "isolate":
        assert "Sequential/GELU/torch.ops.aten.gelu(forward) is not in target_list, pass" in lines
    if example == "steps":
        assert [line for line in lines if "step =" in line] == [
            f"{'-' * 25}  step = {step}  {'-' * 22}" for step in (5, 6, 7, 8)
        ]
        assert sum("addmm(forward) starts" in line for line in lines) == 6
    if example == "enabled":
        assert log == ""


REPRODUCE = """
    from torch_musa.utils.compare_tool import compare_for_single_op, nan_inf_track_for_single_op

    correct, args, kwargs, out = compare_for_single_op('path_to_save/torch.ops.aten.addmm_inputs.pkl', torch.ops.aten.addmm, atol=0.01, rtol=0.01)
    compared = correct
    correct, args, kwargs, out = nan_inf_track_for_single_op('path_to_save/torch.ops.aten.addmm_inputs.pkl', torch.ops.aten.addmm)
"""  # noqa: E501  as printed


def test_dump_and_reproduce(musa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An addmm that is wrong on the device: the run halts, its inputs are saved, and they reproduce the fault."""
    import torch_musa.utils.compare_tool as compare_tool

    monkeypatch.chdir(tmp_path)
    model = names(musa)["get_your_model"]()

    def train(model: torch.nn.Module) -> None:
        model(torch.randn(5, 8, device=musa))

    library = torch.library.Library("aten", "IMPL")
    library.impl("addmm", _wrong_addmm, "PrivateUse1", allow_override=True)
    try:
        code = compile(textwrap.dedent(EXAMPLES["dump"]), "dump", "exec")
        with pytest.raises(compare_tool.PrecisionError, match=r"CompareWithCPU Failed!.*aten\.addmm"):
            printed(lambda: exec(code, {"get_your_model": lambda: model, "train": train}))
        scope: dict[str, Any] = {"torch": torch}
        printed(lambda: exec(compile(textwrap.dedent(REPRODUCE), "reproduce", "exec"), scope))
        assert scope["compared"] is False and scope["correct"] is True
    finally:
        library._destroy()
    printed(lambda: exec(compile(textwrap.dedent(REPRODUCE), "reproduce", "exec"), scope))
    assert scope["compared"] is True and scope["out"].device.type == "musa"


def _wrong_addmm(
    bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: float = 1, alpha: float = 1
) -> torch.Tensor:
    return a @ b + bias + 1
