"""Convert the flags and libraries of a CUDA extension for MUSA. Pure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..builder.spec import is_musa
from ..porting.engine.library_names import COUNTERPARTS
from ..toolchain.nvcc_flags import with_variables

# The build links the runtime and torch's libraries in any case. Functions of the others, also NVML's, are not ported.
_LEFT_OUT = {"cudart", "cudadevrt", "culibos", "c10_cuda", "torch_cuda", "nvToolsExt", "nvtx3", "nvidia-ml"}
# The keys of `extra_compile_args` that are read. PyTorch leaves out all others without a word.
_KEYS = ("cxx", "nvcc", "nvcc_dlink", "mcc", "mcc_dlink")
# Names of the host's compiler in a setup.py that has its own build_ext, and so its own keys.
_HOST_COMPILERS = ("gcc", "g++", "c++", "cc", "c", "clang", "clang++", "host", "unix")
_FLAGS_WITH_PATH = ("-I", "-isystem", "-iquote", "-idirafter", "-include")


def is_for_device(sources: Sequence[Any], libraries: Sequence[str]) -> bool:
    """Return whether an extension that is not a CUDAExtension has CUDA sources or links CUDA's libraries."""
    return any(is_musa(os.fspath(source)) for source in sources) or any(map(_is_cudas, libraries))


def libraries(given: Iterable[str]) -> list[str]:
    """Return the libraries to link, with MUSA's instead of CUDA's."""
    return [_counterpart(name) for name in given if _counterpart(name)]


def link_flags(given: Iterable[str]) -> list[str]:
    """Return the flags of a linker, `-lmurand` instead of `-lcurand`."""
    flags = []
    for flag in given:
        if flag.startswith("-l") and _is_cudas(flag[2:]):
            flag = f"-l{_counterpart(flag[2:])}" if _counterpart(flag[2:]) else ""
        flags += [flag] if flag else []
    return flags


def _is_cudas(library: str) -> bool:
    name = library.removesuffix("_static")
    return name in _LEFT_OUT or bool(COUNTERPARTS.get(name))


def _counterpart(library: str) -> str:
    """Return MUSA's library, "" for one to leave out, any other name as it is."""
    name = library.removesuffix("_static")
    return "" if name in _LEFT_OUT else COUNTERPARTS.get(name) or library


def compile_flags(
    given: object, ported_path: Callable[[str], str], environment: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return `extra_compile_args` for CUDA code, always with the key "nvcc", which marks it as such.

    A list goes to both compilers, as with CUDAExtension, and unknown keys are left out. If there is no "cxx", the
    flags under another name of the host's compiler are used. `ported_path` maps a path to its ported counterpart. nvcc
    reads flags from variables of `environment`, so they join its list.

    Raises:
        SettingError: A variable of nvcc is not text of a shell.
    """
    if isinstance(given, Mapping):
        values = {str(key): list(value or ()) for key, value in given.items()}
        host = next((values[key] for key in ("cxx", *_HOST_COMPILERS) if key in values), None)
        flags = {key: value for key, value in values.items() if key in _KEYS}
        flags |= {} if host is None else {"cxx": host}
    else:
        both = list(given) if isinstance(given, (list, tuple)) else []
        flags = {"cxx": both, "nvcc": both}
    flags["nvcc"] = with_variables(flags.get("nvcc", ()), environment)
    return {key: _with_ported_paths([os.fspath(flag) for flag in value], ported_path) for key, value in flags.items()}


def _with_ported_paths(flags: Sequence[str], ported_path: Callable[[str], str]) -> list[str]:
    moved = []
    after_option = False
    for flag in flags:
        if after_option:
            moved.append(ported_path(flag))
        elif flag.startswith("-I") and len(flag) > 2:
            moved.append("-I" + ported_path(flag[2:]))
        else:
            moved.append(flag)
        after_option = not after_option and flag in _FLAGS_WITH_PATH
    return moved
