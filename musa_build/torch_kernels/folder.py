"""The outputs of a build: its folder, and the library beside torch_musa's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..environment.torch_info import TorchMusa
from ..errors import TorchNotFoundError, UnwritableError
from ..system import files
from ..system.install_hints import INSTALL_SIMULATED_DEVICE
from ..system.process import locked
from .options import LIBRARY, Options

_MARK = ".musa-build-torch-musa"
_MARK_TEXT = "musa-build torch-musa made this folder; --clean removes it\n"


@contextmanager
def own(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, and mark it as this command's, so that it may be removed.

    Raises:
        UnwritableError: It is another's, or cannot be written.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise UnwritableError(
            "the build folder has other files", found=str(folder), wanted="a new folder", hint="name one with --output"
        )
    try:
        files.write_if_changed(folder / _MARK, _MARK_TEXT)
    except OSError as error:
        raise UnwritableError(
            "the build folder cannot be written", found=f"{folder}: {error.strerror}", hint="name one with --output"
        ) from error
    with locked(folder / "build.lock"):
        yield


def clean(options: Options) -> tuple[Path, ...]:
    """Remove the folder of the build and the installed library; return the removed paths."""
    removed = []
    if (options.folder / _MARK).is_file():
        shutil.rmtree(options.folder)
        removed.append(options.folder)
    torch_musa = TorchMusa.find()
    installed = torch_musa.library_dir / LIBRARY if torch_musa else None
    if options.install and installed is not None and installed.exists():
        installed.unlink()
        removed.append(installed)
    return tuple(removed)


def has_own_kernels() -> bool:
    """Return whether torch_musa's own kernel library is installed, whose operators ask for most of the kernels."""
    torch_musa = TorchMusa.find()
    return torch_musa is not None and (torch_musa.library_dir / "libmusa_kernels.so").is_file()


def install(library: Path) -> Path:
    """Put the library beside torch_musa's. Raises TorchNotFoundError if there is none."""
    torch_musa = TorchMusa.find()
    if torch_musa is None or not torch_musa.has_library:
        raise TorchNotFoundError(
            "torch_musa is not installed", wanted="torch_musa, which loads the library", hint=INSTALL_SIMULATED_DEVICE
        )
    target = torch_musa.library_dir / LIBRARY
    if files.write_if_changed(target, library.read_bytes()):
        target.chmod(0o755)
    return target
