"""The module that replaces torch.cuda."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch

from ..convert.vocabulary import RENAMED
from .translation import Translations, asked_by_torch


class CudaModule(ModuleType):
    """Gives torch.musa's names to programs, and the real torch.cuda's to PyTorch itself."""

    def __init__(self, real: ModuleType, translations: Translations) -> None:
        super().__init__(real.__name__, "torch.cuda, translated to torch.musa by musa_tools.cuda_compat")
        self.__path__ = list(getattr(real, "__path__", []))
        self.__spec__ = real.__spec__
        self.__dict__["_compat"] = (real, translations)

    def __getattr__(self, name: str) -> Any:
        real, translations = self.__dict__["_compat"]
        if name.startswith("_") or asked_by_torch():
            return getattr(real, name)
        new = RENAMED.get(name, name)
        musa = torch.get_device_module("musa")
        if not hasattr(musa, new):
            raise AttributeError(
                f"torch.cuda.{name} has no counterpart in torch.musa; musa_tools.cuda_compat cannot translate it"
            )
        translations.count(f"torch.cuda.{name}", f"torch.musa.{new}")
        return getattr(musa, new)

    def __dir__(self) -> list[str]:
        return dir(torch.get_device_module("musa"))
