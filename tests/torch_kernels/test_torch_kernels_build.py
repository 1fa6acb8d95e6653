"""`musa-build torch-musa` on a small tree in PyTorch's own style: port, compile, link, load, run.

Each kernel of the tree computes something else than PyTorch for one value, so a test sees whose kernel ran.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import pytest
import torch

from musa_build.environment.torch_info import TorchMusa
from musa_build.torch_kernels.options import LIBRARY

CHECKOUT = Path(__file__).parent / "checkout"
KERNELS = "aten/src/ATen/native/cuda"
pytestmark = [pytest.mark.slow, pytest.mark.compiles]

COMPARE = Path(__file__).parent / "programs" / "compare_kernels.py"


@dataclass
class Builder:
    """Runs the command on a copy of the tree, in the same folder each time."""

    root: Path
    printed: str = ""

    def run(self, *arguments: str, site: Optional[Path] = None) -> dict[str, Any]:
        """Run the command and return its report. It installs into the torch_musa in the folder `site`, if at all."""
        command = [sys.executable, "-m", "musa_build", "torch-musa", "-o", str(self.output), *arguments]
        command += [] if site else ["--no-install"]
        environment = {**os.environ, "PYTORCH_REPO_PATH": str(self.checkout), "MUSA_BUILD_SIMULATOR": "1"}
        environment.update({"PYTHONPATH": str(site)} if site else {})
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.printed = done.stdout
        report: dict[str, Any] = json.loads((self.output / "report.json").read_text())
        return report

    @property
    def checkout(self) -> Path:
        return self.root / "pytorch"

    @property
    def output(self) -> Path:
        return self.root / "out"


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory, sim_sdk_root: Path) -> Iterator[Builder]:
    """A copy of the tree with the version of the installed PyTorch, made read-only."""
    builder = Builder(tmp_path_factory.mktemp("torch_kernels"))
    shutil.copytree(CHECKOUT, builder.checkout)
    (builder.checkout / "version.txt").write_text(torch.__version__.split("+")[0] + "\n")
    folders = [builder.checkout, *(path for path in builder.checkout.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield builder
    for folder in folders:
        folder.chmod(0o755)


def state_of(report: dict[str, Any]) -> dict[str, str]:
    return {file["file"]: file["state"] for file in report["files"]}


def reason_of(report: dict[str, Any], name: str) -> str:
    (found,) = (file["reason"] for file in report["files"] if file["file"] == name)
    return str(found)


def test_the_tree_is_ported_compiled_and_linked(builder: Builder) -> None:
    before = {path: path.read_bytes() for path in builder.checkout.rglob("*") if path.is_file()}
    report = builder.run()
    assert state_of(report) == {
        **dict.fromkeys(("AbsKernel.cu", "BinaryMulKernel.cu", "ReduceSumProdKernel.cu"), "linked"),
        **dict.fromkeys(("ScanKernels.cu", "UnarySpecialOpsKernel.cu"), "linked"),
        **dict.fromkeys(("Copy.cu", "Helper.cu"), "not used"),
        "UnaryComplexKernels.cu": "not linked",
        "ZetaKernel.cu": "not compiled",
    }
    assert len(report["compiled"]) == 7
    assert f"{KERNELS}/Helper.cu defines it" in reason_of(report, "UnaryComplexKernels.cu")
    assert "'a_function_without_declaration'" in reason_of(report, "ZetaKernel.cu")
    assert "ZetaKernel.mu:8:" in reason_of(report, "ZetaKernel.cu")
    assert {path: path.read_bytes() for path in builder.checkout.rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("kernel_library")
def test_the_library_is_loaded_and_run(builder: Builder) -> None:
    command = [sys.executable, str(COMPARE), builder.run()["library"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_second_run_compiles_nothing_and_a_changed_file_alone(builder: Builder) -> None:
    first = builder.run()
    second = builder.run()
    assert second["compiled"] == []
    assert state_of(second) == state_of(first)
    kernel = builder.checkout / KERNELS / "ZetaKernel.cu"
    kernel.write_text(kernel.read_text().replace("a_function_without_declaration(iter);", "iter.tensor(0);"))
    third = builder.run()
    assert third["compiled"] == ["ZetaKernel.cu"]
    assert state_of(third)["ZetaKernel.cu"] == "linked"
    only = builder.run("Zeta*", "--json")
    assert json.loads(builder.printed) == only
    assert state_of(only) == {"ZetaKernel.cu": "linked"}
    assert only["compiled"] == []


@pytest.mark.usefixtures("kernel_library")
def test_torch_musa_loads_the_library_after_its_own(builder: Builder, tmp_path: Path) -> None:
    found = TorchMusa.find()
    assert found is not None
    shutil.copytree(found.root, tmp_path / "torch_musa")
    library = tmp_path / "torch_musa" / "lib" / LIBRARY
    code = "import torch; print(torch.full((1,), -42.0).to('musa').abs().item())"

    def computed(**variables: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), **variables}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert computed() == "42.0"
    assert builder.run("AbsKernel", site=tmp_path)["library"] == str(library)
    assert computed() == "4242.0"
    assert computed(MUSA_FALLBACK="prefer") == "42.0"
    command = [sys.executable, "-m", "musa_build", "torch-musa", "-o", str(tmp_path / "other"), "--clean"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"removed {library}\n")
    assert computed() == "42.0"


@pytest.mark.usefixtures("kernel_library")
def test_address_sanitizer_checks_host_code(builder: Builder) -> None:
    report = builder.run("AbsKernel", "--asan", "--debug", "--fp64")
    assert report["compiled"] == ["AbsKernel.cu"]
    runtime = subprocess.run(
        ["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    code = (
        "import ctypes, sys, torch; ctypes.CDLL(sys.argv[1]); print(torch.tensor([-42.0], device='musa').abs().item())"
    )
    command = [sys.executable, "-c", code, report["library"]]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    assert plain.returncode != 0
    assert "ASan runtime does not come first" in plain.stderr
    environment = {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "4242.0\n"), done.stderr
