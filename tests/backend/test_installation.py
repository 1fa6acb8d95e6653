"""The surroundings of the device: loading, aliases of musa_build's tools, ported headers, refusals."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from packaging.requirements import Requirement

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
def test_another_sdk_is_loaded_where_musa_home_names_it(run_new_python: RunPython, sim_sdk_root: Path) -> None:
    code = "import torch; print(torch.ones(1, device='musa').item())"
    assert run_new_python(code, MUSA_HOME=str(sim_sdk_root)).stdout == "1.0\n"
    assert run_new_python(code, MUSA_HOME="/nowhere").stdout == "1.0\n"


@pytest.mark.slow
def test_an_sdk_that_is_gone_is_made_again(run_new_python: RunPython, tmp_path: Path) -> None:
    """Every library of the SDK that ours are linked with is found elsewhere: none has a path that still exists."""
    import torch_musa

    package = tmp_path / "site" / "torch_musa"
    shutil.copytree(Path(torch_musa.__file__).parent, package, ignore=shutil.ignore_patterns("share", "csrc"))
    sdk = json.loads((package / "lib" / "built_with.json").read_text())["sdk"].encode()
    (package.parent / "torch").symlink_to(Path(torch.__file__).parent)  # for $ORIGIN
    for library in (package / "lib").glob("*.so"):
        content = library.read_bytes()
        assert sdk in content, library
        library.write_bytes(content.replace(sdk, sdk[:-4] + b"gone"))
    code = "import torch; x = torch.ones(1, device='musa'); print((x @ x).item(), torch.linalg.inv(x[None]).item())"
    done = run_new_python(code, PYTHONPATH=str(package.parent), MUSA_HOME="", TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert done.stdout == "1.0 1.0\n", done.stderr


def fake_vendor_package(folder: Path) -> Path:
    """Moore Threads' distribution as importlib.metadata sees it."""
    info = folder / "torch_musa-2.7.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_musa\nVersion: 2.7.1\n")
    return folder


