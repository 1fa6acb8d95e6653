"""`load` and `load_inline` of torch.utils.cpp_extension under FORCE_MUSA=1: CUDA sources are ported and built for MUSA.

What has no CUDA in it goes to PyTorch's own functions.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

from .. import jit
from ..builder.spec import is_musa
from ..system import cache_directory, files
from . import extension_conversion
from .source_porting import port_sources

_INLINE = ("functions", "no_implicit_headers", "with_pytorch_error_handling")
_SHARED = ("extra_cflags", "extra_cuda_cflags", "verbose", "is_python_module", "is_standalone", "keep_intermediates")


def loader(original: Callable[..., Any]) -> Callable[..., Any]:
    """`load` for CUDA sources; takes what PyTorch's `original` takes, in whichever order this release has it."""

    @functools.wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        listed = given["sources"]
        sources = [os.fspath(item) for item in ([listed] if isinstance(listed, (str, os.PathLike)) else listed)]
        if not (given.get("with_cuda") or any(map(is_musa, sources))):
            return original(*args, **kwargs)
        include_dirs = [os.fspath(item) for item in given.get("extra_include_paths") or ()]
        place = _place(given.get("build_directory"), given["name"], *map(os.path.abspath, sources))
        with _held(place):
            ported = port_sources(place / "force_musa", sources, include_dirs, _project(sources))
            return jit.load(
                given["name"],
                [ported.to_ported(source) for source in sources],
                extra_include_paths=[ported.to_ported(item) for item in include_dirs],
                **_options(given),
            )

    return load


def inline_loader(original: Callable[..., Any]) -> Callable[..., Any]:
    """`load_inline` for CUDA text."""

    @functools.wraps(original)
    def load_inline(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        if not (given.get("with_cuda") or given.get("cuda_sources")):
            return original(*args, **kwargs)
        cxx, cuda = _text(given["cpp_sources"]), _text(given.get("cuda_sources"))
        place = _place(given.get("build_directory"), given["name"], cxx, cuda)
        with _held(place):
            texts = _ported_texts(place, cxx, cuda)
        passed = {name: given[name] for name in _INLINE if name in given}
        return jit.load_inline(
            given["name"],
            texts[0],
            texts[1] if cuda else None,
            **passed,
            **_options(given),
            extra_include_paths=given.get("extra_include_paths"),
        )

    return load_inline


def _ported_texts(place: Path, cxx: str, cuda: str) -> list[str]:
    sources = [place / "inline" / "main.cpp", place / "inline" / "cuda.cu"]
    for source, text in zip(sources, (cxx, cuda)):
        files.write_if_changed(source, text)
    ported = port_sources(place / "force_musa", [str(source) for source in sources], (), place / "inline")
    return [Path(ported.to_ported(str(source))).read_text(encoding="utf-8") for source in sources]


@contextmanager
def _held(place: Path) -> Iterator[None]:
    """Nobody else ports into `place` for the length of the block; afterwards places that are old go."""
    with cache_directory.use(place), files.locked(place / "force.lock"):
        yield
    if place.parent == _cache():
        cache_directory.prune(place.parent.iterdir())


def _cache() -> Path:
    return cache_directory.user_cache() / "musa_build" / "force" / "load"


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    options = {name: given[name] for name in (*_SHARED, "build_directory") if name in given}
    if given.get("extra_ldflags"):
        options["extra_ldflags"] = extension_conversion.link_flags(given["extra_ldflags"])
    return options


def _place(directory: Optional[str], name: str, *parts: str) -> Path:
    if directory:
        return Path(directory).absolute()
    return _cache() / f"{name}-{files.digest(*parts)[:12]}"


def _project(sources: list[str]) -> Path:
    """The folder that a program's sources and headers are in: below an entry of sys.path or that entry itself, or else
    where the first source is."""
    folder = Path(os.path.commonpath([Path(source).absolute().parent for source in sources]))
    roots = [Path(entry or ".").absolute() for entry in sys.path]
    for parent in (folder, *folder.parents):
        if parent in roots or parent.parent in roots:
            return parent
    return Path(sources[0]).absolute().parent


def _text(value: Any) -> str:
    return "\n".join([value] if isinstance(value, str) else value or ())
