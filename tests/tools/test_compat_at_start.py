"""MUSA_CUDA_COMPAT=1 installs cuda_compat in unedited programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

REPOSITORY = Path(__file__).parents[2]
LINE = (REPOSITORY / "tools" / "musa_tools_cuda_compat.pth").read_text()


def run(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program as Python would with the .pth file in its site-packages."""
    script = folder / "train.py"
    script.write_text(f"{LINE}\n{code}")
    inherited = {name: value for name, value in os.environ.items() if "VISIBLE_DEVICES" not in name}
    path = os.pathsep.join([str(folder), str(REPOSITORY)])
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={**inherited, "PYTHONPATH": path, **environment},
    )


@pytest.mark.compiles  # `musa` is compiled code
def test_an_unedited_program(tmp_path: Path) -> None:
    """torch is imported by torch_musa here, which must be whole before the shim comes; imports are as without it."""
    code = (PROGRAMS / "unedited_program.py").read_text(encoding="utf-8")
    done = run(tmp_path, code, MUSA_CUDA_COMPAT="report", NCCL_DEBUG="INFO")
    assert done.stdout == "musa:0 True SourceFileLoader INFO\n[]\n", done.stderr
    assert "Tensor.cuda -> Tensor.musa: 1x, first in" in done.stderr


@pytest.mark.parametrize("value", ["", "0", "off"])
def test_nothing_is_imported_without_it(tmp_path: Path, value: str) -> None:
    code = "import sys\nprint(sorted(name for name in sys.modules if name.startswith(('torch', 'musa_tools.c'))))"
    done = run(tmp_path, f"{code}\nprint(len(sys.meta_path))", MUSA_CUDA_COMPAT=value)
    plain = subprocess.run(
        [sys.executable, "-c", "import sys; print(len(sys.meta_path))"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1] == plain.stdout.strip() and done.stderr == ""
    assert done.stdout.splitlines()[0] == ("['musa_tools.compat_at_start']" if value == "off" else "[]")


@pytest.mark.slow
def test_without_torch_musa_one_line_says_so(tmp_path: Path) -> None:
    code = "import torch; print('the program went on,', torch.cuda.is_available())"
    code = f"import sys; sys.modules['torch_musa'] = None\n{code}"  # Python's way to say that there is no such module
    done = run(tmp_path, code, MUSA_CUDA_COMPAT="1", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert (done.returncode, done.stdout) == (0, "the program went on, False\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("MUSA_CUDA_COMPAT=1 has no effect: cuda_compat translates to torch_musa, which cannot be")


def test_a_torch_that_cannot_be_imported(tmp_path: Path) -> None:
    """The user's exception is the one seen, and the next attempt is watched again."""
    (tmp_path / "torch.py").write_text("raise ValueError('broken')")
    code = (PROGRAMS / "imports_a_broken_torch.py").read_text(encoding="utf-8")
    done = run(tmp_path, code, MUSA_CUDA_COMPAT="1")
    assert (done.stdout, done.stderr) == ("broken Finder\n" * 2, "")


def test_a_launcher_gives_each_process_its_own_devices(tmp_path: Path) -> None:
    code = (PROGRAMS / "launches_a_child.py").read_text(encoding="utf-8")
    done = run(tmp_path, code, CUDA_VISIBLE_DEVICES="0,1", NCCL_DEBUG="INFO", MCCL_DEBUG="TRACE")
    assert done.stdout == "0,1 TRACE\n1 TRACE\n", done.stderr  # the user's variables stay


def test_beside_another_finder_that_asks_all_others(tmp_path: Path) -> None:
    """As that of FORCE_MUSA=1, which may come first or last; its step and ours are taken once each."""
    (tmp_path / "torch.py").write_text("cuda = 'the real one'")  # too small for the shim, which is what it says
    other = (PROGRAMS / "finder_that_asks_others.py").read_text(encoding="utf-8")
    for index in ("0", "1"):
        code = f"{other}\nsys.meta_path.insert({index}, Other())\nimport torch\nprint(torch.cuda)"
        done = run(tmp_path, code, MUSA_CUDA_COMPAT="1")
        assert done.stdout == "other\nthe real one\n", done.stderr
        assert done.stderr.count("MUSA_CUDA_COMPAT=1 has no effect: ") == 1, done.stderr
