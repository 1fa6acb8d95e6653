"""Write a toolkit's files, and compile its libraries with CUDA's symbols."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from ..environment.sdk import MusaSdk
from ..logger_util import LOGGER
from ..system import cache_directory, process
from ..system.host_compiler import host_cxx
from .layout import File
from .loadable import FOLDER, LOADABLE, Loadable, exported, jumps, link_command, symbols

_SOURCES = Path(__file__).resolve().parent / "binaries"


def write_toolkit(
    root: Path,
    planned: Mapping[str, File],
    sdk: MusaSdk,
    aliases: Mapping[str, str],
    first_interface: Collection[str] = (),
) -> None:
    """Write a toolkit under another name, and rename it when it is whole.

    `aliases` are CUDA's names and the SDK's, `first_interface` the functions of cublas.h.
    """
    LOGGER.info("writing a CUDA toolkit for %s to %s", sdk, root)
    building = root.with_name(f".{root.name}.{os.getpid()}")
    for folder in (building, root):  # left by a process that was killed
        shutil.rmtree(folder, ignore_errors=True)
    for name, file in planned.items():
        path = building / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.link:
            path.symlink_to(file.link)
        else:
            path.write_bytes(file.content)
            path.chmod(0o755 if file.is_program else 0o644)
    for each in LOADABLE:
        if (sdk.root / "lib" / f"lib{each.musa}.so").exists():
            _compile(each, root, building, sdk, symbols(each, aliases, first_interface))
    (building / cache_directory.LOCK).touch()
    building.rename(root)


def _compile(each: Loadable, root: Path, building: Path, sdk: MusaSdk, aliases: Mapping[str, str]) -> None:
    """Compile a library for the toolkit `root`, which is still in the folder `building`.

    Without it everything works but programs that load it by its name: a failure is a warning.
    """
    folder = building / FOLDER
    defined = process.run(["nm", "-D", "--defined-only", str(sdk.root / "lib" / f"lib{each.musa}.so")]).stdout
    text = folder / f"{each.cuda}.S"
    text.write_text(jumps(aliases, exported(defined)), encoding="utf-8")
    python = f'-DMUSA_CUDA_PYTHON="{Path(sys.executable).resolve()}"'
    own = [python, str(_SOURCES / each.source)] if each.source else []
    sources = [*own, *([str(text)] if each.has_jumps else [])]
    includes = [str(sdk.root / "include"), str(building / "include")]
    cxx = host_cxx(os.environ)
    done = process.run(link_command(each, sources, includes, str(sdk.root), str(folder), str(root), cxx))
    text.unlink()
    if done.returncode:
        LOGGER.warning("%s cannot be compiled; no program will find it: %s", each.file, done.stderr.strip()[-2000:])
