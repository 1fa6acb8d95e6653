"""The command musa-tools: its help, its exit status, its errors."""

from __future__ import annotations

import builtins
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner, Result
from dumps import network, write_msprobe, write_ptdbg

from musa_tools.cli import main

COMMANDS = ["compare", "parse", "report", "replay"]


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    left = write_msprobe(tmp_path / "a" / "step0" / "rank0", network(wrong=2, noise=1e-7))
    return left, write_msprobe(tmp_path / "b" / "step0" / "rank0", network())


def test_the_command_is_installed() -> None:
    command = Path(sys.executable).with_name("musa-tools")
    if not command.exists():
        pytest.skip("this environment was installed before the command existed")
    done = subprocess.run([str(command), "--help"], capture_output=True, text=True, check=True)
    assert "Examples:" in done.stdout and "Exit status: 0" in done.stdout


def test_help_is_quick() -> None:
    code = "import sys, musa_tools.cli; print([m for m in ('torch', 'jinja2', 'rich', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str) -> None:
    text = run(command, "--help").output
    assert "Examples:" in text and f"musa-tools {command}" in text and "Exit status: 0" in text


def test_compare_writes_files_and_says_who_it_was(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    result = run("compare", *dumps, "-o", tmp_path / "out", "--format", "csv,json,html")
    assert result.exit_code == 1
    assert "First divergence: Functional.linear.2.forward" in result.output and "layers.2.fc" in result.output
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".csv", ".html", ".json"]
    run("compare", *dumps, "-o", tmp_path / "page")
    assert [path.suffix for path in (tmp_path / "page").iterdir()] == [".html"]
    assert run("compare", *dumps, "--format", "csv").exit_code == 2  # without a folder for it


