"""Install and restore: one process has one torch, so one shim at a time."""

from __future__ import annotations

import sys
from typing import Any

import torch

from ..errors import ToolError
from .cuda_module import CudaModule
from .patches import Mode, Patches, patch_functions, patch_tensors
from .translation import Translations


class _Shim:
    """Everything that is replaced while CUDA's names mean MUSA."""

    def __init__(self) -> None:
        self.translations = Translations()
        self._patches = Patches()
        self._mode: Any = Mode(self.translations)
        self._modules: dict[str, object] = {}

    def install(self) -> None:
        real = torch.cuda
        stand_in = CudaModule(real, self.translations)
        patch_tensors(self._patches, self.translations)
        patch_functions(self._patches, self.translations)
        self._patches.set(torch, "cuda", stand_in)
        for name, module in (("torch.cuda", stand_in), ("torch.cuda.amp", torch.get_device_module("musa").amp)):
            self._modules[name] = sys.modules[name]
            sys.modules[name] = module
        self._mode.__enter__()

    def restore(self) -> None:
        overrides: Any = torch.overrides
        if overrides._get_current_function_mode() is not self._mode:
            raise ToolError(
                "cuda_compat can only be restored in the thread that installed it, outside of all torch function modes "
                "that were entered since"
            )
        self._mode.__exit__(None, None, None)
        self._patches.restore()
        sys.modules.update(self._modules)  # type: ignore[arg-type]


class _Installed:
    """The shim of this process, if there is one, and the last one's list of translations."""

    shim: _Shim | None = None
    last = Translations()


def installed() -> bool:
    """Whether CUDA's names mean MUSA now."""
    return _Installed.shim is not None


def install() -> None:
    """Let CUDA's names mean MUSA's device, until `restore`. Doing so twice is doing it once.

    Raises:
        ToolError: A CUDA device is here, or no MUSA device.
    """
    if installed():
        return
    if torch.cuda.is_available():
        raise ToolError("a CUDA device is available: cuda_compat would hide it")
    try:
        import torch_musa  # type: ignore[import-not-found,unused-ignore] # noqa: F401
    except ImportError as error:
        raise ToolError("cuda_compat translates to torch_musa, which cannot be imported", found=str(error)) from error
    shim = _Shim()
    shim.install()
    _Installed.shim, _Installed.last = shim, shim.translations


def restore() -> None:
    """Put back everything that `install` replaced.

    Raises:
        ToolError: Another mode was entered since, or this is another thread.
    """
    if _Installed.shim is not None:
        _Installed.shim.restore()
        _Installed.shim = None


def report() -> str:
    """Return the translations, with their counts and first positions: a list of words to convert."""
    return _Installed.last.text()
