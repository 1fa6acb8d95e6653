"""What is around the device: loading, aliases of musa_build's tools, ported headers, refusals."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from .conftest import RunPython

REPOSITORY = Path(__file__).parents[2]
BACKEND = REPOSITORY / "backend"


@pytest.mark.slow
def test_import_in_any_order_and_twice(run_new_python: RunPython) -> None:
    cases = (("import torch, torch_musa", "0"), ("import torch_musa, torch", "0"), ("import torch", "1"))
    for first, autoload in cases:
        code = f"{first}\nimport torch_musa\nimport torch_musa.testing\nprint(torch.ones(2, device='musa').tolist())"
        done = run_new_python(code, TORCH_DEVICE_BACKEND_AUTOLOAD=autoload)
        assert done.stdout == "[1.0, 1.0]\n", done.stderr


@pytest.mark.slow
def test_runtime_is_found_without_the_sdk_of_the_build(run_new_python: RunPython, sim_sdk_root: Path) -> None:
    code = "import torch; print(torch.ones(1, device='musa').item())"
    assert run_new_python(code, MUSA_HOME=str(sim_sdk_root)).stdout == "1.0\n"
    assert run_new_python(code, MUSA_HOME="/nowhere").stdout == "1.0\n"


def fake_vendor_package(folder: Path) -> Path:
    """What importlib.metadata sees of Moore Threads' distribution."""
    info = folder / "torch_musa-2.7.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_musa\nVersion: 2.7.1\n")
    return folder


def test_refuses_to_be_imported_beside_the_vendors_package(run_new_python: RunPython, tmp_path: Path) -> None:
    vendor = fake_vendor_package(tmp_path / "vendor")
    done = run_new_python("import torch_musa", PYTHONPATH=str(vendor), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 1
    assert "torch_musa 2.7.1" in done.stderr.splitlines()[-1] and "pip uninstall" in done.stderr.splitlines()[-1]


def build(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Try to build the backend; it must stop before it compiles or writes anything."""
    arguments = ["setup.py", "--quiet", "build", "--build-base", str(tmp_path / "build")]
    return subprocess.run(
        [sys.executable, *arguments, "egg_info", "--egg-base", str(tmp_path)],
        cwd=BACKEND,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_refuses_to_be_built_beside_the_vendors_package(tmp_path: Path) -> None:
    done = build(tmp_path, PYTHONPATH=str(fake_vendor_package(tmp_path / "vendor")))
    assert done.returncode == 1 and not list(tmp_path.rglob("*.o"))
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: Moore Threads' torch_musa 2.7.1") and "Traceback" not in done.stderr


@pytest.mark.slow
def test_refuses_a_real_sdk(tmp_path: Path) -> None:
    sdk = tmp_path / "musa"
    (sdk / "bin").mkdir(parents=True)
    (sdk / "include").mkdir()
    (sdk / "lib").mkdir()
    (sdk / "bin" / "mcc").write_text("#!/bin/sh\necho mcc version 5.1.0\n")
    (sdk / "bin" / "mcc").chmod(0o755)
    (sdk / "version.json").write_text('{"MUSA_TOOLKITS": {"name": "musa_toolkits", "version": "5.1.0"}}')
    done = build(tmp_path, MUSA_HOME=str(sdk), MUSA_BUILD_SIMULATOR="0")
    assert done.returncode == 1 and not list(tmp_path.rglob("*.o"))
    assert "for the simulated MUSA SDK only" in done.stderr.splitlines()[-1]


def test_aliases_of_the_build_tools() -> None:
    from torch_musa.utils.cmake_lists_generator import CMakeListsGenerator
    from torch_musa.utils.logger_util import LOGGER
    from torch_musa.utils.musa_extension import BuildExtension, MUSAExtension
    from torch_musa.utils.simple_porting import SimplePorting

    import musa_build
    import musa_build.logger_util

    assert MUSAExtension is musa_build.MUSAExtension and BuildExtension is musa_build.BuildExtension
    assert SimplePorting is musa_build.SimplePorting and CMakeListsGenerator is musa_build.CMakeListsGenerator
    assert LOGGER is musa_build.logger_util.LOGGER


def test_porting_as_a_command(tmp_path: Path) -> None:
    source = tmp_path / "cuda"
    source.mkdir()
    (source / "a.cu").write_text("#include <cuda_runtime.h>\nvoid f() { cudaDeviceSynchronize(); }\n")
    done = subprocess.run(
        [sys.executable, "-m", "torch_musa.utils.simple_porting", "--cuda-dir-path", "cuda/"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "musaDeviceSynchronize" in (tmp_path / "cuda_musa" / "a.mu").read_text()


@pytest.mark.slow
def test_architecture_for_tests(run_new_python: RunPython) -> None:
    code = "from torch_musa.testing import get_musa_arch; print(get_musa_arch())"
    assert run_new_python(code, MUSA_SIM_DEVICES="mp_31").stdout == "31\n"
    assert run_new_python(code, MUSA_SIM_DEVICES="0").stdout == "22\n"
    assert run_new_python(code, TORCH_MUSA_ARCH="21").stdout == "21\n"


def test_installed_ported_headers() -> None:
    import torch_musa

    include = Path(torch_musa.__file__).parent / "share" / "generated_cuda_compatible" / "include"
    original = Path(torch.__file__).parent / "include"
    everything = [path for path in include.rglob("*") if path.is_file()]
    ported = [path for path in everything if (original / path.relative_to(include)).is_file()]
    assert 20 < len(ported) < 80
    for path in ported:
        text = path.read_text()
        assert text != (original / path.relative_to(include)).read_text()
        code = re.sub(r"//.*|/\*(?s:.*?)\*/", "", text)
        assert "__CUDACC__" not in code and "cuda_fp16.h" not in code
    # what ported code includes: inline PTX became calls of functions there, and a check of PyTorch's stable interface
    beside = ("THCAtomics.muh", "musa_ptx.h", "musa_ptx_half.h", "musa_shim.h")
    for path in set(everything) - set(ported):
        assert "musa" in path.relative_to(include).parts or path.name in beside
        assert not re.search(r"include <cuda[_.]", path.read_text())
    assert include / "ATen/musa/Atomic.muh" in everything and include / "ATen/musa/detail/TensorInfo.muh" in everything
    assert include / "torch/headeronly/macros/Macros.h" in ported or include / "c10/macros/Macros.h" in ported
