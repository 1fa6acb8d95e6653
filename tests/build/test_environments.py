"""Environments of conda, uv and Poetry: compilers of other names, and no pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from demo_project import Project, check_kernel

from musa_build.errors import ToolNotFoundError
from musa_build.system.host_compiler import host_cxx
from musa_build.system.pip_command import install_command

#: conda-forge's name of a program begins with this
PREFIX = "x86_64-conda-linux-gnu-"
GCC = {"cc": "gcc", "gcc": "gcc", "c++": "g++", "g++": "g++"}
BINUTILS = ("ar", "as", "ld", "nm", "ranlib", "readelf")
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "ld")


def conda_environment(folder: Path) -> dict[str, str]:
    """Makes an environment as conda's compilers do: prefixed names only, and flags for a prefix of its own.

    The programs are this machine's. The flags are those that activating conda-forge's gxx_linux-64 sets.
    """
    prefix, others = folder / "conda", folder / "programs"
    for made in (prefix / "bin", prefix / "include", prefix / "lib", others):
        made.mkdir(parents=True)
    for name, program in {**GCC, **{name: name for name in BINUTILS}}.items():
        script = prefix / "bin" / f"{PREFIX}{name}"
        # collect2 looks for ld where -B says: PATH has none
        also = f' -B"{Path(shutil.which("ld") or "/usr/bin/ld").parent}"' if name in GCC else ""
        script.write_text(f'#!/bin/sh\nexec {shutil.which(program)}{also} "$@"\n')
        script.chmod(0o755)
    for directory in ("/usr/bin", "/bin"):
        for path in Path(directory).iterdir():
            if not (others / path.name).exists() and path.name not in COMPILERS and "g++" not in path.name:
                (others / path.name).symlink_to(path)
    flags = "-march=nocona -mtune=haswell -ftree-vectorize -fPIC -fno-plt -O2 -ffunction-sections -pipe"
    flags += f" -isystem {prefix}/include"
    libraries = (
        "-Wl,-O2 -Wl,--sort-common -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,--disable-new-dtags -Wl,--gc-sections"
    )
    return {
        "PATH": f"{prefix}/bin:{others}",
        "CONDA_PREFIX": str(prefix),
        "CONDA_BUILD_SYSROOT": "",
        "HOST": PREFIX[:-1],
        "CC": f"{prefix}/bin/{PREFIX}cc",
        "CXX": f"{prefix}/bin/{PREFIX}c++",
        "CFLAGS": flags,
        "CXXFLAGS": f"-fvisibility-inlines-hidden -fmessage-length=0 {flags}",
        "CPPFLAGS": f"-DNDEBUG -D_FORTIFY_SOURCE=2 -O2 -isystem {prefix}/include",
        "LDFLAGS": f"{libraries} -Wl,-rpath,{prefix}/lib -Wl,-rpath-link,{prefix}/lib -L{prefix}/lib",
    }


def test_condas_compilers_build_an_extension(project: Project, tmp_path: Path) -> None:
    """The kernel's image survives --gc-sections, and no flag for g++ reaches mcc."""
    environment = conda_environment(tmp_path)
    assert shutil.which("g++", path=environment["PATH"]) is None
    done = project.run("setup.py", "build_ext", "--inplace", MUSA_BUILD_VERBOSE="1", **environment)
    assert done.returncode == 0, done.output
    mcc = [line for line in done.output.splitlines() if "bin/mcc" in line and "kernel.mu" in line]
    assert mcc and not any("-march=nocona" in line or "-fno-plt" in line for line in mcc)
    assert any(
        line.startswith(f"{environment['CXX']} ") or f" {environment['CXX']} " in line
        for line in done.output.splitlines()
    )
    (built,) = project.root.glob("demo.*so")
    dynamic = subprocess.run(["readelf", "-dW", str(built)], capture_output=True, text=True, check=True).stdout
    assert f"{environment['CONDA_PREFIX']}/lib" in dynamic
    check_kernel(project.load())


def test_the_host_compiler_where_there_is_no_gxx(tmp_path: Path) -> None:
    environment = conda_environment(tmp_path)
    assert host_cxx(environment) == (environment["CXX"],)
    assert host_cxx({**environment, "CXX": f"ccache {environment['CXX']}"}) == ("ccache", environment["CXX"])
    assert host_cxx({"PATH": environment["PATH"]}) == ("g++",), "the error is the caller's"
    assert host_cxx({"PATH": os.environ["PATH"], "CXX": "clang++"}) == ("g++",), "where it exists, it is taken"


def test_the_toolkits_nvcc_where_there_is_no_gxx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from musa_build.nvcc.main import _environment

    for name, value in conda_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NVCC_CCBIN", raising=False)
    assert _environment()["NVCC_CCBIN"] == os.environ["CXX"]
    monkeypatch.setenv("NVCC_CCBIN", "/opt/g++")
    assert _environment()["NVCC_CCBIN"] == "/opt/g++"


def test_the_simulator_where_there_is_no_gxx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    musa_sim = pytest.importorskip("musa_sim.mcc.clang.toolchain", reason="musa-sim is not installed")
    environment = conda_environment(tmp_path)
    for name in ("PATH", "CXX"):
        monkeypatch.setenv(name, environment[name])
    assert musa_sim.find_host_cxx() == environment["CXX"]
    assert Path(musa_sim.find_linker(environment["CXX"])).name.endswith("ld")
    monkeypatch.delenv("CXX")
    with pytest.raises(Exception, match="g\\+\\+ not found; hint: install it"):
        musa_sim.find_host_cxx()


def test_uv_installs_where_there_is_no_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`uv venv` and `uv sync` make such environments."""
    before = sys.modules.get("distutils")
    assert install_command()[:3] == (sys.executable, "-m", "pip")
    assert sys.modules.get("distutils") is before, "setuptools' copy stays"
    monkeypatch.setattr(PathFinder, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolNotFoundError, match=r"nothing can be installed.*no pip in.*ensurepip, or install uv"):
        install_command()
    (tmp_path / "uv").write_text("")
    (tmp_path / "uv").chmod(0o755)
    assert install_command() == (str(tmp_path / "uv"), "pip", "install", "--no-cache", "--python", sys.executable)


@pytest.mark.slow
def test_uv_installs_a_package_by_our_command(project: Project, tmp_path: Path) -> None:
    """`musa-build install` in an environment of uv's, which has links to everything here but pip."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed: pip install uv")
    package = tmp_path / "affine"
    shutil.copytree(Path(__file__).parents[1] / "packages" / "affine_cuda", package)
    environment = tmp_path / "environment"
    subprocess.run([uv, "venv", "--quiet", str(environment), "--python", sys.executable], check=True)
    (site,) = environment.glob("lib/python3*/site-packages")
    own = Path(next(path for path in sys.path if path.endswith("site-packages")))
    for path in own.iterdir():
        if path.name != "pip" and not path.name.startswith(("pip-", "_virtualenv")):
            (site / path.name).symlink_to(path)
    python = str(environment / "bin" / "python")
    command = [python, "-m", "musa_build", "install", str(package)]
    variables = {**project.environment, "PATH": f"{Path(uv).parent}:{os.environ['PATH']}", "PYTHONPATH": ""}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "loads, 2 functions" in done.stdout, done.stdout + done.stderr
    assert list(site.glob("affine_cuda-*.dist-info"))
