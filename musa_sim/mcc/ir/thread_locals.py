"""Addresses of variables that each thread of the host has its own of, as LLVM asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable

from .text import GLOBAL, LOCAL

_ADDRESS = re.compile(rf"^(  {LOCAL}) = [^@\n]*@llvm\.threadlocal\.address\.p0\(ptr [^@\n]*({GLOBAL})\)[^\n]*", re.M)


def replace_addresses(code: str, value_for: Callable[[str], str]) -> str:
    """Return code in which the address of each such variable is another value, which `value_for` names."""
    return _ADDRESS.sub(lambda found: f"{found[1]} = getelementptr i8, ptr {value_for(found[2])}, i64 0", code)
