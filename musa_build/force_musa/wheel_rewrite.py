"""Wheels that another build system than setuptools made: their Python modules are rewritten for MUSA.

Standard library only: the start-up hook imports this module.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

from ..logger_util import LOGGER
from .project_files import WITH_TORCH
from .python_rewrite import module_for_musa

# A build tag is part of the wheel's name and of its WHEEL file. A version of its own (2.2.0+musa) would be nicer to
# read, but pip refuses a wheel whose version differs from that of the source distribution.
WHEEL_TAG = "1musa"
_IMPORTS_TORCH = re.compile(rb"^[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)


def rewrite_wheels(backend: ModuleType) -> None:
    """Have a build system (PEP 517) rewrite the modules of the wheels that it builds."""
    original: Any = backend.build_wheel

    def build_wheel(wheel_directory: str, *args: Any, **kwargs: Any) -> str:
        wheel = rewritten_wheel(Path(wheel_directory, original(wheel_directory, *args, **kwargs)))
        name = wheel.name.partition("-")[0]
        LOGGER.info("%s compiles its CUDA sources when they are used: %s", name, WITH_TORCH)
        return wheel.name

    vars(backend)["build_wheel"] = build_wheel


def rewritten_wheel(path: Path) -> Path:
    """Replace a wheel by one for MUSA, with a build tag. Return its path.

    Without PyTorch, `"cuda"` and `.cuda()` in its modules are names of the package's own, and stay.
    """
    name, version, *tags = path.name.split("-")
    target = path.with_name("-".join((name, version, WHEEL_TAG, *tags[-3:])))
    with zipfile.ZipFile(path) as wheel:
        contents = [(entry, wheel.read(entry)) for entry in wheel.infolist()]
    with_torch = any(imports_torch(content) for entry, content in contents if entry.filename.endswith(".py"))
    changed: dict[str, bytes] = {}
    for entry, content in contents:
        if entry.filename.endswith(".py") and with_torch:
            changed[entry.filename] = module_for_musa(content)
        elif entry.filename.endswith(".dist-info/WHEEL"):
            lines = [line for line in content.splitlines() if line and not line.startswith(b"Build:")]
            changed[entry.filename] = b"\n".join((*lines, b"Build: " + WHEEL_TAG.encode(), b""))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for entry, content in contents:
            if entry.filename.endswith(".dist-info/RECORD"):
                content = _record(content, changed)
            wheel.writestr(entry, changed.get(entry.filename, content))
    if target != path:
        path.unlink()
    return target


def imports_torch(module: bytes) -> bool:
    """Return whether the text of a Python module imports PyTorch."""
    return _IMPORTS_TORCH.search(module) is not None


def _record(content: bytes, changed: dict[str, bytes]) -> bytes:
    """Return the text of RECORD, a table of names, hashes and sizes, for other contents of some files."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in csv.reader(io.StringIO(content.decode("utf-8"))):
        if row and row[0] in changed:
            digest = base64.urlsafe_b64encode(hashlib.sha256(changed[row[0]]).digest()).rstrip(b"=").decode()
            row = [row[0], f"sha256={digest}", str(len(changed[row[0]]))]
        writer.writerow(row)
    return text.getvalue().encode("utf-8")
