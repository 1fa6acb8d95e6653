"""The installed torch and torch_musa: versions, headers and libraries, and whether torch_musa matches the SDK.

This module uses only public names of torch whose meaning did not change from torch 2.2 to 2.13. Other modules that
import torch are listed in tests/test_architecture.py.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from packaging.version import Version

from ..errors import SdkMismatchError, TorchNotFoundError
from ..logger_util import LOGGER
from ..system import process
from .build_isolation import is_isolated_build
from .sdk import MusaSdk
from .settings import Settings

#: The local versions of PyTorch's own wheels whose headers are the same: for the CPU, and for CUDA
_OF_PYTORCH = re.compile(r"cpu|cu\d+")
_BACKEND = re.compile(r"backend extension: (\w+)")
#: The end of the errors that the simulator's torch_musa raises by itself
_ADVICE = re.compile(r"\.? (Compile it[^:]*: pip install [^;]+)")
_VERSION = re.compile(r"""^__version__ = ["'](.+?)["']""", re.MULTILINE)

# torch is missing; its libraries do not load; it fails to load its device backend (torch_musa).
IMPORT_FAILURES = (ImportError, OSError, RuntimeError)


@dataclass(frozen=True)
class TorchMusa:
    """The installed torch_musa: Moore Threads' own or the simulated one. Both have the same layout."""

    root: Path

    @classmethod
    def find(cls) -> Optional[TorchMusa]:
        """Find torch_musa without importing it: a build needs its files, not its device."""
        try:
            spec = importlib.util.find_spec("torch_musa")
        except (ImportError, ValueError):
            return None
        paths = list(spec.submodule_search_locations or []) if spec else []
        return cls(Path(paths[0]).absolute()) if paths else None

    @property
    def library_dir(self) -> Path:
        return self.root / "lib"

    @property
    def has_library(self) -> bool:
        return (self.library_dir / "libmusa_python.so").exists()

    @property
    def libraries(self) -> tuple[str, ...]:
        """The libraries for extensions to link to, as names for -l.

        Moore Threads' torch_musa has musa_python only. The simulated one also has torch_musa, which needs no Python.
        """
        return tuple(name for name in ("musa_python", "torch_musa") if (self.library_dir / f"lib{name}.so").exists())

    @property
    def built_for(self) -> str:
        """The version of torch that it was compiled for; "" if it does not say, as Moore Threads' own."""
        try:
            facts = json.loads((self.library_dir / "built_with.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        return str(facts.get("torch", ""))

    @property
    def ported_include_dirs(self) -> tuple[Path, ...]:
        """The directories of torch's headers ported to MUSA. They come before torch's own on a command line.

        The order is that of Moore Threads' own `include_paths`. torch_musa_codegen has headers of its operators.
        """
        share = self.root / "share"
        base, generated = share / "generated_cuda_compatible", share / "torch_musa_codegen"
        directories = (base / "aten/src", base / "include", base / "include/torch/csrc/api/include", generated)
        return tuple(directory for directory in directories if directory.is_dir())

    @property
    def include_dir(self) -> Path:
        """The directory above the package, because sources have `#include "torch_musa/csrc/..."`."""
        return self.root.parent


@dataclass(frozen=True)
class TorchInfo:
    """The installed torch. Paths are absolute."""

    version: str
    include_dirs: tuple[Path, ...]
    library_dirs: tuple[Path, ...]
    cxx11_abi: bool = True

    @classmethod
    def find(cls) -> TorchInfo:
        """Import torch and return what a build needs of it. Raises TorchNotFoundError, which names the cause."""
        try:
            import torch

            tools = torch_build_tools()
        except IMPORT_FAILURES as error:
            raise torch_not_found(error) from error
        # Called without arguments: the first parameter changed its name and type in torch 2.6.
        return cls(
            str(torch.__version__),
            tuple(Path(path) for path in tools.include_paths()),
            tuple(Path(path) for path in tools.library_paths()),
            bool(torch.compiled_with_cxx11_abi()),
        )

    @property
    def definitions(self) -> tuple[str, ...]:
        """The macros that code needs to link to this torch: PyPI's wheels before 2.7 have libstdc++'s old string ABI.

        Builds through setuptools do not use it, as with `cxx_floor`.
        """
        return () if self.cxx11_abi else ("_GLIBCXX_USE_CXX11_ABI=0",)

    @property
    def cxx_floor(self) -> str:
        """The oldest C++ that torch's headers compile with, as the value of -std=.

        torch 2.13 raised it from C++17 to C++20. Builds through setuptools do not use it, because torch's own
        BuildExtension adds the flag. The JIT and CMake do.
        """
        return "c++20" if Version(self.version).release >= (2, 13) else "c++17"


def installed_torch_version() -> str:
    """Return the version of the installed torch without importing it; "" without one.

    torch says it in a file: the metadata of PyPI's wheels lack the local part ("+cu126") that torch.__version__ has.
    """
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return ""
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        try:
            text = Path(folder, "version.py").read_text(encoding="utf-8")
        except OSError:
            continue
        said = _VERSION.search(text)
        if said:
            return said[1]
    return ""


def same_headers(torch_version: str, other: str) -> bool:
    """Return whether two builds of torch have the same headers, so that both can load what was compiled for one.

    PyTorch's own wheels of a release for the CPU and for CUDA have (decision 49 has the comparison).
    """
    if torch_version == other:
        return True
    builds = [Version(text) for text in (torch_version, other)]
    return builds[0].public == builds[1].public and all(_OF_PYTORCH.fullmatch(each.local or "") for each in builds)


def torch_build_tools() -> Any:
    """Return torch.utils.cpp_extension as torch has it.

    Other programs (torchada) put functions and classes there that call ours. Then it is a second copy of the module.
    """
    from torch.utils import cpp_extension

    own = vars(cpp_extension)
    command = getattr(cpp_extension.BuildExtension, "build_extensions", None)
    functions = (cpp_extension.include_paths, cpp_extension.library_paths, command)
    if all(getattr(function, "__globals__", None) is own for function in functions):
        return cpp_extension
    spec = importlib.util.find_spec(cpp_extension.__name__)
    assert spec is not None and spec.loader is not None  # it has been imported
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


def torch_not_found(error: Exception) -> TorchNotFoundError:
    """Return the error for a failed import of torch or of the device that it loads, with a hint for its cause."""
    device = _BACKEND.search(str(error))
    if device and device[1] == "torch_musa" and error.__cause__:
        return torch_musa_not_found(" ".join(str(error.__cause__).split()), installed_torch_version())
    if isinstance(error, RuntimeError):
        hint = "a build needs no device: TORCH_DEVICE_BACKEND_AUTOLOAD=0 imports torch without loading them"
    elif isinstance(error, OSError):
        hint = f"reinstall PyTorch for {sys.executable}"
    elif is_isolated_build():
        hint = "run pip with --no-build-isolation: the build needs the torch that the extension will run with"
    else:
        hint = f"install PyTorch for {sys.executable}"
    found = f"{error} ({error.__cause__})" if error.__cause__ else str(error)  # why a device cannot be loaded
    if device:
        return TorchNotFoundError(f"{device[1]} cannot be imported, a device of PyTorch", found=found, hint=hint)
    return TorchNotFoundError("PyTorch cannot be imported", found=found, wanted="torch 2.2 or newer", hint=hint)


def torch_musa_not_found(cause: str, torch_version: str, cure: str = "") -> TorchNotFoundError:
    """Return the error for an import of torch_musa that failed with the text `cause`. `cure` is a known cure."""
    text, advice = without_advice(cause)
    return TorchNotFoundError(
        "torch_musa cannot be imported",
        found=text,
        wanted=f"a torch_musa that fits torch {torch_version}",
        hint=advice or cure or "`musa-build doctor` says more; TORCH_DEVICE_BACKEND_AUTOLOAD=0 builds without it",
    )


def without_advice(text: str) -> tuple[str, str]:
    """Return an error of the simulator's torch_musa without its advice, and the advice, which is a hint of its own."""
    advice = _ADVICE.search(text)
    if advice is None:
        return text, ""
    return _ADVICE.sub("", text), advice[1][0].lower() + advice[1][1:].rstrip(" )")


def include_paths(device_type: object = "musa", *, musa: object = None) -> list[str]:
    """Return the include directories of torch and, unless `device_type` is "cpu", of MUSA and torch_musa.

    It accepts the arguments of all releases of torch's function of this name: `include_paths()`, `include_paths(True)`,
    `include_paths("musa")`, `include_paths(musa=True)`.

    Args:
        device_type: "musa", "cuda" or True for MUSA's directories as well; "cpu" or False for torch's alone.
        musa: Whether to include MUSA's directories. It wins over `device_type`.

    Raises:
        TorchNotFoundError: torch cannot be imported.
        SdkNotFoundError: There is no SDK.
    """
    torch = TorchInfo.find()
    if not _wants_musa(device_type, musa):
        return [str(path) for path in torch.include_dirs]
    return [str(path) for path in musa_include_dirs(torch, TorchMusa.find(), MusaSdk.find(Settings.read()))]


def library_paths(device_type: object = "musa", *, musa: object = None) -> list[str]:
    """Return the library directories of torch and, unless `device_type` is "cpu", of torch_musa and the SDK.

    Args:
        device_type: "musa", "cuda" or True for MUSA's directories as well; "cpu" or False for torch's alone.
        musa: Whether to include MUSA's directories. It wins over `device_type`.

    Raises:
        TorchNotFoundError: torch cannot be imported.
        SdkNotFoundError: There is no SDK.
    """
    torch = TorchInfo.find()
    if not _wants_musa(device_type, musa):
        return [str(path) for path in torch.library_dirs]
    return [str(path) for path in musa_library_dirs(torch, TorchMusa.find(), MusaSdk.find(Settings.read()))]


def musa_include_dirs(torch: TorchInfo, torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> tuple[Path, ...]:
    """Return the include directories in the order of a command line.

    Ported torch headers come first, then torch, the SDK, and the directory above torch_musa. That one is site-packages,
    which may contain headers of any package, so it comes last.
    """
    ported = torch_musa.ported_include_dirs if torch_musa else ()
    parent = (torch_musa.include_dir,) if torch_musa else ()
    return (*ported, *torch.include_dirs, *sdk.include_dirs, *parent)


def musa_library_dirs(torch: TorchInfo, torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> tuple[Path, ...]:
    """Return the library directories in the order of a command line."""
    own = (torch_musa.library_dir,) if torch_musa and torch_musa.has_library else ()
    return (*torch.library_dirs, *own, *sdk.library_dirs)


def _wants_musa(device_type: object, musa: object) -> bool:
    if musa is not None:
        return bool(musa)
    return device_type not in (False, "cpu")


_NEEDED = re.compile(r"\(NEEDED\).*\[(libmu\w+\.so)(\.[\d.]+)\]")
_RUN_PATH = re.compile(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]")


def check_compatibility(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> None:
    """Check that `torch_musa` and `sdk` match.

    Log a warning if torch_musa was built with another SDK that has libraries of the same version.

    Raises:
        SdkMismatchError: They do not match.
    """
    error = mismatch(torch_musa, sdk)
    if error:
        raise error
    other = other_sdk(torch_musa, sdk)
    if other:
        LOGGER.warning("torch_musa was built with the MUSA SDK in %s, this build uses the one in %s", other, sdk.root)


def mismatch(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> Optional[SdkMismatchError]:
    """Return the error for a torch_musa that needs other versions of libraries than the SDK has.

    Return None if they match, or if that is unknown.
    """
    for library, dynamic in _dynamic_sections(torch_musa):
        for name, version in _NEEDED.findall(dynamic):
            present = sorted(path.name for directory in sdk.library_dirs for path in directory.glob(f"{name}.*"))
            if present and f"{name}{version}" not in present:
                return SdkMismatchError(
                    "torch_musa and the MUSA SDK do not match",
                    found=f"{' '.join(present)} in {sdk.root} (from {sdk.origin})",
                    wanted=f"{name}{version}, to which {library} is linked",
                    hint="set MUSA_HOME to the SDK that torch_musa was built with, or install one for this SDK",
                )
    return None


def other_sdk(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> Optional[Path]:
    """Return the root of another SDK in torch_musa's library paths; None if there is no other."""
    for _, dynamic in _dynamic_sections(torch_musa):
        for paths in _RUN_PATH.findall(dynamic):
            for directory in map(Path, paths.split(":")):
                if (directory.parent / "bin" / "mcc").is_file() and directory.parent.resolve() != sdk.root.resolve():
                    return directory.parent
    return None


def _dynamic_sections(torch_musa: Optional[TorchMusa]) -> Iterator[tuple[str, str]]:
    """Yield the name and readelf's output for each library of torch_musa; nothing without readelf."""
    if torch_musa is None or process.find_program("readelf") is None:
        return
    for library in sorted(torch_musa.library_dir.glob("*.so")):
        yield library.name, process.run(["readelf", "-dW", str(library)], extra_environment={"LC_ALL": "C"}).stdout
