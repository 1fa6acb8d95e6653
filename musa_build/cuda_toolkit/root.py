"""The folder of a toolkit, written once for each SDK and version of musa_build.

Its name is a digest of everything that decides its content, and nothing in it changes afterwards, but for the cache of
translated PTX and the time of the last use. So a build folder of CMake that names it stays right.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from ..environment.sdk import ALL, KNOWN, MusaSdk
from ..nvcc.toolkit import FACTS, Toolkit
from ..system import cache_directory, files, process
from .architectures import BUILD, VERSION, capability_header
from .layout import CODE, File, toolkit_files
from .sdk_names import read_sdk
from .tables import constants, header_facts, header_rules, legacy_cublas, legacy_cublas_header
from .writing import write_toolkit

_PACKAGE = Path(__file__).resolve().parents[1]
_CXX_HEADERS = _PACKAGE / "toolchain" / "cxx_headers"
_HERE = Path(__file__).resolve().parent
#: The part of musa_build that nvcc runs. A toolkit has a copy, so that an upgrade changes no toolkit that a build uses.
_NVCC_CODE = (
    *("__init__.py", "errors.py", "nvcc/*.py", "toolchain/__init__.py", "toolchain/nvcc_flags.py"),
    *("toolchain/nvcc_translations.py", "toolchain/cxx_headers/**/*", "porting/__init__.py", "porting/engine/**/*"),
    *("system/__init__.py", "system/host_compiler.py", "system/host_machine.py"),
)


def toolkit_root(sdk: MusaSdk, cuda_arch: Optional[int] = None, *, musa_types: bool = False) -> Path:
    """Return the toolkit's folder for an SDK; the first call writes it.

    Args:
        sdk: The SDK that programs are compiled with.
        cuda_arch: `__CUDA_ARCH__` for all cards, such as 750; None for the number of each card.
        musa_types: Whether structures keep MUSA's names, as libraries expect that were built for MUSA.

    Raises:
        SdkNotFoundError: The SDK has no headers, or its compiler does not run.
    """
    root, own, digest = _located(sdk, cuda_arch, musa_types=musa_types)
    if (root / FACTS).is_file():  # it got its name when it was whole: there is nothing to wait for
        return root
    with process.locked(root.parent / ".lock"):
        if not (root / FACTS).is_file():
            planned, aliases = _planned(root, sdk, own, digest, musa_types=musa_types)
            write_toolkit(root, planned, sdk, aliases, [function.name for function in legacy_cublas()])
            cache_directory.prune(path for path in root.parent.glob("cuda-*") if path != root)
    return root


def written_toolkit(sdk: MusaSdk) -> Optional[Path]:
    """Return the folder of the toolkit that `toolkit_root(sdk)` returns, None if it is not written yet."""
    root, *_ = _located(sdk, None, musa_types=False)
    return root if (root / FACTS).is_file() else None


def _located(sdk: MusaSdk, cuda_arch: Optional[int], *, musa_types: bool) -> tuple[Path, dict[str, bytes], str]:
    """Return a toolkit's folder, musa_build's own files in it, and the digest of all that decides its content."""
    own = _own_files(cuda_arch)
    parts = [str(sdk.root), sdk.version, files.identity(sdk.root / "bin" / "mcc"), str(musa_types), sys.executable]
    texts = (path for path in sorted(_HERE.rglob("*")) if path.suffix in (".py", ".cpp", ".h", ".toml"))
    parts += [VERSION, BUILD, *(path.read_text(encoding="utf-8") for path in texts)]
    digest = files.digest(*parts, *(part for name in sorted(own) for part in (name, own[name])))
    return cache_directory.cuda_toolkits() / f"cuda-{VERSION}-{digest[:16]}", own, digest


def _own_files(cuda_arch: Optional[int]) -> dict[str, bytes]:
    """Return musa_build's own files in a toolkit, by their paths in it."""
    code = {path for pattern in _NVCC_CODE for path in _PACKAGE.glob(pattern) if path.is_file()}
    found = {
        f"{CODE}/musa_build/{path.relative_to(_PACKAGE).as_posix()}": path.read_bytes()
        for path in code
        if path.suffix != ".pyc"
    }
    for path in (_HERE / "adapters").glob("*.h"):
        found[f"include/musa_cuda/adapters/{path.name}"] = path.read_bytes()
    libcudacxx = (path for name in ("cuda", "nv") for path in (_CXX_HEADERS / name).rglob("*") if path.is_file())
    for path in (*libcudacxx, _CXX_HEADERS / "musa_ptx.h", _CXX_HEADERS / "musa_ptx_mbarrier.h"):
        found[f"include/{path.relative_to(_CXX_HEADERS).as_posix()}"] = path.read_bytes()
    found["include/musa_cuda/legacy_cublas.h"] = legacy_cublas_header().encode()
    found["include/musa_cuda/capability.h"] = capability_header(cuda_arch).encode()
    return found


def _planned(
    root: Path, sdk: MusaSdk, own: Mapping[str, bytes], digest: str, *, musa_types: bool
) -> tuple[Mapping[str, File], Mapping[str, str]]:
    """Read the SDK, and return the toolkit's files and CUDA's names."""
    shown, names = read_sdk(sdk, musa_types=musa_types)
    toolkit = Toolkit(
        root=str(root),
        sdk=str(sdk.root),
        version=VERSION,
        build=BUILD,
        mcc_version=sdk.version,
        architectures=tuple(arch.name.removeprefix("mp_") for arch in KNOWN),
        on_sale=tuple(arch.name.removeprefix("mp_") for arch in ALL),
        default_architectures=("22",),
        tags=tuple(f"-D{musa}={cuda}" for cuda, musa in sorted(names.tags.items())),
    )
    python = str(Path(sys.executable).resolve())
    planned = toolkit_files(toolkit, shown, names, header_facts(), header_rules(), constants(), own, python, digest)
    return planned, names.aliases
