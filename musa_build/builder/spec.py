"""What a project asks for in one extension, as a value, and whether its sources are there."""

from __future__ import annotations

import difflib
import fnmatch
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from ..errors import SettingError, SourceError
from ..toolchain.compile_flags import CompileFlags
from ..toolchain.languages import language_of

_GENERATED_FROM = (".pyx", ".i")  # Cython and SWIG turn these into something else first


@dataclass(frozen=True)
class ExtensionSpec:
    """One extension. `for_torch` is whether it is a MUSAExtension (others get no libraries of ours); `arch` is its own
    list of architectures, None for the project's; `depends` are files that all its objects depend on; `force_mcc` are
    patterns (as in a shell) of C++ sources that mcc compiles; the word force_mcc in the flags means all of them."""

    name: str
    sources: tuple[str, ...]
    flags: CompileFlags
    depends: tuple[str, ...] = ()
    for_torch: bool = True
    arch: object = None
    force_mcc: tuple[str, ...] = ()
    limited_api: bool = False
    optional: bool = False

    @classmethod
    def of(cls, extension: Any, *, for_torch: bool, mcc_version: str = "") -> ExtensionSpec:
        """Read a setuptools Extension. `mcc_version` decides what some of nvcc's flags become. Raises SettingError."""
        _check_shapes(extension)
        sources = tuple(map(os.fspath, extension.sources))
        flags = CompileFlags.parse(extension.extra_compile_args, extension.name, sources, mcc_version)
        if getattr(extension, "dlink", False):
            libraries = [f"-l{library}" for library in extension.dlink_libraries]
            directories = [f"-L{directory}" for directory in extension.library_dirs]
            flags = replace(flags, device_link=(*(flags.device_link or ()), *directories, *libraries))
        return cls(
            name=extension.name,
            sources=sources,
            flags=flags,
            depends=tuple(map(os.fspath, extension.depends or ())),
            for_torch=for_torch,
            arch=getattr(extension, "arch", None),
            force_mcc=tuple(getattr(extension, "force_mcc", ())),
            limited_api=bool(getattr(extension, "py_limited_api", False)),
            optional=bool(extension.optional),
        )

    @property
    def uses_mcc(self) -> bool:
        return any(is_musa(source) or self.forced(source) for source in self.sources)

    def forced(self, source: str) -> bool:
        """Whether a C++ source goes to mcc because the user said so."""
        return self.flags.force_mcc or any(_matches(source, pattern) for pattern in self.force_mcc)


def _check_shapes(extension: Any) -> None:
    for key in getattr(extension, "invalid_lists", ()):
        what, (value,) = f"{extension.name}: {key} is not a list", getattr(extension, key)
        raise SettingError(what, found=repr(value), wanted="a list", hint=f"write {key}=[{value!r}]")
    for macro in extension.define_macros or ():
        if not (isinstance(macro, tuple) and len(macro) in (1, 2)):
            raise SettingError(
                f"{extension.name}: define_macros must be a list of (name, value) tuples",
                found=repr(macro),
                wanted='("NAME", "value"), or ("NAME", None)',
                hint=f"write define_macros=[({macro!r}, None)]" if isinstance(macro, str) else "",
            )


def _matches(source: str, pattern: str) -> bool:
    return PurePath(source).match(pattern) or fnmatch.fnmatchcase(source, pattern)


def is_musa(source: str) -> bool:
    """Whether mcc compiles this source by its name alone. Names that are no sources count as not."""
    return Path(source).suffix.lower() in (".mu", ".muh", ".cu", ".cuh")


def check_sources(request: ExtensionSpec) -> None:
    """Raises SourceError for a source that does not exist or has no known suffix, naming the nearest file there is, and
    SettingError for a pattern of force_mcc that names no source."""
    for pattern in request.force_mcc:
        if not any(_matches(source, pattern) for source in request.sources):
            near = difflib.get_close_matches(pattern, request.sources, n=1, cutoff=0.4)
            raise SettingError(
                f"force_mcc of {request.name} names no source",
                found=pattern,
                wanted="a source of the extension, or a pattern such as csrc/half_*.cpp",
                hint=f"did you mean {near[0]}?" if near else "",
            )
    for source in request.sources:
        path = Path(source)
        if path.suffix in _GENERATED_FROM:
            continue
        if not path.is_file():
            beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            near = difflib.get_close_matches(path.name, beside, n=1)
            raise SourceError(
                f"a source of {request.name} does not exist",
                found=source,
                wanted="a file, named relative to the directory of setup.py",
                hint=f"did you mean {path.parent / near[0]}?" if near else "",
            )
        if not os.access(path, os.R_OK):
            raise SourceError(
                f"a source of {request.name} cannot be read",
                found=f"permission denied: {source}",
                wanted="a file that the user who builds may read",
            )
        language_of(source)