def test_compare_exit_status(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    assert run("compare", dumps[1], dumps[1]).exit_code == 0
    quiet = run("compare", *dumps, "--quiet")
    assert quiet.exit_code == 1 and quiet.output == ""
    assert run("compare", dumps[0]).exit_code == 2
    assert run("compare", *dumps, "--profile", "mine").exit_code == 2


ERRORS = [
    (["compare", "nowhere", "nowhere"], "no such file or folder: nowhere"),
    (
        ["compare", "a", "a", "-o", "out", "--format", "xlsx"],
        "error: there is no format 'xlsx'\n  wanted: some of csv, json, html\n",
    ),
    (["compare", "a", "a", "--rename", "x"], "  wanted: OLD=NEW"),
    (["compare", "a", "a", "-o", "file/out"], "cannot make the folder"),
    (["parse", "nowhere", "x"], "no such file or folder"),
    (["report", "nowhere"], "nowhere cannot be read"),
    (["report", "a/dump.json"], "is no comparison"),
    (["replay", "nowhere"], "no such file: nowhere"),
]


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: " ".join(case[0]))
def test_an_error_is_a_block_without_a_traceback(
    case: tuple[list[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_msprobe(tmp_path / "a", network())
    (tmp_path / "file").write_text("")
    result = run(*case[0])
    assert result.exit_code == 2 and case[1] in result.output
    first, *parts = result.output.splitlines()
    assert first.startswith("error: ") and all(re.match("  (found|wanted|hint): ", part) for part in parts)


def test_the_summary_without_rich(dumps: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_rich(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("rich"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_rich)
    lines = run("compare", *dumps).output.splitlines()
    assert lines[0] == "First divergence: Functional.linear.2.forward (step 0, rank 0)"
    assert any(line.startswith("run ") and line.endswith("first divergence") for line in lines)
    assert lines[-1].startswith("step 0, rank 0") and lines[-1].endswith("Functional.linear.2.forward (made)")


def test_report_shows_a_comparison_again(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    first = run("compare", *dumps, "-o", tmp_path / "out", "--format", "json,html")
    (path,) = (tmp_path / "out").glob("*.json")
    (page,) = (tmp_path / "out").glob("*.html")
    again = run("report", path, "--html", tmp_path / "page.html")
    assert again.exit_code == 1 and again.output.split("written")[0] == first.output.split("written")[0]
    assert (tmp_path / "page.html").read_text() == page.read_text()


def test_parse(tmp_path: Path, dumps: tuple[Path, Path]) -> None:
    path = write_ptdbg(tmp_path / "a.pkl", network(), stacks=True, first=20)
    result = run("parse", path, "21_Functional_linear")
    assert result.exit_code == 0 and "21_Functional_linear_forward\n" in result.output
    assert "File model.py, line 10" in result.output and "torch.float32 [16, 8], max " in result.output
    assert "23_" not in result.output
    missing = run("parse", path, "2_Functional_linear")
    assert missing.exit_code == 1 and "no call begins with" in missing.output
    folder = run("parse", dumps[0].parent, "Functional.relu.3")
    assert "[step 0, rank 0]\nFunctional.relu.3.forward\n  module: Module.layers.3.Block.forward.0" in folder.output


def test_replay_runs_an_operator_again(tmp_path: Path) -> None:
    path = tmp_path / "torch.ops.aten.addmm_inputs.pkl"
    args = [torch.randn(6), torch.randn(2, 5), torch.randn(5, 6)]
    torch.save({"args": args, "kwargs": {}, "device": "cpu", "op": "torch.ops.aten.addmm"}, path)
    good = run("replay", path)
    assert good.exit_code == 0 and good.output.endswith("torch.ops.aten.addmm: agrees with the CPU\n")
    assert run("replay", path, "--nan").output.endswith("torch.ops.aten.addmm: no NaN, no Inf\n")
    args[1][0, 0] = float("nan")
    torch.save({"args": args, "kwargs": {}}, path)  # without the name: the file's name says it
    bad = run("replay", path, "--nan", "--device", "cpu")
    assert bad.exit_code == 1 and bad.output.endswith("torch.ops.aten.addmm: NaN or Inf\n")


def test_replay_on_the_device_where_it_failed(musa: str, planted: Any, tmp_path: Path) -> None:
    planted("replayed(Tensor x) -> Tensor", lambda x: x + 1, lambda x: x + 2)
    path = tmp_path / "inputs.pkl"
    torch.save({"args": [torch.ones(3)], "kwargs": {}, "device": musa, "op": "torch.ops.planted.replayed"}, path)
    assert run("replay", path).exit_code == 1
    assert run("replay", path, "--device", "cpu").exit_code == 0
    assert run("replay", path, "--atol", "2", "--rtol", "0").exit_code == 0


REPLAYS = [
    (["--op", "os.system"], "'os.system' is no operator"),
    (["--op", "torch.ops.aten.no_such"], "there is no operator torch.ops.aten.no_such"),
    (["--op", "torch.ops.aten.addmm"], "cannot be run with these inputs"),
    (["--import", "no_such_module"], "--import no_such_module"),
    (["--device", "cuda:77"], "cuda:77"),
]


@pytest.mark.parametrize("case", REPLAYS, ids=lambda case: " ".join(case[0]))
def test_replay_says_why_it_cannot(case: tuple[list[str], str], tmp_path: Path) -> None:
    path = tmp_path / "inputs.pkl"
    torch.save({"args": [torch.ones(1)], "kwargs": {}, "device": "cpu", "op": "torch.ops.aten.exp"}, path)
    result = run("replay", path, *case[0])
    assert result.exit_code == 2 and case[1] in result.output and "\nerror: " in f"\n{result.output}"


def test_convert_is_the_converter(tmp_path: Path) -> None:
    pytest.importorskip("musa_tools.convert.command_line")
    script = tmp_path / "train.py"
    script.write_text("import torch\nx = torch.ones(1).cuda()\n")
    assert run("convert", "-r", tmp_path, "-l", script).exit_code == 0
    assert ".musa()" in script.read_text()


def test_the_json_file_says_the_same(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    run("compare", *dumps, "-o", tmp_path / "out", "--format", "json")
    (path,) = (tmp_path / "out").iterdir()
    content = json.loads(path.read_text())
    (section,) = content["sections"]
    assert (
        content["differs"] and section["calls"][section["divergence"]["call"]]["name"] == "Functional.linear.2.forward"
    )
