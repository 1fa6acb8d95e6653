"""The two libraries: one for C++ alone, one that is the Python module."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch_musa

from .conftest import PROGRAMS, RunPython

LIBRARIES = Path(torch_musa.__file__).parent / "lib"


def readelf(library: str, *options: str) -> str:
    command = ["readelf", "-W", *options, str(LIBRARIES / library)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_one_of_them_knows_nothing_of_python() -> None:
    needed = [line for line in readelf("libtorch_musa.so", "-d").splitlines() if "(NEEDED)" in line]
    assert any("libtorch_cpu.so" in line for line in needed) and not any("python" in line for line in needed)
    symbols = [line.split()[-1] for line in readelf("libtorch_musa.so", "--dyn-syms").splitlines() if " UND " in line]
    assert len(symbols) > 100 and not [name for name in symbols if name.startswith(("Py", "_Py", "THP"))]
    module = readelf("libmusa_python.so", "-d")
    assert "[libtorch_musa.so]" in module and "[libtorch_python.so]" in module


REGISTERED_ONCE = PROGRAMS / "kernels_registered_once.py"


@pytest.mark.parametrize("autoload", [pytest.param("0", marks=pytest.mark.slow), "1"])
def test_kernels_are_registered_once(autoload: str, run_new_python: RunPython) -> None:
    """Any process may load the library first, and any number of times."""
    done = run_new_python(REGISTERED_ONCE, str(LIBRARIES), TORCH_DEVICE_BACKEND_AUTOLOAD=autoload)
    assert done.stdout == "['libmusa_python.so', 'libtorch_musa.so']\n[2.0, 2.0] 1\n", done.stderr
    assert done.stderr == "", "PyTorch warns of a kernel that is registered twice"


PROGRAM = (PROGRAMS / "without_python.cpp").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_program_made_by_load_has_the_device(request: pytest.FixtureRequest) -> None:
    assert request.config.cache is not None
    project = Path(request.config.cache.mkdir("standalone_program"))
    source = project / "main.cpp"
    if not source.is_file() or source.read_text() != PROGRAM:
        source.write_text(PROGRAM)
    code = "import sys; from musa_build import load; print(load('tool', [sys.argv[1]], is_standalone=True))"
    built = subprocess.run(
        [sys.executable, "-c", code, str(source)],
        env={**os.environ, "TORCH_EXTENSIONS_DIR": str(project), "MUSA_BUILD_SIMULATOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([built.stdout.strip()], capture_output=True, text=True, env={}, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "4\n", "")
    libraries = subprocess.run(["ldd", built.stdout.strip()], capture_output=True, text=True, check=True).stdout
    assert "libtorch_musa.so" in libraries and "libtorch_python" not in libraries and "libpython" not in libraries
