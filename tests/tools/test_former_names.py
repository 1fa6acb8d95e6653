"""Names that earlier releases documented still import, and mean the same objects."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

FORMER = {
    "musa_tools.faces.msprobe": "musa_tools.other_tools.msprobe",
    "musa_tools.faces.ptdbg_ascend": "musa_tools.other_tools.ptdbg_ascend",
    "musa_tools.faces.hooks": "musa_tools.other_tools.hooks",
    "musa_tools.faces.hooks.tools": "musa_tools.other_tools.hooks.tools",
    "musa_tools.compare_dumps.faces": "musa_tools.compare_dumps.other_tools",
}


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_a_former_name_has_the_same_objects(former: str, name: str) -> None:
    old, new = importlib.import_module(former), importlib.import_module(name)
    promised = getattr(new, "__all__", ("hooks_compare", "ptdbg_compare", "ptdbg_parse"))
    assert promised and all(getattr(old, each) is getattr(new, each) for each in promised)


def test_the_lines_of_earlier_documentation_run() -> None:
    """In a process of its own: the former names come first, and their functions share one state with the new ones."""
    code = """
from musa_tools.faces import hooks, ptdbg_ascend
from musa_tools.faces.hooks.tools import compare
from musa_tools.faces.msprobe import PrecisionDebugger
from musa_tools.compare_dumps.faces import hooks_compare, ptdbg_compare, ptdbg_parse
import torch_npu.hooks
hooks.step_schedule.step()
print(torch_npu.hooks.step_schedule.step_num, PrecisionDebugger.__module__)
"""
    line = "import musa_tools.aliases; musa_tools.aliases.install()\n"
    run = subprocess.run([sys.executable, "-c", line + code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "1 musa_tools.other_tools.msprobe\n"), run.stderr
