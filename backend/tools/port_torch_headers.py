"""Ports the torch headers that ask "is this CUDA?" so that the same questions are answered for MUSA.

PyTorch's headers offer their types to device code only under CUDA's macros: `C10_HOST_DEVICE` is `__host__ __device__`
when `__CUDACC__` is defined, `c10::Half` converts to `__half` then, and so on. mcc defines `__MUSACC__` and
`__MUSA_ARCH__` instead. This script copies the few dozen headers that test such a macro, with the names changed, into a
folder that comes before PyTorch's own on mcc's command line. Installed files are only read.

Run it as `python port_torch_headers.py <torch include folder> <target folder>`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

RENAMED = {
    "__CUDACC__": "__MUSACC__",
    # Thresholds stay as they are. MUSA's numbers (210, 220, 310) are below every one that these headers ask for, so
    # device code takes the portable branch, written for any device.
    "__CUDA_ARCH__": "__MUSA_ARCH__",
    "__CUDA__": "__MUSA__",
    "__nv_bfloat16": "__mt_bfloat16",
    "__nv_bfloat162": "__mt_bfloat162",
    "cuda.h": "musa.h",
    "cuda_fp16.h": "musa_fp16.h",
    "cuda_bf16.h": "musa_bf16.h",
    "cuda_fp8.h": "musa_fp8.h",
    "cuda_runtime.h": "musa_runtime.h",
    "cuda_runtime_api.h": "musa_runtime_api.h",
}
"""Whole tokens only. `__NVCC__` is absent on purpose: it guards work-arounds for nvcc, and mcc is a clang."""

_TOKEN = re.compile(r"(?<![\w./])(" + "|".join(map(re.escape, sorted(RENAMED, key=len, reverse=True))) + r")(?!\w)")

SUBJECTS = ("ATen", "c10", "torch/headeronly")
"""What kernels include. torch/csrc, pybind11 and other guests only work around nvcc."""

OTHER_PLATFORMS = {"cuda", "hip", "xpu", "mps", "miopen", "cudnn", "test"}


def port(text: str) -> str:
    """Return a header's text with CUDA's names changed to MUSA's."""
    return _TOKEN.sub(lambda match: RENAMED[match.group(1)], text)


def ported_headers(torch_include: Path) -> Iterator[tuple[Path, str]]:
    """Yield (path relative to `torch_include`, new text) of every header that porting changes."""
    for subject in SUBJECTS:
        for path in sorted((torch_include / subject).rglob("*.h")):
            relative = path.relative_to(torch_include)
            if OTHER_PLATFORMS.intersection(relative.parts):
                continue
            text = path.read_text(encoding="utf-8")
            new_text = port(text)
            if new_text != text:
                yield relative, new_text


def write_ported_headers(torch_include: Path, target: Path) -> list[Path]:
    """Write the ported headers below `target`, those that are new or different only. Return their paths there."""
    written = []
    for relative, text in ported_headers(torch_include):
        path = target / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for header in write_ported_headers(Path(sys.argv[1]), Path(sys.argv[2])):
        print(header)
