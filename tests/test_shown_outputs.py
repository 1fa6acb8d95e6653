"""Every output that a page shows is what the command prints, or a table says why no test makes it again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from script_modules import module_of
from shown_outputs import COMPARED, NO_OUTPUT, NOT_COMPARED, ROOT, Shown, fences, missing, pages, shown

SETUP = """from setuptools import setup
from musa_build import BuildExtension, MUSAExtension
setup(name="demo", version="1.0", packages=[], ext_modules=[MUSAExtension("demo", {sources}, {options})],
      cmdclass={{"build_ext": BuildExtension}})
"""
INIT = '#include <Python.h>\nextern "C" PyObject* PyInit_demo() { return nullptr; }\n'
Make = Callable[[Path, Mapping[str, str]], str]


def said(command: list[str], folder: Path, environment: Mapping[str, str], **variables: str) -> str:
    """Return all that a command prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def musa_build(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "musa_build", *arguments]


def build(folder: Path, environment: Mapping[str, str], sources: list[str], options: str = "", **variables: str) -> str:
    """Return the output of a build of an extension."""
    (folder / "setup.py").write_text(SETUP.format(sources=sources, options=options), encoding="utf-8")
    return said([sys.executable, "setup.py", "build_ext", "--inplace"], folder, environment, **variables)


def porting_query(folder: Path, environment: Mapping[str, str]) -> str:
    return said(musa_build("port", "--query", "cuda_fp4.h"), folder, environment)


def no_sdk(folder: Path, environment: Mapping[str, str]) -> str:
    without = {name: value for name, value in environment.items() if name != "MUSA_BUILD_SIMULATOR"}
    return said(musa_build("env"), folder, without, MUSA_HOME="/opt/nothing")


def module_name(folder: Path, environment: Mapping[str, str]) -> str:
    return said(musa_build("new", "torch"), folder, environment)


def other_pytorch(folder: Path, environment: Mapping[str, str]) -> str:
    checkout = folder / "pytorch"
    (checkout / "aten/src/ATen/native/cuda").mkdir(parents=True)
    (checkout / "version.txt").write_text("2.14.0a0\n", encoding="utf-8")
    return said(musa_build("torch-musa"), folder, environment, PYTORCH_REPO_PATH=str(checkout))


def jobs(folder: Path, environment: Mapping[str, str]) -> str:
    (folder / "a.cpp").write_text(INIT, encoding="utf-8")
    return build(folder, environment, ["a.cpp"], MAX_JOBS="many")


def unknown_architecture(folder: Path, environment: Mapping[str, str]) -> str:
    (folder / "k.mu").write_text("\n", encoding="utf-8")
    return build(folder, environment, ["k.mu"], TORCH_MUSA_ARCH_LIST="mp_99")


def planned_again(folder: Path, environment: Mapping[str, str]) -> str:
    (folder / "csrc").mkdir()
    (folder / "csrc/a.cpp").write_text(INIT, encoding="utf-8")
    (folder / "csrc/b.cpp").write_text("int b;\n", encoding="utf-8")
    sources = ["csrc/a.cpp", "csrc/b.cpp"]
    build(folder, environment, sources, "define_macros=[('M', '1')]")
    return build(folder, environment, sources, "define_macros=[('M', '2')]")


def failed_step(folder: Path, environment: Mapping[str, str]) -> str:
    texts = module_of(ROOT / "tests/build/test_diagnostics.py", "texts_of_diagnostics")
    for name, text in (("lib/include/deep.h", texts.HEADER), ("csrc/kernel.mu", texts.SOURCE)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text, encoding="utf-8")
    output = build(folder, environment, ["csrc/kernel.mu"], "include_dirs=['lib/include']", TORCH_MUSA_ARCH_LIST="22")
    return output.replace("kernel.mu (log:", "kernel.mu (exit code 1, log:")  # ninja reports no code before 1.12


def program(folder: Path, environment: Mapping[str, str], name: str, text: str, *flags: str) -> str:
    """Compile a program by mcc, run it, and return the output of both."""
    (folder / name).write_text(text, encoding="utf-8")
    mcc = Path(environment["MUSA_HOME"]) / "bin/mcc"
    compiled = said([str(mcc), *flags, name, "-o", "program", "-lmusart"], folder, environment)
    return compiled + said(["./program"], folder, environment)


def race(folder: Path, environment: Mapping[str, str]) -> str:
    return program(folder, environment, "histogram.mu", HISTOGRAM, "--sim-check=memory,race")


def thrown(folder: Path, environment: Mapping[str, str]) -> str:
    return program(folder, environment, "k.mu", THROWS)


def first_nan(folder: Path, environment: Mapping[str, str]) -> str:
    (folder / "train.py").write_text(f"{NETWORK}{TRACKED}", encoding="utf-8")
    return said([sys.executable, "train.py"], folder, environment)


def against_the_cpu(folder: Path, environment: Mapping[str, str]) -> str:
    (folder / "train.py").write_text(f"{NETWORK}{COMPARED_WITH_CPU}", encoding="utf-8")
    return said([sys.executable, "train.py"], folder, environment)


def two_runs(folder: Path, environment: Mapping[str, str]) -> str:
    """Dump two runs. In one of them the third GELU is the formula with tanh, as a device might have it."""
    (folder / "model.py").write_text(GELU, encoding="utf-8")
    # the file's name stays as short as on the page
    program = "exec(compile(open('model.py').read(), 'model.py', 'exec'))"
    for name, form in (("dump_musa", "none"), ("dump_cuda", "tanh")):
        done = said([sys.executable, "-c", program, name, form], folder, environment)
        assert (folder / name).is_dir(), done
    command = [sys.executable, "-c", "from musa_tools.cli import main; main()", "compare", "dump_musa", "dump_cuda"]
    return said(command, folder, environment, COLUMNS="80")