def test_refuses_to_be_imported_beside_the_vendors_package(run_new_python: RunPython, tmp_path: Path) -> None:
    vendor = fake_vendor_package(tmp_path / "vendor")
    done = run_new_python("import torch_musa", PYTHONPATH=str(vendor), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 1
    assert "torch_musa 2.7.1" in done.stderr.splitlines()[-1] and "pip uninstall" in done.stderr.splitlines()[-1]


@pytest.fixture
def other_build(tmp_path: Path) -> Callable[..., str]:
    """Copies the installed package, with other facts about its build: as pip's cache of wheels hands it over."""
    import torch_musa

    installed = Path(torch_musa.__file__).parent

    def make(**facts: object) -> str:
        package = tmp_path / "site" / "torch_musa"
        shutil.copytree(installed, package, ignore=shutil.ignore_patterns("lib", "share", "csrc", "__pycache__"))
        (package / "lib").mkdir()
        for library in (installed / "lib").glob("*.so"):
            (package / "lib" / library.name).symlink_to(library)
        known = json.loads((installed / "lib" / "built_with.json").read_text())
        (package / "lib" / "built_with.json").write_text(json.dumps({**known, **facts}))
        return str(package.parent)

    return make


#: An index may have a wheel, which was compiled for another torch: pip has to take the sources.
AGAIN = (
    "Compile it again, which takes some minutes: pip install --force-reinstall --no-deps --no-build-isolation "
    "--no-cache-dir --no-binary torch-musa-sim torch-musa-sim==" + importlib.metadata.version("torch-musa-sim")
)


@pytest.mark.parametrize(
    ("name", "present"),
    [
        ("torch", torch.__version__),
        pytest.param("musa-build", importlib.metadata.version("musa-build"), marks=pytest.mark.slow),
    ],
)
def test_libraries_for_something_else_are_not_loaded(
    name: str, present: str, run_new_python: RunPython, other_build: Callable[..., str]
) -> None:
    path = other_build(**{name: "0.5.1"})
    said = f"ImportError: torch_musa was compiled for {name} 0.5.1, but this is {present}. {AGAIN}"
    done = run_new_python("import torch_musa", PYTHONPATH=path, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == said
    code = "from musa_build.environment.torch_info import TorchInfo; TorchInfo.find()"
    loaded_by_torch = run_new_python(code, PYTHONPATH=path, TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert said in loaded_by_torch.stderr


RELEASE = torch.__version__.partition("+")[0]


def test_another_build_of_the_same_release_loads_the_libraries(
    run_new_python: RunPython, other_build: Callable[..., str]
) -> None:
    """PyTorch's own wheels of a release for the CPU and for CUDA have the same headers."""
    facts = {"torch source": torch.version.git_version, "C++ ABI": torch.compiled_with_cxx11_abi()}
    path = other_build(torch=f"{RELEASE}+cu130", **facts)
    code = "import torch; print(torch.ones(1, device='musa').item())"
    done = run_new_python(code, PYTHONPATH=path, TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert done.stdout == "1.0\n", done.stderr


@pytest.mark.parametrize(
    "facts",
    [
        {"torch": f"{RELEASE}+rocm7.0"},
        {"torch": f"{RELEASE}.dev1+cu130"},
        {"torch": f"{RELEASE}+cu130", "torch source": "another commit"},
        {"torch": f"{RELEASE}+cu130", "C++ ABI": not torch.compiled_with_cxx11_abi()},
    ],
)
def test_other_builds_do_not(
    facts: dict[str, object], run_new_python: RunPython, other_build: Callable[..., str]
) -> None:
    known = {"torch source": torch.version.git_version, "C++ ABI": torch.compiled_with_cxx11_abi()}
    path = other_build(**{**known, **facts})
    done = run_new_python("import torch_musa", PYTHONPATH=path, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 1 and AGAIN in done.stderr.splitlines()[-1], done.stderr


def test_a_build_names_torch_musa_and_not_pytorch(run_new_python: RunPython, other_build: Callable[..., str]) -> None:
    code = "from musa_build.environment.torch_info import TorchInfo; TorchInfo.find()"
    done = run_new_python(code, PYTHONPATH=other_build(torch="0.5.1"), TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    said = done.stderr.splitlines()[-1]
    assert "TorchNotFoundError: torch_musa cannot be imported; found: torch_musa was compiled for torch 0.5.1" in said
    assert f"wanted: a torch_musa that fits torch {torch.__version__}; hint: {AGAIN[0].lower()}{AGAIN[1:]};" in said
    assert said.count("pip install") == 1


def test_doctor_sees_libraries_for_another_torch(run_new_python: RunPython, other_build: Callable[..., str]) -> None:
    done = run_new_python(
        "from musa_build.cli.doctor import _torch_musa; print(_torch_musa(None))",
        PYTHONPATH=other_build(torch="0.5.1"),
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )
    assert f"was compiled for torch 0.5.1, but this is {torch.__version__}; hint: compile it again" in done.stdout
    assert "--no-binary torch-musa-sim" in done.stdout


def test_another_sdk_than_the_one_of_the_build_is_not_loaded(run_new_python: RunPython, tmp_path: Path) -> None:
    (tmp_path / "version.json").write_text('{"musa_sim": {"version": "0.5.1"}}')
    done = run_new_python("import torch_musa", MUSA_HOME=str(tmp_path), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    said = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and said.endswith(AGAIN)
    assert "was compiled with the simulated MUSA SDK " in said and f"but the one in {tmp_path} is 0.5.1." in said


def test_pip_does_not_replace_torch() -> None:
    """pip installs the wheel from its cache in other environments, too."""
    requirements = [Requirement(text) for text in importlib.metadata.requires("torch-musa-sim") or ()]
    (of_torch,) = [str(each.specifier) for each in requirements if each.name == "torch"]
    assert re.fullmatch(r">=[\d.]+", of_torch)


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
    # torch_musa's has its steps as methods, which other programs replace
    assert issubclass(SimplePorting, musa_build.SimplePorting)
    assert CMakeListsGenerator is musa_build.CMakeListsGenerator
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
    # ported code includes them: inline PTX became calls of functions there, and a check of PyTorch's stable interface
    beside = (
        "THCAtomics.muh",
        *("cuda.h", "musa.h"),  # torch/cuda.h leads to torch/musa.h, which PyTorch does not have
        "musa_ptx.h",
        "musa_ptx_half.h",
        "musa_ptx_matrix.h",
        "musa_ptx_mbarrier.h",
        "musa_ptx_small.h",
        "musa_shim.h",
    )
    for path in set(everything) - set(ported):
        assert {"musa", "THC"}.intersection(path.relative_to(include).parts) or path.name in beside
        assert not re.search(r"include <cuda[_.]", path.read_text())
    assert include / "ATen/musa/Atomic.muh" in everything and include / "ATen/musa/detail/TensorInfo.muh" in everything
    assert include / "torch/headeronly/macros/Macros.h" in ported or include / "c10/macros/Macros.h" in ported
