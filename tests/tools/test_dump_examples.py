"""The examples of the documents of msprobe, ptdbg_ascend and torch_npu.hooks, after the opt-in to their names.

What they leave out is supplied. Where one cannot run as it is written, this is the repaired form, with the reason.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from musa_tools import aliases
from musa_tools.dump.config import default_names
from musa_tools.dump.hooks_session import HooksSession
from musa_tools.errors import PrecisionError
from musa_tools.observe.model_runs import ModelRuns
from musa_tools.other_tools import hooks

EXAMPLES = Path(__file__).with_name("programs") / "dump_examples"
needs_compare = pytest.mark.skipif(
    importlib.util.find_spec("musa_tools.compare_dumps") is None, reason="the comparison of dumps is not there yet"
)


@pytest.fixture(autouse=True)
def aliased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Opt in to the names, and work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(hooks, "SESSION", HooksSession(ModelRuns(default_names), hooks.step_schedule))
    hooks.step_schedule.reset_step()
    aliases.install()
    yield
    aliases.uninstall()


def run(code: str, **names: Any) -> dict[str, Any]:
    """Run lines of Python, with these names; return its name space."""
    space = dict(names)
    exec(compile(code, "<example>", "exec"), space)
    return space


def example(name: str, **names: Any) -> dict[str, Any]:
    """Run a file of EXAMPLES."""
    return run((EXAMPLES / name).read_text(encoding="utf-8"), **names)


def read(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


CONFIG = {"task": "tensor", "dump_path": "./dump_path", "rank": [], "step": [], "level": "mix", "tensor": {}}


def test_msprobe_a_model(musa: str, tmp_path: Path) -> None:
    """The document selects the device with torch.npu, here it is torch.musa; and it mixes tabs with blanks."""
    Path("config.json").write_text(json.dumps(CONFIG))
    example("msprobe_model.py")
    folder = tmp_path / "dump_path" / "step0" / "rank"
    assert {"dump.json", "stack.json", "construct.json", "dump_tensor_data"} == {path.name for path in folder.iterdir()}
    names = {path.name for path in (folder / "dump_tensor_data").iterdir()}
    assert {
        "Functional.linear.0.forward.input.0.pt",
        "Functional.linear.1.backward.output.0.pt",
        "Functional.relu.0.backward.input.0.pt",
        "Module.linear_1.Linear.forward.0.input.0.pt",
        "Module.Wide.forward.0.output.0.pt",
        "Tensor.sum.0.forward.output.0.pt",
    } <= names
    entry = json.loads((folder / "dump.json").read_text())["data"]["Functional.relu.0.forward"]["output"][0]
    assert {"dtype", "shape", "Max", "Min", "Mean", "Norm"} <= set(entry)


@pytest.mark.parametrize("ends", [False, True])
def test_msprobe_a_loop(musa: str, ends: bool, tmp_path: Path) -> None:
    """In the document, tabs and blanks are mixed, which Python refuses."""
    Path("config.json").write_text(json.dumps({"task": "statistics", "level": "L1", "dump_path": "./elsewhere"}))
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).to(musa)
    batches = [(torch.randn(2, 4, device=musa), torch.randn(2, 4, device=musa)) for _ in range(3)]
    example("msprobe_loop.py", model=model, data_loader=batches, ends_the_forward_pass=ends)
    for step in range(3):
        found = json.loads((tmp_path / "dump_path" / f"step{step}" / "rank" / "dump.json").read_text())["data"]
        assert ("Tensor.square.0.forward" in found) != ends
        assert {"Functional.linear.0.forward", "Functional.linear.0.backward"} <= set(found)
    assert not (tmp_path / "elsewhere").exists()


def test_hooks_a_small_network(musa: str) -> None:
    """The document registers the hook for a name that does not exist, model_cpu; .npu() is .musa() here."""
    example("hooks_small_network.py")
    cpu, npu = ([json.loads(line) for line in read(f"{kind}_module_op.pkl")] for kind in ("cpu", "npu"))
    assert [line[0] for line in cpu] == [line[0] for line in npu]
    assert cpu[0][0] == "1_Functional_linear_forward_input.0"
    for left, right in zip(cpu, npu):
        assert left[2:4] == right[2:4]
        assert left[1] == pytest.approx(right[1], rel=1e-4, abs=1e-6)


@needs_compare
def test_hooks_comparison(musa: str) -> None:
    example("hooks_small_network.py")
    run(
        "from torch_npu.hooks.tools import compare\n"
        'compare("./npu_module_op.pkl", "./cpu_module_op.pkl", "./module_result.csv")\n'
    )
    assert "Cosine" in Path("module_result.csv").read_text().splitlines()[0]


def test_hooks_two_models_and_reading(musa: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The document takes resnet50 of torchvision, and labels that may be negative, which cross_entropy refuses."""
    example("hooks_two_models.py")
    name, values, dtype, shape = capsys.readouterr().out.splitlines()
    assert name == "1_Functional_conv2d_forward_input.0" and dtype == "torch.float32" and shape == "[1, 3, 8, 8]"
    assert len(json.loads(values)) == 10  # sampled by default
    cpu, npu = ([json.loads(line)[0] for line in read(f"{kind}_resnet50_op.pkl")] for kind in ("cpu", "npu"))
    assert [name.partition("_")[2] for name in cpu] == [name.partition("_")[2] for name in npu]
    assert any("Module_Conv2d_backward" in name for name in cpu)


