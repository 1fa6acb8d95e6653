"""`extra_compile_args` in all the shapes people write it, as one value."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..errors import SettingError
from ..system.files import porting_manifests
from .nvcc_flags import TORCH_NVCC_FLAGS, translate_nvcc_flags

FORCE_MCC = "force_mcc"
# CUDA code was mostly written before C++20, which PyTorch's headers need by now: what these headers hold back of C++20
# is said in them (and in docs/porting.md).
OLDER_CXX_FLAGS = ("-isystem", str(Path(__file__).with_name("cxx_headers")))
_KEYS = ("cxx", "mcc", "nvcc")
_LINK_KEYS = ("mcc_dlink", "nvcc_dlink")


@dataclass(frozen=True)
class CompileFlags:
    """The flags of one extension. `notes` say what became of flags that were translated from nvcc's; `device_link`
    are the flags of mcc's own link step for relocatable device code, None where there is none."""

    cxx: tuple[str, ...] = ()
    mcc: tuple[str, ...] = ()
    force_mcc: bool = False
    notes: tuple[str, ...] = ()
    device_link: Optional[tuple[str, ...]] = None

    @classmethod
    def parse(
        cls, given: object, extension: str, sources: Iterable[str] = (), mcc_version: str = ""
    ) -> CompileFlags:
        """A list is for both compilers; a dictionary has the keys cxx and mcc, and nvcc for flags to translate.

        Who says nvcc, even with an empty list, has CUDA code, which PyTorch would compile with TORCH_NVCC_FLAGS; so do
        `sources` that porting made. CUDA code gets OLDER_CXX_FLAGS too, for both compilers. None stands for no flags,
        tuples for lists, Path objects for text. Raises SettingError naming `extension`.
        """
        is_cuda = bool(porting_manifests(sources)) or (isinstance(given, Mapping) and given.get("nvcc") is not None)
        older = OLDER_CXX_FLAGS if is_cuda else ()
        from_cuda = (*TORCH_NVCC_FLAGS, *older) if is_cuda else ()
        if not isinstance(given, Mapping):
            both = flag_list(given, f"{extension}: extra_compile_args")
            return cls((*older, *_plain(both)), (*from_cuda, *_plain(both)), FORCE_MCC in both)
        _check_keys(given, extension)
        cxx, mcc, nvcc = (flag_list(given.get(key), f"{extension}: extra_compile_args[{key!r}]") for key in _KEYS)
        translated, notes = translate_nvcc_flags(nvcc, extension, mcc_version)
        linked = [
            flag_list(given[key], f"{extension}: extra_compile_args[{key!r}]") for key in _LINK_KEYS if key in given
        ]
        device_link = tuple(flag for flags in linked for flag in flags) if linked else None
        flags = (*from_cuda, *translated, *_plain(mcc))
        return cls((*older, *_plain(cxx)), flags, FORCE_MCC in cxx, notes, device_link)


def _check_keys(given: Mapping[str, object], extension: str) -> None:
    for key in given:
        if key not in (*_KEYS, *_LINK_KEYS):
            near = difflib.get_close_matches(str(key), (*_KEYS, *_LINK_KEYS), n=1)
            raise SettingError(
                f"{extension}: extra_compile_args has an unknown key",
                found=str(key),
                wanted="cxx, mcc (or nvcc, whose flags are translated), mcc_dlink",
                hint=f"did you mean {near[0]}?" if near else "",
            )


def flag_list(value: object, where: str) -> tuple[str, ...]:
    """`value`, a list, tuple or None, as text. Raises SettingError, which says `where` anything else stands."""
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return tuple(os.fspath(item) for item in value)
    raise SettingError(f"{where} is not a list", found=repr(value), wanted="a list of flags")


def _plain(flags: tuple[str, ...]) -> tuple[str, ...]:
    """Without the word force_mcc, which is no flag of any compiler."""
    return tuple(flag for flag in flags if flag != FORCE_MCC)
