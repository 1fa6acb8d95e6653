"""Find the LAPACK that muSOLVER uses: the shared library of the package scipy-openblas32."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_LIBRARY = "lib/libscipy_openblas.so"


def find_lapack() -> str:
    """Return the path of the package's library; "" where it is not installed: muSOLVER then looks for the system's."""
    spec = importlib.util.find_spec("scipy_openblas32")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / _LIBRARY
        if path.is_file():
            return str(path)
    return ""