def test_hooks_schedule(tmp_path: Path) -> None:
    grown = example("hooks_schedule.py")["grown"]
    assert hooks.step_schedule.step_num == 12
    assert grown == [4, 6, 8, 10] * 2


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ("()", list(range(20))),
        ("(4, 10, 2)", [4, 6, 8, 10]),
        ("(begin=5, stride=3)", [5, 8, 11, 14, 17]),
        ("(end=10, stride=3)", [0, 3, 6, 9]),
    ],
)
def test_hooks_the_steps_of_a_schedule(arguments: str, steps: list[int]) -> None:
    space = run(f"from torch_npu.hooks import schedule\nfound = schedule{arguments}")
    assert [step for step in range(20) if space["found"].includes(step)] == steps


def test_hooks_files(musa: str) -> None:
    """The number in the document's file name, 16, depends on the network: here it is another."""
    example("hooks_files.py")
    name = "5_Functional_relu_forward_output0_shape[2,1]_stride[1,1]_offset[0]_format[2].npy"
    assert numpy.load(f"./output/{name}").shape == (2, 1)
    steps = {int(path.name.partition("_")[0]) // 6 for path in Path("output").iterdir()}
    assert steps == {0, 1}  # two of the four steps


def test_hooks_overflow(musa: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The document names model_npu, which is model there, and takes resnet50; without an overflow nothing happens."""
    space = example("hooks_overflow.py")
    assert list(Path.cwd().iterdir()) == []
    space["model"][2].weight.data[0, 0] = float("inf")
    with pytest.raises(PrecisionError, match=r"Functional_linear_forward in 2\.Linear made NaN or Inf"):
        space["model"](space["inputs"])
    assert "Functional_linear_forward" in capsys.readouterr().out
    (file,) = Path.cwd().glob("Overflow_info_*.pkl")
    first = json.loads(file.read_text().splitlines()[0])
    assert first[0].endswith("_Functional_linear_forward_input.0") and len(first) == 5
    assert len(list(file.with_suffix("").glob("*.npy"))) == 4


def test_hooks_overflow_in_the_backward_pass(musa: str) -> None:
    space = run("from networks import Small\nfrom torch_npu.hooks import register_hook, wrap_checkoverflow_hook\n")
    module = space["Small"]().to(musa)
    space["register_hook"](module, space["wrap_checkoverflow_hook"])
    out = module(torch.ones(2, 2, device=musa).mul(1e3))
    with pytest.raises(PrecisionError, match=r"_backward .*made NaN or Inf"):
        out.backward(torch.full_like(out, float("inf")))


def dump(path: str, model: torch.nn.Module, step: int = 1, **parts: Any) -> None:
    example("ptdbg_dump.py", path=path, model=model, train=train, step=step, parts=parts)


def big_model(device: str) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(40, 50), torch.nn.ReLU(), torch.nn.Linear(50, 3)).to(device)


def train(model: torch.nn.Module) -> None:
    x = torch.randn(30, 40, device=next(model.parameters()).device)
    model(x).permute(1, 0).square().mean().backward()


def lines_of(path: str) -> list[Any]:
    return [json.loads(line) for line in read(path)]


@pytest.mark.parametrize("step", [1, 2, 100])
def test_ptdbg_everything(device: str, step: int) -> None:
    dump("npu_dump.pkl", big_model(device), step)
    lines = lines_of("npu_dump.pkl")
    assert lines[0][:3] == ["0_Functional_linear_forward_input.0", step, []]
    assert lines[0][3:5] == ["torch.float32", [30, 40]] and len(lines[0][5]) == 3
    assert not any("stack_info" in line[0] for line in lines)
    (folder,) = Path.cwd().glob("npu_dump_2*")
    assert {path.name for path in folder.iterdir()} == {f"{line[0]}.npy" for line in lines}
    saved = numpy.load(folder / "0_Functional_linear_forward_input.0.npy")
    assert saved.size == (1200 if step == 1 else 512 + len(range(256, 1200 - 256, step)))
    assert numpy.load(folder / "0_Functional_linear_forward_input.2.npy").size == 50
    if step == 1:
        assert float(saved.max()) == pytest.approx(lines[0][5][0])


def test_ptdbg_sampling_takes_head_middle_and_tail() -> None:
    from musa_tools.dump.line_forms import head_middle_tail

    values = head_middle_tail(torch.arange(1000), 3).tolist()
    assert values == [*range(256), *range(256, 744, 3), *range(744, 1000)]
    assert head_middle_tail(torch.ones(2, 256), 3).shape == (2, 256)


@pytest.mark.parametrize(
    ("mode", "scope", "values", "stacks"),
    [
        (2, ["0_Functional_linear", "1_Functional_relu_backward"], "0_f 0_b 1_b", "0_f 0_b 1_b"),
        (3, ["1_Functional_relu", "2_Functional_linear"], "1_f 2_f 1_b 2_b", "1_f 2_f 1_b 2_b"),
        (3, ["0_Functional_linear", "1_Functional_relu_forward"], "0_f 1_f", "0_f 1_f"),
        (4, ["0_Functional_linear", "1_Functional_relu_forward"], "", "0_f 1_f"),
    ],
)
def test_ptdbg_parts(mode: int, scope: list[str], values: str, stacks: str) -> None:
    dump("npu_dump_scope.pkl", big_model("cpu"), mode=mode, scope=scope)
    lines = lines_of("npu_dump_scope.pkl")

    def short(name: str) -> str:
        return f"{name.partition('_')[0]}_{'f' if '_forward' in name else 'b'}"

    assert {short(line[0]) for line in lines if "stack_info" not in line[0]} == set(values.split())
    assert {short(line[0]) for line in lines if "stack_info" in line[0]} == set(stacks.split())
    stack = next(line for line in lines if "stack_info" in line[0])
    assert any(", in train, \n model(x)" in frame for frame in stack[1])


@needs_compare
def test_ptdbg_comparison_and_parse(musa: str, capsys: pytest.CaptureFixture[str]) -> None:
    for device in ("cpu", musa):
        dump(f"{device}_dump.pkl", big_model(device))
    folders = {device: str(next(Path.cwd().glob(f"{device}_dump_2*"))) for device in ("cpu", musa)}
    Path("output").mkdir()
    example("ptdbg_comparison.py", folders=folders)
    assert len(list(Path("output").glob("compare_result_*.csv"))) == 1
    assert "Functional_linear" in capsys.readouterr().out


def test_ptdbg_overflow(device: str) -> None:
    """The run ends at the second overflow; the document says that only the NPU can do this."""
    model = big_model(device)
    run("from ptdbg_ascend import *\nregister_hook(model, overflow_check, overflow_nums=2)", model=model)
    train(model)
    model[0].weight.data.fill_(float("inf"))
    with pytest.raises(PrecisionError, match="Functional_relu_forward"):
        train(model)
    assert len(list(Path.cwd().glob("Overflow_info_*.pkl"))) == 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ('set_dump_switch("on")', ValueError, 'wanted "ON" or "OFF"'),
        ('set_dump_switch("ON", mode=7)', ValueError, "mode: found 7, wanted 1"),
        ('set_dump_switch("ON", mode=2)', ValueError, "needs a scope"),
        ('set_dump_switch("ON", mode=3, scope=["1_a"])', ValueError, "found 1 names, wanted the first and the last"),
        ('set_dump_switch("ON", mode=3, scope=["2_a", "1_b"])', ValueError, "1_b comes before 2_a"),
        ('set_dump_switch("ON", mode=3, scope=["a", "b"])', ValueError, "begins with its number"),
        ("register_hook(model, acc_cmp_dump, dump_step=0)", ValueError, "found 0, wanted a number from 1 to 100"),
        ("register_hook(model, acc_cmp_dump, dump_step=101)", ValueError, "dump_step: found 101"),
        ("register_hook(model, acc_cmp_dump, overflow_nums=1)", TypeError, "acc_cmp_dump takes dump_step"),
        ("register_hook(model, overflow_check, overflow_nums=0)", ValueError, "overflow_nums: found 0"),
        ("register_hook(model, print)", Exception, "wanted: acc_cmp_dump or overflow_check"),
        ("register_hook(model.forward, acc_cmp_dump)", TypeError, "wanted a torch.nn.Module"),
        ('set_dump_path(".")', Exception, "wanted: a"),
        ("seed_all(-1)", ValueError, "seed: found -1"),
    ],
)  # fmt: skip
def test_ptdbg_mistakes(call: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        run(f'from ptdbg_ascend import *\nset_dump_path("./dump.pkl")\n{call}', model=big_model("cpu"))


def test_ptdbg_a_scope_that_never_occurs_is_reported() -> None:
    with pytest.warns(UserWarning, match="no call was named 99_Tensor_abs"):
        dump("dump.pkl", big_model("cpu"), mode=2, scope=["99_Tensor_abs"])


def test_seed_all_fixes_every_generator(musa: str) -> None:
    import random

    def drawn() -> list[float]:
        run("from ptdbg_ascend import seed_all\nseed_all()")
        return [random.random(), numpy.random.rand(), float(torch.rand(1)), float(torch.rand(1, device=musa))]

    dropout = torch.nn.Dropout(0.5)
    assert drawn() == drawn()
    assert dropout.p == 0.5


def test_without_the_opt_in_nothing_is_found(tmp_path: Path) -> None:
    """transformers and others ask find_spec whether an Ascend card is there."""
    names = ("msprobe", "ptdbg_ascend", "torch_npu")
    code = f"import importlib.util as u, musa_tools.aliases; print([u.find_spec(n) for n in {names}])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.strip() == "[None, None, None]"


@pytest.mark.slow
def test_the_environment_opts_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the .pth file, as Python runs it at its start; PyTorch is not loaded until a name is used."""
    monkeypatch.setenv("MUSA_TOOLS_ALIASES", "1")
    line = (Path(__file__).parents[2] / "tools" / "musa_tools_aliases.pth").read_text()
    code = (
        f"{line}\nimport sys; assert 'torch' not in sys.modules\nimport torch_npu.hooks; from msprobe.pytorch import *"
    )
    script = tmp_path / "script.py"
    script.write_text(code + "\nprint(PrecisionDebugger.__module__, torch_npu.hooks.step_schedule.step_num)")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "musa_tools.other_tools.msprobe 0"


def test_a_real_package_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aliases.uninstall()
    (tmp_path / "ptdbg_ascend.py").write_text("real = True")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Exception, match="the real ptdbg_ascend is installed"):
        aliases.install()
    import ptdbg_ascend

    assert ptdbg_ascend.real
    aliases.install(force=True)
    import ptdbg_ascend as ours

    assert ours.seed_all


def test_torch_musa_has_the_hooks(musa: str) -> None:
    from torch_musa import hooks
    from torch_musa.hooks import tools

    import musa_tools.other_tools.hooks as ours

    assert all(getattr(hooks, name) is getattr(ours, name) for name in ours.__all__)
    assert callable(tools.compare)
