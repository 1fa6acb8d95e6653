"""The program `musa-converter` beside Moore Threads' torch_musa, which installs one, too: in real environments."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

VENDORS = {
    "torch_musa/__init__.py": "",
    "torch_musa/converter.py": "import sys\ndef main():\n    print('of torch_musa', sys.argv[1:])\n    return 7\n",
    "torch_musa-2.7.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch_musa\nVersion: 2.7.1\n",
    "torch_musa-2.7.1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "torch_musa-2.7.1.dist-info/entry_points.txt": "[console_scripts]\nmusa-converter = torch_musa.converter:main\n",
    "torch_musa-2.7.1.dist-info/RECORD": "",
}


class Environment:
    """A virtual environment without libraries."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)

    def pip(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "--disable-pip-version-check"]
        command += ["--quiet", *arguments]
        subprocess.run(command, check=True, env={**os.environ, "FORCE_MUSA": "0"})

    def run(self, *command: str) -> tuple[int, str]:
        done = subprocess.run([self.bin / command[0], *command[1:]], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheels(built_wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    vendors = tmp_path_factory.mktemp("vendor") / "torch_musa-2.7.1-py3-none-any.whl"
    with zipfile.ZipFile(vendors, "w") as wheel:
        for name, text in VENDORS.items():
            wheel.writestr(name, text)
    return {"musa-tools": built_wheels["musa_tools"], "torch_musa": vendors}


@pytest.mark.parametrize(
    "first", ["musa-tools", pytest.param("torch_musa", marks=pytest.mark.slow)], ids=["ours first", "torch_musa first"]
)
def test_both_stay(wheels: dict[str, Path], first: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\nx = torch.ones(1).cuda()\n")
    asked = ("musa-converter", "-r", str(tmp_path / "train.py"), "--diff")
    second = next(name for name in wheels if name != first)
    environment = Environment(tmp_path / "environment")
    environment.pip("install", "--no-index", "--no-deps", str(wheels[first]))
    if first == "musa-tools":
        status, output = environment.run(*asked)
        assert status == 0 and "+x = torch.ones(1).musa()" in output, output
    environment.pip("install", "--no-index", "--no-deps", str(wheels[second]))
    status, output = environment.run(*asked)
    assert status == 7 and f"of torch_musa {list(asked[1:])}" in output, output
    assert ("musa-tools convert" in output) == (second == "musa-tools"), "torch_musa's own says nothing of ours"
    # The code of `musa-tools convert`; click, which reads the command line of musa-tools, is not installed here.
    code = "import sys; from musa_tools.convert.command_line import main; sys.exit(main())"
    status, output = environment.run("python", "-c", code, *asked[1:])
    assert status == 0 and "+x = torch.ones(1).musa()" in output, output

    environment.pip("uninstall", "--yes", second)
    assert not (environment.bin / "musa-converter").exists(), "pip removes the program with either"
    environment.pip("install", "--no-index", "--no-deps", "--force-reinstall", str(wheels[first]))
    status, output = environment.run(*asked)
    assert (status, "of torch_musa" in output) == ((7, True) if first == "torch_musa" else (0, False)), output
