"""The language of explanations. A text that has no translation is in English."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping

from . import CHINESE, ENGLISH

#: The first one that is set decides.
VARIABLES = ("MUSA_BUILD_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def language_of(environment: Mapping[str, str], encoding: str) -> str:
    """Return the language that an environment asks for; English where `encoding` has no Chinese."""
    named = [environment[name].strip().lower() for name in VARIABLES if environment.get(name, "").strip()]
    if not named or re.split(r"[_.@-]", named[0])[0] != CHINESE:
        return ENGLISH
    try:
        "\u4e2d".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return ENGLISH
    return CHINESE


def chosen() -> str:
    """Return the language for this process and its standard output."""
    return language_of(os.environ, getattr(sys.stdout, "encoding", None) or "ascii")
