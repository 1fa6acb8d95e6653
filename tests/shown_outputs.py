"""Outputs that pages show: where they are, how they are compared, and which are not compared, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
#: A fence without a language, or of these, may show an output
_OUTPUT = ("", "text", "console")
#: Parts of an output that differ from machine to machine or from run to run. A page shows one of many.
PLACEHOLDERS: Mapping[str, str] = {
    "TIME": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}",
    "PLATFORM": r"linux-\w+-cpython-\d+",
    "BLOCK": r"(?<=block )\(\d+,\d+,\d+\)",
    "PYTORCH": r"\b2\.\d+\.\d+(?:\+\w+)?(?=;|$)|(?<=checkout v)2\.\d+\.\d+",
    "CHECKOUT": r"/\S*/pytorch\b",
    "FOLDER": r"(?<![\w/])(?:/\S*/)?(?=lib/include/deep\.h)",
    "FILE": r"csrc/[ab]\.cpp(?= is built again)",  # they are compiled in any order
}
_LEFT_OUT = re.compile(r"(?<!\.)\.\.\.(?!\.)")

#: (page, the first line of the fence) -> the test that compares it
COMPARED: Mapping[tuple[str, str], str] = {
    ("docs/tutorial.md", "[musa-sim] init: atomic"): "test_tutorial.py::test_the_tutorial",
    ("CONTRIBUTING.md", "$ .venv/bin/musa-build port --query cuda_fp4.h\ncuda_fp4.h: not"): "porting_query",
    ("docs/errors.md", "error: TORCH_MUSA_ARCH_LIST"): "unknown_architecture",
    ("docs/building.md", "musa_build | INFO : the commands"): "planned_again",
    ("docs/building.md", "error: 1 step failed"): "failed_step",
    ("docs/simulator-checks.md", "[musa-sim] race: write of 4 bytes"): "race",
    ("docs/simulator-stdlib.md", "[musa-sim] kernel k(int*)"): "thrown",
    ("docs/tools.md", "====="): "first_nan",
    ("docs/tools.md", "Net/Block/Linear"): "against_the_cpu",
    ("docs/tools.md", "\u256d"): "two_runs",
    ("musa_build/explain/topics/errors/MB101.md", "$ MUSA_HOME=/opt/nothing"): "no_sdk",
    ("musa_build/explain/topics/errors/MB201.md", "$ MAX_JOBS=many"): "jobs",
    ("musa_build/explain/topics/errors/MB206.md", "$ musa-build new torch"): "module_name",
    ("musa_build/explain/topics/errors/MB208.md", "$ PYTORCH_REPO_PATH="): "other_pytorch",
    ("musa_build/explain/topics/errors/MB401.md", "demo: mcc csrc/kernel.mu"): "failed_step",
}
#: The same for outputs that no test makes again, with the reason
NOT_COMPARED: Mapping[tuple[str, str], str] = {
    ("CONTRIBUTING.md", "$ .venv/bin/musa-build port --query cuda_fp4.h\n<cuda_fp4.h>"): "follows an edit of sdk.rules",
    (
        "docs/convert.md",
        "2026-",
    ): "the repository that was converted, yolov5, is not here; tests/tools run the converter",
    ("docs/publishing.md", "RUNPATH"): "of a real SDK; tests/build hold the run path of the simulator's",
    (
        "docs/tools.md",
        "Functional.linear.3.forward on musa",
    ): "of a device that is wrong; tests/tools/test_replay_call.py holds these lines",
    ("docs/torch-musa-build.md", "AbsKernel.cu"): "compiles a tree for minutes; tests/torch_kernels hold its lines",
}
#: Fences that show no output of a command
NO_OUTPUT: Mapping[tuple[str, str], str] = {
    ("ARCHITECTURE.md", "musa_build/"): "a list of folders",
    ("CONTRIBUTING.md", '("#include <cuda_fp4.h>"'): "a line to insert",
    ("CONTRIBUTING.md", "[headers | sdk]"): "lines to insert",
    ("CONTRIBUTING.md", "(a + b + 1)"): "a line to insert",
    ("CONTRIBUTING.md", "mcc: report"): "subjects of commits",
    ("docs/porting.md", "musa-build port csrc"): "commands",
    ("musa_build/explain/topics/errors/MB207.md", "$ git clone"): "commands",
}


@dataclass(frozen=True)
class Shown:
    """A fence of a page that may show an output."""

    page: str
    text: str

    def is_named(self, name: tuple[str, str]) -> bool:
        """Return whether an entry of a table names it."""
        return self.page == name[0] and self.text.startswith(name[1])

    @property
    def output(self) -> str:
        """The fence without the commands in it."""
        return "".join(line for line in self.text.splitlines(keepends=True) if not line.startswith("$ "))


def pages() -> list[str]:
    """Return the English pages of the repository that the site has; translations have the same blocks of code."""
    folders = ("docs", "musa_build", "simulator", "tools", "backend", "examples")
    found = [*ROOT.glob("*.md"), *(path for folder in folders for path in (ROOT / folder).rglob("*.md"))]
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    made = re.compile(r"(^|/)(zh|build|src_musa|\w+\.egg-info)/|\.zh\.md$|^CHANGELOG\.md$")
    return [name for name in names if not made.search(name)]


def fences(page: str, text: str) -> Iterator[tuple[str, Shown]]:
    """Yield the language and the content of each fence of a page."""
    for indent, language, content in _FENCE.findall(text):
        plain = "".join(line.removeprefix(indent) for line in content.splitlines(keepends=True))
        yield language, Shown(page, plain)


def shown(page: str) -> list[Shown]:
    """Return the fences of a page that may show an output."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [fence for language, fence in fences(page, text) if language in _OUTPUT]


def plain(line: str) -> str:
    """Return a line with the names of placeholders in place of the parts that differ."""
    for name, pattern in PLACEHOLDERS.items():
        line = re.sub(pattern, f"<{name}>", line)
    return line.rstrip()


def _pattern(line: str) -> str:
    """Return the expression for a line; a line that is only "..." means any lines."""
    if line.strip() == "...":
        return r"(?:.*\n)*?"
    return ".*".join(re.escape(part) for part in _LEFT_OUT.split(plain(line))) + r"\n"


def missing(wanted: str, said: str) -> list[str]:
    """Return the lines of a shown output that a command did not print, in this order and one below the other.

    "..." in a line of the page is a part that is left out. A line that is only "..." is any number of lines.
    """
    lines = wanted.splitlines()
    printed = "".join(f"{plain(line)}\n" for line in said.splitlines())
    if re.search("^" + "".join(map(_pattern, lines)), printed, re.MULTILINE):
        return []
    return [line for line in lines if not re.search(f"^{_pattern(line)}", printed, re.MULTILINE)] or lines