NETWORK = """import torch
from musa_tools.compare_tool import CompareWithCPU, NanInfTracker, open_module_tracker
class Attention(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x.masked_fill(x < 3, float("-inf")), -1)
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.attn = torch.nn.Linear(4, 4), Attention()
    def forward(self, x, use):
        return self.attn(x) if use == "attn" else self.fc(x)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(Block() for _ in range(4))
    def forward(self, x, use):
        for layer in self.layers[:3]:
            x = x + layer(x + 3, use)
        return self.layers[3](x, use)
model = Net()
open_module_tracker(model)
x = torch.zeros(2, 4)
"""
TRACKED = """
with NanInfTracker():
    model(x, "attn")
"""
COMPARED_WITH_CPU = """
with CompareWithCPU(verbose=True):
    model(x, "fc")
"""
GELU = """
import sys
import torch
import torch.nn.functional as F
from musa_tools.other_tools.msprobe import PrecisionDebugger


class Block(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.form = form

    def forward(self, x):
        y = self.fc(x)
        if self.form == "tanh":
            return F.gelu(y, approximate="tanh")
        y = F.gelu(y)
        return y


class Net(torch.nn.Module):
    def __init__(self, third):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block("none"), Block("none"), Block(third)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


torch.manual_seed(1)
model = Net(sys.argv[2])
debugger = PrecisionDebugger(dump_path=sys.argv[1], task="tensor", level="mix", model=model)
debugger.start()
model(torch.linspace(-20, 20, 512).reshape(64, 8)).square().mean().backward()
debugger.stop()
"""
PROGRAMS = Path(__file__).with_name("shown_programs")
#: on the page it is a part of a longer file
HISTOGRAM = "\n" * 35 + (PROGRAMS / "histogram.mu").read_text(encoding="utf-8")
THROWS = (PROGRAMS / "throws.mu").read_text(encoding="utf-8")
#: Compiles, or imports torch
MARKS = [pytest.mark.slow, pytest.mark.compiles]
SLOW = {
    "first_nan",
    "against_the_cpu",
    "two_runs",
    "planned_again",
    "failed_step",
    "race",
    "thrown",
    "jobs",
    "unknown_architecture",
    "other_pytorch",
}


def test_every_fence_without_a_language_is_in_one_table() -> None:
    names = [*COMPARED, *NOT_COMPARED, *NO_OUTPUT]
    found = [fence for page in pages() for fence in shown(page)]
    for fence in found:
        fitting = [name for name in names if fence.is_named(name)]
        assert len(fitting) == 1, f"{fence.page}: {len(fitting)} entries of tests/shown_outputs.py name\n{fence.text}"
    stale = [name for name in names if not any(fence.is_named(name) for fence in found)]
    assert stale == [], "no page has these"


def test_no_example_of_the_shell_hides_an_output() -> None:
    for page in pages():
        for language, fence in fences(page, (ROOT / page).read_text(encoding="utf-8")):
            if language.startswith("sh"):
                lines = [
                    line for line in fence.text.splitlines() if line.startswith(("error: ", "[musa-sim] ", "  found: "))
                ]
                assert lines == [], f"{page}: an output belongs into a fence of its own"


def producers() -> dict[str, list[Shown]]:
    """Return the functions of this module that make outputs, with the fences that show them."""
    found: dict[str, list[Shown]] = {}
    for (page, first), producer in COMPARED.items():
        if "::" in producer:  # a test of its own
            file, _, test = producer.partition("::")
            assert f"\ndef {test}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")
        else:
            found.setdefault(producer, []).extend(each for each in shown(page) if each.is_named((page, first)))
    return found


@pytest.mark.parametrize(
    "producer",
    [
        pytest.param(name, marks=[pytest.mark.slow, pytest.mark.compiles] if name in SLOW else [])
        for name in producers()
    ],
)
def test_a_shown_output_is_what_the_command_prints(producer: str, tmp_path: Path, sim_sdk_root: Path) -> None:
    unwanted = ("TORCH_MUSA", "CXX", "CC", "CFLAGS", "MAX_JOBS", "MUSA_BUILD_", "MUSA_SIM_CHECK")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    environment |= {"MUSA_HOME": str(sim_sdk_root), "NO_COLOR": "1", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    make: Make = globals()[producer]
    output = make(tmp_path, environment)
    for fence in producers()[producer]:
        assert missing(fence.output, output) == [], f"{fence.page} shows another output than this:\n{output}"


@pytest.mark.parametrize(
    ("old", "new"),
    [("k.mu:41:24", "k.mu:42:24"), ("thread (0,0,0)", "thread (1,0,0)"), ("found 128 times", "found 64 times")],
)
def test_a_shown_line_that_differs_is_named(old: str, new: str) -> None:
    page = "[musa-sim] race: at k.mu:41:24, ...\n    block (0,0,0), thread (0,0,0)\nfound 128 times\n"
    output = page.replace("...", "with no barrier").replace("block (0,0,0)", "block (3,0,0)")
    assert missing(page, f"before\n{output}after\n") == []
    lines = missing(page, output.replace(old, new))
    assert len(lines) == 1 and old in lines[0]
    assert missing("b\na\n", "a\nb\n") == ["b", "a"]
    assert missing("....... input .......\n", "....... other .......\n") == ["....... input ......."]
