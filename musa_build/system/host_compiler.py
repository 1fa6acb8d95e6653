"""The host's C++ compiler for code that is no user's: g++, or what conda calls it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping


def host_cxx(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return g++ as a command; where PATH has none, the words of CXX, as in conda's environments.

    CXX alone does not decide: with a clang there, or with a launcher, g++ is still the one to use.
    """
    named = environment.get("CXX", "").strip()
    if named and shutil.which("g++", path=environment.get("PATH")) is None:
        return tuple(shlex.split(named))
    return ("g++",)
