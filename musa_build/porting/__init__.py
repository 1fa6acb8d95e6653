"""Porting: a CUDA source tree becomes a MUSA source tree. Needs neither torch nor a MUSA SDK.

The public names are imported on first use: a run with nothing to do (see __main__.py) loads none of the engine.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from .engine.edits import Finding, Severity
    from .simple_porting import SimplePorting
    from .tree.session import PortReport

_LAZY_IMPORTS = {
    "Finding": ".engine.edits",
    "PortReport": ".tree.session",
    "Severity": ".engine.edits",
    "SimplePorting": ".simple_porting",
}

__all__ = ["Finding", "PortReport", "Severity", "SimplePorting"]


def __getattr__(name: str) -> object:
    if name not in _LAZY_IMPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LAZY_IMPORTS[name], __name__), name)
