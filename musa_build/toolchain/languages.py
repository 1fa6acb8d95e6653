"""What a source is compiled as, by its name."""

from __future__ import annotations

import enum
from pathlib import PurePath

from ..errors import SourceError


class Language(enum.Enum):
    """What a source is compiled as; the value is the compiler's name in progress lines."""

    C = "cc"
    CXX = "c++"
    MUSA = "mcc"


_LANGUAGES = {
    **dict.fromkeys((".mu", ".muh", ".cu", ".cuh"), Language.MUSA),
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".c++", ".cp"), Language.CXX),
    **dict.fromkeys((".c", ".s", ".sx"), Language.C),
}


def language_of(source: str) -> Language:
    """The language a file name stands for. Case is ignored (.MU is .mu), but for .C, which has always been C++.

    Raises SourceError for any other suffix.
    """
    suffix = PurePath(source).suffix
    language = Language.CXX if suffix == ".C" else _LANGUAGES.get(suffix.lower())
    if language is None:
        raise SourceError(f"{source} is no source file", found=f"suffix {suffix!r}", wanted=", ".join(_LANGUAGES))
    return language
