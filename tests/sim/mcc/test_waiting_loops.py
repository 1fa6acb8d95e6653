"""Which loops let other threads run: those that wait, and no others, because a kernel with one runs as fibers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

KERNELS = (PROGRAMS / "waiting_loops.mu").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def image(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("waiting")
    (folder / "k.mu").write_text(KERNELS)
    command = [sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", "k.mu", "-o", "k.mubin"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return (folder / "k.mubin").read_bytes()


@pytest.mark.parametrize("kernel", re.findall(r"void (\w+)\(", KERNELS))
def test_only_loops_that_wait_cost_the_loop_over_threads(image: bytes, kernel: str) -> None:
    """A kernel that runs as a loop over its threads has a function for it in the image."""
    assert kernel.encode() in image
    has_loop = re.search(rb"__musa_sim_loop__Z\d+" + kernel.encode(), image) is not None
    assert has_loop == (not kernel.startswith("waits"))
