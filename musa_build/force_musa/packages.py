"""What is known about single packages: how far each must be led to believe in CUDA, and how to keep it from fetching
binaries that were built for CUDA.

A package that is not listed gets `DEFAULT_LEVEL`; MUSA_BUILD_FORCE_LEVEL overrides both. The levels were found by
running each setup.py with stand-ins for PyTorch's build tools.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from types import MappingProxyType


class Level(enum.IntEnum):
    """What a setup.py is told; each level includes those below it."""

    CLASSES = 0  # nothing: CUDAExtension and the like are ours
    FORCE_CUDA = 1  # FORCE_CUDA=1 in the environment
    AVAILABLE = 2  # torch.cuda.is_available() is true
    TOOLKIT = 3  # CUDA_HOME is set, and nvcc on PATH tells its version
    VERSION = 4  # torch.version.cuda is a version, and PyTorch says it was built with CUDA


DEFAULT_LEVEL = Level.FORCE_CUDA


@dataclass(frozen=True)
class Needs:
    """What one package needs. `environment` (name, value) is set for its build, `rules` (text, replacement) are used in
    porting its sources, before all others."""

    level: Level = DEFAULT_LEVEL
    environment: tuple[tuple[str, str], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()


# mmcv 2.2.0 defines reduceAdd() for the device pass alone and calls it in a kernel. nvcc drops kernels from its host
# pass; a clang, which mcc is, reads them in both.
_REDUCE_ADD = "__device__ __forceinline__ static void reduceAdd(float *address, float val) {\n#if ("
# It also leaves filtered_lrelu out where __GNUC__ is less than 6, and for every clang it is 4, whatever it can do.
_MMCV_RULES = (
    (f"#ifdef __CUDA_ARCH__\n{_REDUCE_ADD}__CUDA_ARCH__ < 200)", f"#ifdef __MUSACC__\n{_REDUCE_ADD}0)"),
    ("#if __GNUC__ < 6\n#undef BUILD_FILTERED_LRELU_OP", "#if 0\n#undef BUILD_FILTERED_LRELU_OP"),
)

PACKAGES: Mapping[str, Needs] = MappingProxyType(
    {
        "mmcv": Needs(rules=_MMCV_RULES),
        "warp-rnnt": Needs(Level.AVAILABLE),
        "pytorch-fast-transformers": Needs(Level.TOOLKIT),
        "causal-conv1d": Needs(Level.TOOLKIT, (("CAUSAL_CONV1D_FORCE_BUILD", "TRUE"),)),
        "xformers": Needs(Level.TOOLKIT),
        "inplace-abn": Needs(Level.VERSION),
        "mamba-ssm": Needs(Level.VERSION, (("MAMBA_FORCE_BUILD", "TRUE"),)),
        "deepspeed": Needs(Level.VERSION, (("DS_BUILD_OPS", "1"),)),
        "flash-attn": Needs(Level.TOOLKIT, (("FLASH_ATTENTION_FORCE_BUILD", "TRUE"),)),
        "monai": Needs(Level.FORCE_CUDA, (("BUILD_MONAI", "1"),)),
    }
)


@dataclass(frozen=True)
class Package:
    """A project's name, as package indexes spell it, and its version; "" where the project does not say."""

    name: str
    version: str = ""

    @property
    def needs(self) -> Needs:
        return PACKAGES.get(self.name, Needs())


def identify(directory: Path) -> Package:
    """The project in `directory`: by its PKG-INFO (source distributions have one), else by what its build files say."""
    metadata = _text(directory / "PKG-INFO")
    if metadata:
        headers = HeaderParser().parsestr(metadata)
        return Package(_normalised(headers.get("Name", "")), headers.get("Version", ""))
    for file in ("pyproject.toml", "setup.cfg", "setup.py"):
        found = re.search(r"""^\W*name\s*=\s*["']?([\w.-]+)["']?\s*,?\s*$""", _text(directory / file), re.MULTILINE)
        if found:
            return Package(_normalised(found[1]))
    return Package("")


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
