"""The start-up hook: inactive without FORCE_MUSA=1, and out of the way of programs that build nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
import sys
print("musa_build.force_musa.import_hook" in sys.modules)
import torch
import torch.utils.cpp_extension as tools
print(torch.cuda.is_available(), tools.CUDA_HOME, tools.CUDAExtension.__module__, tools.BuildExtension.__module__)
"""


def ask(tmp_path: Path, **environment: str) -> list[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("FORCE_", "CUDA"))}
    inherited["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    command = [sys.executable, "-c", ASK]
    done = subprocess.run(
        command, env={**inherited, **environment}, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    return done.stdout.split("\n")[:2]


@pytest.mark.slow
def test_it_is_inactive_without_the_variable(hook: Path, tmp_path: Path) -> None:
    for environment in ({}, {"FORCE_MUSA": "0"}):
        loaded, names = ask(tmp_path, **environment)
        assert loaded == "False"
        assert names == "False None torch.utils.cpp_extension torch.utils.cpp_extension"


def test_a_program_that_builds_nothing_sees_no_cuda(hook: Path, tmp_path: Path) -> None:
    """Only what makes extensions is ours, for a program may build some while it runs."""
    loaded, names = ask(tmp_path, FORCE_MUSA="1")
    assert loaded == "True"
    assert names == "False None musa_build.force_musa.build_ext musa_build.force_musa.build_ext"


LOADED = """
import sys
import torch.utils.cpp_extension as tools
print([name for name in sys.modules if name in ("musa_build.porting.api", "musa_build.jit", "musa_build.builder.plan")])
print("exec_module" in vars(tools.__spec__.loader))
"""


@pytest.mark.slow
def test_a_program_that_builds_nothing_loads_nothing_that_builds(hook: Path, tmp_path: Path) -> None:
    """Any program may import PyTorch's build tools; nothing of ours is left on their loader."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("FORCE_", "CUDA"))}
    environment = {**inherited, "FORCE_MUSA": "1", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "False"]
