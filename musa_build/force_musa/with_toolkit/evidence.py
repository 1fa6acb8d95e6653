"""The judgement of a wheel: it has code that was compiled for MUSA, and none for CUDA."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ForceMusaError
from ...logger_util import LOGGER
from ..levels import FIRST
from ..project_files import MARKS_OF_CUDA, compiles_on_use, cuda_libraries
from ..report import BuiltExtension, Report
from ..setup_script import names_nvcc, variables_read
from ..wheel_rewrite import rewritten_wheel

if TYPE_CHECKING:
    from .preparation import Preparation

#: The function by which a program tells the runtime about its device code. clang's for CUDA, with MUSA's name.
_REGISTERS = b"__musaRegisterFatBinary"
_ELF = b"\x7fELF"
_HINT = "give the option that the package documents for CUDA, such as CMAKE_ARGS=-DPKG_CUDA=ON"
_BROUGHT = "the project brings {} as it is: compile it from its sources with `musa-build run`, then build again"
_OTHER_TOOLKIT = "look for another toolkit's path in CMAKE_ARGS, in CMakeLists.txt and in the build's output"
_EDITABLE_HINT = "install it without -e: some build systems compile nothing for an editable install"


def finished_wheel(wheel: Path, preparation: Preparation) -> Path:
    """Check a wheel, rewrite its Python modules for MUSA, log and save the report. Return the wheel's new path.

    Raises:
        ForceMusaError: It has code for CUDA, or none for MUSA.
    """
    programs = _programs(wheel)
    for name, content in programs.items():
        if any(mark in content for mark in MARKS_OF_CUDA):
            brought = next((path for path in cuda_libraries(Path()) if Path(path).name == Path(name).name), "")
            raise ForceMusaError(
                f"{wheel.name} has code for NVIDIA cards",
                found=f"{name} is compiled by NVIDIA's nvcc, or needs its libraries",
                wanted=f"the nvcc of {preparation.variables['CUDA_HOME']}",
                hint=_BROUGHT.format(brought) if brought else _OTHER_TOOLKIT,
            )
    compiled = compiled_outputs(preparation.record, preparation.recorded)
    registering = [name for name, content in programs.items() if _REGISTERS in content]
    # Without a library of its own, a package may leave the compiling to CuPy and others.
    on_use = compiles_on_use(Path()) if not (compiled or programs or names_nvcc()) else ""
    if on_use:
        LOGGER.info("%s compiles its CUDA sources when they are used: %s", preparation.package.name, on_use)
    elif not compiled and not registering:
        raise ForceMusaError(
            f"{wheel.name} is for the CPU alone: no device code was compiled",
            found=f"no call of the toolkit's nvcc that compiles a source, and {', '.join(programs) or 'no library'}",
            wanted="a build with CUDA",
            hint=_EDITABLE_HINT if preparation.is_editable else f"{_HINT}{_read_by_setup()}",
        )
    version = wheel.name.split("-")[1]
    extensions = tuple(BuiltExtension(name, name in registering, 0) for name in programs)
    report = Report(
        preparation.package.name, version, FIRST, extensions, ported=preparation.ported, compiled=len(compiled)
    )
    report.save()
    for line in report.lines():
        LOGGER.info("%s", line)
    return wheel if preparation.is_editable else rewritten_wheel(wheel)


def compiled_outputs(record: Path, before: int) -> Sequence[str]:
    """Return the outputs of nvcc that a build made, or found from an earlier one: the first `before` lines."""
    lines = record.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if record.exists() else []
    return tuple(dict.fromkeys(line for at, line in enumerate(lines) if at >= before or Path(line).exists()))


def _read_by_setup() -> str:
    """Return the environment variables that the project's setup.py reads and that are not set, as an end of a hint."""
    read = ", ".join(name for name in variables_read() if name not in os.environ)
    return f"; its setup.py reads {read}" if read else ""


def _programs(wheel: Path) -> dict[str, bytes]:
    """Map the names of the libraries and programs in a wheel to their contents."""
    with zipfile.ZipFile(wheel) as archive:
        contents = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    return {name: content for name, content in contents.items() if content.startswith(_ELF)}
