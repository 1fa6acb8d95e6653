"""Choose the files of PyTorch that are ported for torch_musa, and their targets.

The result has the layout of torch_musa's `share/generated_cuda_compatible`: headers in `include`, where `ATen/cuda`
became `ATen/musa` and so on; kernels of a PyTorch checkout in `aten/src`, `c10` and `torch`, as in the checkout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Optional

from ..engine.rules import PYTORCH_CUDA_FOLDERS, ported_header
from ..tree.source_tree import PORTED_SUFFIXES, SourceFile, SourceTree, read, read_tree, suffix_of

INCLUDE = "include/"
_ATEN = "aten/src/"
# The rest of it up to PyTorch 2.7. The table maps includes of it to the present header of its functions.
_THC = "THC/"

# Not for kernels. (Operators' own headers are thousands, and name no device. The rest of torch/csrc, pybind11 and
# other third-party headers test for CUDA's compiler only to work around it.)
_OTHER_PLATFORMS = ("ATen/ops", "cuda", "hip", "xpu", "mps", "miopen", "cudnn", "cpu", "test")
_FOR_ALL_DEVICES = ("ATen", "c10", "torch/headeronly", "torch/csrc/stable")
# The folders of a checkout with code that is compiled for CUDA.
_KERNEL_FOLDERS = ("aten/src/ATen/", "aten/src/THC/", "c10/cuda/", "torch/csrc/cuda/")

_ASKS_FOR_CUDA = re.compile(rb"__CUDACC__|__CUDA_ARCH__|\bcudaError_t\b|#\s*include\s*<(?:ATen|c10)/(?:native/)?cuda/")
_MADE_FOR_CUDA = re.compile(r"(?:^|/)(?:cuda|THC)/")

Headers = Mapping[str, str]


def cuda_headers(include: str, headers: Headers, lacking: Iterable[str] = ()) -> SourceTree:
    """Return the headers below `include` (a torch's include folder) that are CUDA's own, with their new names.

    Those that torch_musa has rewritten (by the table `headers`) are left out, unless they are among `lacking`.
    """
    wanted = frozenset(lacking)
    return _chosen(include, ("ATen", "THC", "c10", "torch"), (), lambda path: _cuda_header(path, headers, wanted))


def rewritten_headers(include: str, headers: Headers) -> Headers:
    """Return the headers below `include` that torch_musa has rewritten: the name that porting gives -> torch_musa's."""
    return {
        ported_header(path): new
        for path, new in headers.items()
        if new.startswith("torch_musa/") and path.startswith(PYTORCH_CUDA_FOLDERS) and Path(include, path).is_file()
    }


def portable_headers(include: str) -> SourceTree:
    """Return the headers below `include` for all devices that are written for CUDA in part.

    They test for CUDA's compiler, include CUDA's headers, or check the runtime's status (torch/csrc/stable/macros.h).

    Raises:
        PortingError: A header cannot be read.
    """
    tree = _chosen(include, _FOR_ALL_DEVICES, _OTHER_PLATFORMS, lambda path: INCLUDE + path)
    return tree.with_files(file for file in tree.files if _ASKS_FOR_CUDA.search(read(file)))


def kernels(checkout: str, headers: Headers, present: Iterable[str]) -> SourceTree:
    """Return the files that a PyTorch checkout compiles for CUDA, and its headers that are not `present` (targets) yet.

    A source whose header torch_musa has rewritten is left out: `c10/cuda/CUDAStream.cpp`.
    """
    known = frozenset(present)
    rewritten = {re.sub(r"\.\w+$", "", path) for path, new in headers.items() if new.startswith("torch_musa/")}

    def target(path: str) -> Optional[str]:
        name = included_as(path)
        if not (path.startswith(_KERNEL_FOLDERS) and _MADE_FOR_CUDA.search(path)):
            return None
        if re.sub(r"\.\w+$", "", name) in rewritten:
            return None
        new = ported_header(path)
        return None if f"{INCLUDE}{included_as(new)}" in known else new

    return _chosen(checkout, ("aten", "c10", "torch"), ("hip", "test", "tests"), target)


def included_as(path: str) -> str:
    """Return the path by which sources include the file at `path`, of a checkout or of the result."""
    for folder in (INCLUDE, _ATEN):
        if path.startswith(folder):
            return path[len(folder) :]
    return path


def _chosen(
    root: str, top: Iterable[str], patterns: Iterable[str], target: Callable[[str], Optional[str]]
) -> SourceTree:
    """Return the source files below the folders `top` of `root` that have a target."""
    tree = read_tree(root, patterns=patterns, top=top)
    files: list[SourceFile] = []
    for file in tree.files:
        new = target(file.path) if suffix_of(file.path) in PORTED_SUFFIXES else None
        if new is not None:
            files.append(file._replace(target=new))
    return tree.with_files(files)


def _cuda_header(path: str, headers: Headers, lacking: frozenset[str]) -> Optional[str]:
    if path.startswith(_THC):
        return INCLUDE + ported_header(path)
    if not path.startswith(PYTORCH_CUDA_FOLDERS):
        return None
    new = headers.get(path) or ported_header(path)
    return None if new.startswith("torch_musa/") and path not in lacking else INCLUDE + new
