"""Names of modules may hold anything: a dump stays valid, its files stay in their folder, names read back."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import torch
from dumped_runs import data, dump, files, load
from torch import nn

from musa_tools.compare_dumps.command import compare_command
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.records import call_name, layer_of
from musa_tools.compare_tool import CompareWithCPU, NanInfTracker, open_module_tracker
from musa_tools.errors import ToolError
from musa_tools.files import file_name
from musa_tools.saved_call import read_call

NAMES = [
    'layer "1"',
    '", "entry": {}}',
    "back\\slash",
    "a/b",
    "../../escape",
    "..",
    "dots.inside",
    "new\nline",
    "nul\0tab\t",
    "ä模块🙂",
    "\udc80",
    "Case",
    "case",
    "a:b*?<>|",
    "%2F",
    "[/red]",
    "=1+1",
    "</script>",
    "0.forward.0",
    "input.0.pt",
    "long" * 100,
    "long" * 100 + "er",
]


class Oddly(nn.Module):
    """Layers with such names, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._modules.update((name, nn.Linear(2, 2)) for name in NAMES)  # add_module refuses some of them

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self._modules.values():
            assert layer is not None
            x = layer(x)
        return x


def run(model: nn.Module) -> None:
    model(torch.ones(1, 2)).sum().backward()


def test_a_dump_of_modules_with_odd_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Oddly()
    dump(tmp_path, lambda: run(model), task="tensor", level="mix", model=model)
    for path in files(tmp_path).glob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))

    calls = [f"Module.{name}.Linear.forward.0" for name in NAMES]
    entries, parents = data(tmp_path), load(tmp_path, "construct")
    assert [name for name in entries if name in calls] == calls
    assert all(parents[name] == "Module.Oddly.forward.0" for name in calls) and set(calls) <= set(
        load(tmp_path, "stack")
    )
    linears = [parents[f"Functional.linear.{number}.forward"] for number in range(len(NAMES))]
    assert linears == calls

    folder = files(tmp_path) / "dump_tensor_data"
    named = [entry["data_name"] for name in calls for entry in (entries[name]["input_args"] + entries[name]["output"])]
    assert len(set(named)) == len(named) == 2 * len(NAMES)
    for name in named:
        assert (folder / name).is_file() and (folder / name).parent == folder
    outside = [
        path for path in tmp_path.rglob("*") if path.is_file() and "dump" not in path.relative_to(tmp_path).parts
    ]
    assert outside == [tmp_path / "config.json"]

    found = {call.name: call for call in read_dump(tmp_path / "dump").runs[0].calls}
    assert [found[name].layer for name in calls] == NAMES
    assert all(
        value.file is not None and value.file.is_file() for value in found[calls[3]].values if value.part == "input"
    )
    assert read_call(tmp_path / "dump", "Functional.linear.3.forward").args[0].shape == (1, 2)
    with pytest.raises(ToolError, match="is a module"):
        read_call(tmp_path / "dump", calls[3])

    status = compare_command(
        tmp_path / "dump", tmp_path / "dump", tmp_path / "out", "csv,json,html", "default", (None, None), (), False
    )
    assert status == 0 and "Every value agrees" in capsys.readouterr().out
    (table,) = (tmp_path / "out").glob("*.csv")
    with table.open(newline="", encoding="utf-8") as stream:
        text = "\n".join(cell for row in csv.reader(stream) for cell in row)
    assert all(name.encode(errors="backslashreplace").decode() in text for name in calls)
    (page,) = (tmp_path / "out").glob("*.html")
    assert page.read_text(encoding="utf-8").count("</script>") == 2  # of the page itself


def test_the_tools_name_parameters_of_modules_with_odd_names(capsys: pytest.CaptureFixture[str]) -> None:
    """The gradient of a parameter is accumulated outside all modules; it is attributed to its owner."""
    model = Oddly()
    with open_module_tracker(model), CompareWithCPU() as tool, NanInfTracker(log_all=True):
        run(model)
        run(model)  # adds to gradients
    assert not tool.counts.total("failed")
    assert "Oddly/Linear/torch.ops.aten." in capsys.readouterr().out


def test_names_of_files() -> None:
    names = [f"Module.{name}.Linear.forward.0.input.0.pt" for name in NAMES]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(name.isascii() and name.isprintable() and not set(name) & set('/\\:*?"<>|') for name in made)
    assert all(len(name) <= 200 and name.endswith(".pt") for name in made)
    for plain in ("Functional.linear.0.forward.input.0.pt", "3_Torch_cat_forward_input0_shape[2,3]_stride[3,1].npy"):
        assert file_name(plain) == plain
    assert not file_name("..").startswith(".") and not file_name(".hidden.pt").startswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_names_of_calls_are_read_as_they_were(name: str) -> None:
    for direction in ("forward", "backward", "parameters_grad"):
        found = call_name(f"Module.{name}.Linear.{direction}.7")
        assert found == (f"Module.{name}.Linear", 7, direction)
        assert layer_of(found.base) == name
