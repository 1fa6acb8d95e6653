"""`load` and `load_inline` of torch.utils.cpp_extension under FORCE_MUSA=1: CUDA sources are ported and built for MUSA.

Sources without CUDA go to PyTorch's own functions. The build engine is imported on first use: a program that imports
PyTorch's build tools, but builds nothing, does not pay for it.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Optional

from ..builder.spec import is_musa
from ..system import files

_INLINE = ("functions", "no_implicit_headers", "with_pytorch_error_handling")
_SHARED = ("extra_cflags", "extra_cuda_cflags", "verbose", "is_python_module", "is_standalone", "keep_intermediates")


def loader(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return `load` for CUDA sources. It takes the arguments of PyTorch's `original`, in the order of this release."""

    @functools.wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        listed = given["sources"]
        sources = [os.fspath(item) for item in ([listed] if isinstance(listed, (str, os.PathLike)) else listed)]
        if not (given.get("with_cuda") or any(map(is_musa, sources))):
            return original(*args, **kwargs)
        return _load(given, sources)

    return load


def inline_loader(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return `load_inline` for CUDA text."""

    @functools.wraps(original)
    def load_inline(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        if not (given.get("with_cuda") or given.get("cuda_sources")):
            return original(*args, **kwargs)
        return _load_inline(given)

    return load_inline


def _load(given: Mapping[str, Any], sources: list[str]) -> Any:
    from .. import jit
    from .build_environment import locked_build_directory
    from .source_porting import port_sources

    include_dirs = [os.fspath(item) for item in given.get("extra_include_paths") or ()]
    directory, in_cache = _build_directory(given, *map(os.path.abspath, sources))
    with locked_build_directory(directory, in_cache=in_cache):
        ported = port_sources(directory / "force_musa", sources, include_dirs, _project(sources))
        return jit.load(
            given["name"],
            [ported.to_ported(source) for source in sources],
            extra_include_paths=[ported.to_ported(item) for item in include_dirs],
            **_options(given),
        )


def _load_inline(given: Mapping[str, Any]) -> Any:
    from .. import jit
    from .build_environment import locked_build_directory

    cxx, cuda = _text(given["cpp_sources"]), _text(given.get("cuda_sources"))
    directory, in_cache = _build_directory(given, cxx, cuda)
    with locked_build_directory(directory, in_cache=in_cache):
        texts = _ported_texts(directory, cxx, cuda)
    return jit.load_inline(
        given["name"],
        texts[0],
        texts[1] if cuda else None,
        **{name: given[name] for name in _INLINE if name in given},
        **_options(given),
        extra_include_paths=given.get("extra_include_paths"),
    )


def _ported_texts(directory: Path, cxx: str, cuda: str) -> list[str]:
    from .source_porting import port_sources

    sources = [directory / "inline" / "main.cpp", directory / "inline" / "cuda.cu"]
    for source, text in zip(sources, (cxx, cuda)):
        files.write_if_changed(source, text)
    ported = port_sources(directory / "force_musa", [str(source) for source in sources], (), directory / "inline")
    return [Path(ported.to_ported(str(source))).read_text(encoding="utf-8") for source in sources]


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    from ..toolchain.nvcc_flags import with_variables
    from ..toolchain.shell_flags import quoted_flags, split_flags
    from .extension_conversion import link_flags

    options = {name: given[name] for name in (*_SHARED, "build_directory") if name in given}
    for_nvcc = split_flags(given.get("extra_cuda_cflags"), f"{given['name']}: extra_cuda_cflags")
    options["extra_cuda_cflags"] = quoted_flags(with_variables(for_nvcc, os.environ))
    if given.get("extra_ldflags"):
        flags = split_flags(given["extra_ldflags"], f"{given['name']}: extra_ldflags")
        options["extra_ldflags"] = quoted_flags(link_flags(flags))
    return options


def _build_directory(given: Mapping[str, Any], *sources: str) -> tuple[Path, bool]:
    """Return where to port, and whether that is in the user's cache."""
    from .build_environment import cached_load_directory

    chosen: Optional[str] = given.get("build_directory")
    return (Path(chosen).absolute(), False) if chosen else (cached_load_directory(given["name"], *sources), True)


def _project(sources: list[str]) -> Path:
    """Return the directory of sources and headers: an entry of sys.path, one below it, or else the first source's."""
    folder = Path(os.path.commonpath([Path(source).absolute().parent for source in sources]))
    roots = [Path(entry or ".").absolute() for entry in sys.path]
    for parent in (folder, *folder.parents):
        if parent in roots or parent.parent in roots:
            return parent
    return Path(sources[0]).absolute().parent


def _text(value: Any) -> str:
    return "\n".join([value] if isinstance(value, str) else value or ())
