"""NVIDIA's compiler, where it is installed: it says whether PTX is valid."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")


def compile_with_nvcc(text: str, architecture: str, folder: Path) -> None:
    """Compile a source for one architecture ("90a"); skip the test if this nvcc does not know it."""
    source = folder / "cases.cu"
    source.write_text(text)
    target = f"arch=compute_{architecture},code=sm_{architecture}"
    command = ["nvcc", "-gencode", target, "-Xptxas", "-O0", "-c", str(source), "-o", str(folder / "cases.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "Unsupported gpu architecture" in done.stderr:
        pytest.skip(f"this nvcc does not know sm_{architecture}")
    assert done.returncode == 0, done.stderr[-4000:]
