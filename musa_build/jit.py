"""`load` and `load_inline`: compiling an extension while a program runs. Their names stand; they are to come."""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import NotYetError

_INSTEAD = "MUSAExtension with BuildExtension in a setup.py, which builds the same sources today"


def load(name: str, sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotYetError until compiling at run time has landed."""
    raise NotYetError(f"load({name!r}) cannot compile at run time yet", wanted=_INSTEAD)


def load_inline(name: str, cpp_sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotYetError until compiling at run time has landed."""
    raise NotYetError(f"load_inline({name!r}) cannot compile at run time yet", wanted=_INSTEAD)
