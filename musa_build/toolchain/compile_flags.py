"""`extra_compile_args` in all of its accepted forms, as one value."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..errors import SettingError
from ..system.files import porting_manifests

FORCE_MCC = "force_mcc"
# PyTorch passes these to nvcc before the extension's own flags. CUDA code relies on them: "a == b" of two c10::Half
# would be ambiguous if __half had operators too. Code that needs those passes -U.
TORCH_NVCC_FLAGS = (
    "-D__MUSA_NO_HALF_OPERATORS__",
    "-D__MUSA_NO_HALF_CONVERSIONS__",
    "-D__MUSA_NO_BFLOAT16_CONVERSIONS__",
    "-D__MUSA_NO_HALF2_OPERATORS__",
)
# Most CUDA code is older than C++20, which PyTorch's headers need. These headers hide the parts of C++20 that break it;
# see their comments and docs/porting.md.
OLDER_CXX_FLAGS = ("-isystem", str(Path(__file__).with_name("cxx_headers")))
_KEYS = ("cxx", "mcc", "nvcc")
_LINK_KEYS = ("mcc_dlink", "nvcc_dlink")


@dataclass(frozen=True)
class CompileFlags:
    """The flags of one extension.

    `notes` are the messages about translated flags of nvcc. `device_link` are the flags of mcc's device link step for
    relocatable device code, None without that step.
    """

    cxx: tuple[str, ...] = ()
    mcc: tuple[str, ...] = ()
    force_mcc: bool = False
    notes: tuple[str, ...] = ()
    device_link: Optional[tuple[str, ...]] = None

    @classmethod
    def parse(cls, args: object, extension: str, sources: Iterable[str] = (), mcc_version: str = "") -> CompileFlags:
        """Parse extra_compile_args: a list for both compilers, or a dictionary with the keys cxx, mcc and nvcc.

        If the key nvcc is present, even with an empty list, the code is CUDA and gets the flags that PyTorch passes to
        nvcc (torch_nvcc_flags), and AS_NVCC_FLAGS. So do `sources` that porting wrote. CUDA code also gets
        OLDER_CXX_FLAGS, for both compilers. None means no flags, tuples are accepted as lists, and Path objects as
        text.

        Raises:
            SettingError: An unknown key, a value that is no list, or a flag of nvcc that cannot be translated.
        """
        is_cuda = bool(porting_manifests(sources)) or (isinstance(args, Mapping) and args.get("nvcc") is not None)
        older = OLDER_CXX_FLAGS if is_cuda else ()
        from_cuda = (*_of_cuda_code(), *older) if is_cuda else ()
        if not isinstance(args, Mapping):
            both = flag_list(args, f"{extension}: extra_compile_args")
            return cls((*older, *_without_force_mcc(both)), (*from_cuda, *_without_force_mcc(both)), FORCE_MCC in both)
        _check_keys(args, extension)
        cxx, mcc, nvcc = (flag_list(args.get(key), f"{extension}: extra_compile_args[{key!r}]") for key in _KEYS)
        translated, notes = _translated(nvcc, extension, mcc_version)
        linked = [
            flag_list(args[key], f"{extension}: extra_compile_args[{key!r}]") for key in _LINK_KEYS if key in args
        ]
        device_link = tuple(flag for flags in linked for flag in flags) if linked else None
        flags = (*from_cuda, *translated, *_without_force_mcc(mcc))
        return cls((*older, *_without_force_mcc(cxx)), flags, FORCE_MCC in cxx, notes, device_link)


def torch_nvcc_flags() -> tuple[str, ...]:
    """Return TORCH_NVCC_FLAGS without those that a setup.py took out of PyTorch's list, COMMON_NVCC_FLAGS."""
    known = getattr(sys.modules.get("torch.utils.cpp_extension"), "COMMON_NVCC_FLAGS", None)
    if known is None:
        return TORCH_NVCC_FLAGS
    return tuple(flag for flag in TORCH_NVCC_FLAGS if flag.replace("__MUSA_", "__CUDA_") in known)


def _of_cuda_code() -> tuple[str, ...]:
    from .nvcc_flags import AS_NVCC_FLAGS  # see _translated

    return (*torch_nvcc_flags(), *AS_NVCC_FLAGS)


def _translated(nvcc: tuple[str, ...], extension: str, mcc_version: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the flags of nvcc in mcc's words, and messages about them."""
    if not nvcc:
        return (), ()
    from .nvcc_flags import translate_nvcc_flags  # the table of all flags: most extensions for MUSA have none

    return translate_nvcc_flags(nvcc, extension, mcc_version)


def _check_keys(args: Mapping[str, object], extension: str) -> None:
    for key in args:
        if key not in (*_KEYS, *_LINK_KEYS):
            near = difflib.get_close_matches(str(key), (*_KEYS, *_LINK_KEYS), n=1)
            raise SettingError(
                f"{extension}: extra_compile_args has an unknown key",
                found=str(key),
                wanted="cxx, mcc (or nvcc, whose flags are translated), mcc_dlink",
                hint=f"did you mean {near[0]}?" if near else "",
            )


def flag_list(value: object, name: str) -> tuple[str, ...]:
    """Return the items of a list, tuple or None as text.

    Raises:
        SettingError: `value` is anything else; the message has its `name`.
    """
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return tuple(os.fspath(item) for item in value)
    raise SettingError(f"{name} is not a list", found=repr(value), wanted="a list of flags")


def _without_force_mcc(flags: tuple[str, ...]) -> tuple[str, ...]:
    """Return `flags` without the word force_mcc, which is not a compiler flag."""
    return tuple(flag for flag in flags if flag != FORCE_MCC)
