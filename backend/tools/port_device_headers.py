"""Ports the torch headers that are written for CUDA alone, ATen/cuda/..., to ATen/musa/....

Moore Threads' torch_musa does the same: kernels that include ATen/cuda/Atomic.cuh find it, after porting, as
ATen/musa/Atomic.muh. The text is PyTorch's own, ported by musa_build with its ordinary rules when the backend is built.
Headers that torch_musa keeps under its own names (streams, guards, the context) are not made here.

Run it as `python port_device_headers.py <torch include folder> <target folder>`.
"""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
from pathlib import Path

from musa_build import SimplePorting

HEADERS = (
    "ATen/cuda/ApplyGridUtils.cuh",
    "ATen/cuda/Atomic.cuh",
    "ATen/cuda/CUDAApplyUtils.cuh",
    "ATen/cuda/CUDAUtils.h",
    "ATen/cuda/DeviceUtils.cuh",
    "ATen/cuda/NumericLimits.cuh",
    "ATen/cuda/detail/DeviceThreadHandles.h",
    "ATen/cuda/detail/IndexUtils.cuh",
    "ATen/cuda/detail/IntegerDivider.cuh",
    "ATen/cuda/detail/KernelUtils.h",
    "ATen/cuda/detail/OffsetCalculator.cuh",
    "ATen/cuda/detail/TensorInfo.cuh",
)
"""What extensions include. One that the installed PyTorch lacks is left out."""

ALIASES = {
    "ATen/musa/MUSA_PORT_ApplyUtils.muh": "ATen/musa/MUSAApplyUtils.muh",
    "THC/THCAtomics.muh": "ATen/musa/Atomic.muh",
}
"""Names from torch_musa up to 2.x and from PyTorch before 1.11; mmcv's branch for MUSA includes both."""


def target_name(header: str) -> str:
    """Return the path that the ported `header` has, by torch_musa's convention."""
    return header.replace("cuda/", "musa/").replace("/CUDA", "/MUSA").replace(".cuh", ".muh")


def write_device_headers(torch_include: Path, target: Path) -> list[Path]:
    """Port `HEADERS` of the installed PyTorch into `target` and write the aliases. Return the paths there."""
    # The porter warns of what stands in branches for ROCm; nobody who builds the backend can act on it.
    logging.getLogger("musa_build.porting").setLevel(logging.ERROR)
    written = []
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch) / "torch"
        for header in HEADERS:
            if (torch_include / header).is_file():
                # Under its new name but for the suffix: that one the porting changes.
                place = stage / header.replace("cuda/", "musa/").replace("/CUDA", "/MUSA")
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(torch_include / header, place)
        ported = SimplePorting(stage).run().output
        for path in sorted(ported.rglob("*")):
            if path.suffix in (".h", ".muh"):
                written.append(_write(target / path.relative_to(ported), path.read_text(encoding="utf-8")))
    for alias, header in ALIASES.items():
        written.append(_write(target / alias, f"#pragma once\n#include <{header}>\n"))
    return written


def _write(path: Path, text: str) -> Path:
    """Write what is new or different only, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    for written_header in write_device_headers(Path(sys.argv[1]), Path(sys.argv[2])):
        print(written_header)
