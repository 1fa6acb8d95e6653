"""The specification of one extension, the check of its sources, and the headers and libraries that it needs."""

from __future__ import annotations

import difflib
import fnmatch
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Optional

from ..environment.sdk import MusaSdk
from ..environment.torch_info import TorchInfo, TorchMusa, musa_include_dirs, musa_library_dirs
from ..errors import SettingError, SourceError
from ..system import files
from ..toolchain.compile_flags import CompileFlags
from ..toolchain.compilers import language_of


@dataclass(frozen=True)
class ExtensionSpec:
    """One extension.

    Attributes:
        name: Its full name.
        sources: Its sources.
        flags: The flags of its compilers.
        depends: Files that all its objects depend on.
        for_torch: Whether it is a MUSAExtension. Others get no libraries of torch and MUSA.
        arch: Its own list of architectures; None for the project's.
        force_mcc: Shell patterns of the C++ sources that mcc compiles. The word force_mcc in `flags` means all.
        limited_api: Whether it uses only Python's stable ABI.
        optional: Whether the build continues if the extension fails.
    """

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
        """Read a setuptools Extension. `mcc_version` affects the translation of nvcc's flags. Raises SettingError."""
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
        """Return whether the user requests mcc for a C++ source."""
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
    """Return whether mcc compiles a source with this suffix. Unknown suffixes return false."""
    return Path(source).suffix.lower() in (".mu", ".muh", ".cu", ".cuh")


def check_sources(spec: ExtensionSpec) -> None:
    """Check the sources of an extension.

    Raises:
        SourceError: A source does not exist, cannot be read, or has an unknown suffix.
        SettingError: A pattern of force_mcc matches no source.
    """
    for pattern in spec.force_mcc:
        if not any(_matches(source, pattern) for source in spec.sources):
            near = difflib.get_close_matches(pattern, spec.sources, n=1, cutoff=0.4)
            raise SettingError(
                f"force_mcc of {spec.name} matches no source",
                found=pattern,
                wanted="a source of the extension, or a pattern such as csrc/half_*.cpp",
                hint=f"did you mean {near[0]}?" if near else "",
            )
    for source in spec.sources:
        path = Path(source)
        if path.suffix in files.GENERATED_FROM:
            continue
        if not path.is_file():
            beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            near = difflib.get_close_matches(path.name, beside, n=1)
            raise SourceError(
                f"a source of {spec.name} does not exist",
                found=source,
                wanted="a file, named relative to the directory of setup.py",
                hint=f"did you mean {path.parent / near[0]}?" if near else "",
            )
        if not os.access(path, os.R_OK):
            raise SourceError(
                f"a source of {spec.name} cannot be read",
                found=f"permission denied: {source}",
                wanted="a file that the current user can read",
            )
        language_of(source)


@dataclass(frozen=True)
class ExtensionRequirements:
    """The headers, libraries and run paths that a MUSA extension needs, to add after its own lists."""

    include_dirs: tuple[str, ...]
    library_dirs: tuple[str, ...]
    libraries: tuple[str, ...]
    run_paths: tuple[str, ...]


def extension_requirements(
    name: str, torch: TorchInfo, torch_musa: Optional[TorchMusa], sdk: MusaSdk, *, limited_api: bool
) -> ExtensionRequirements:
    """Return the requirements of the extension `name` ("package._C").

    `limited_api` is whether it uses only Python's stable ABI.
    """
    return ExtensionRequirements(
        include_dirs=tuple(map(str, musa_include_dirs(torch, torch_musa, sdk))),
        library_dirs=tuple(map(str, musa_library_dirs(torch, torch_musa, sdk))),
        libraries=_libraries(name, torch_musa, limited_api),
        run_paths=_run_paths(name, sdk),
    )


def _libraries(name: str, torch_musa: Optional[TorchMusa], limited_api: bool) -> tuple[str, ...]:
    base = ("c10", "torch", "torch_cpu")
    if name.startswith("torch_musa."):
        # It must not link to an older one, and its setup.py says which of its libraries need Python.
        return (*base, "musart")
    # libtorch_python needs more of Python than its stable ABI.
    python = () if limited_api else ("torch_python",)
    return (*base, *python, *(torch_musa.libraries if torch_musa else ()), "musart")


def _run_paths(name: str, sdk: MusaSdk) -> tuple[str, ...]:
    """Return run paths relative to the extension, which is installed beside torch: a wheel has no absolute paths.

    The simulated SDK is an exception, because it is in a cache directory, where the loader does not search. The loader
    finds Moore Threads' own SDK through LD_LIBRARY_PATH or ld.so.conf, as it finds torch_musa's libraries.

    $ORIGIN/lib is for libraries of the package itself: torch_musa's MUSAExtension has it, and packages may rely on it.
    """
    top = "/".join(["$ORIGIN", *[".."] * name.count(".")])
    simulated = (str(sdk.root / "lib"),) if sdk.simulated else ()
    return (f"{top}/torch/lib", f"{top}/torch_musa/lib", "$ORIGIN/lib", *simulated)
