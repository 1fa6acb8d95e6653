"""The language of a source, by its suffix."""

from __future__ import annotations

import enum
from pathlib import PurePath

from ..errors import SourceError


class Language(enum.Enum):
    """The language of a source. The value is the compiler's name in progress lines."""

    C = "cc"
    CXX = "c++"
    MUSA = "mcc"


_LANGUAGES = {
    **dict.fromkeys((".mu", ".muh", ".cu", ".cuh"), Language.MUSA),
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".c++", ".cp"), Language.CXX),
    **dict.fromkeys((".c", ".s", ".sx"), Language.C),
}


def language_of(source: str) -> Language:
    """Return the language of a file name. Case is ignored (.MU is .mu), except that .C is C++.

    Raises:
        SourceError: Any other suffix.
    """
    suffix = PurePath(source).suffix
    language = Language.CXX if suffix == ".C" else _LANGUAGES.get(suffix.lower())
    if language is None:
        raise SourceError(f"{source} is not a source file", found=f"suffix {suffix!r}", wanted=", ".join(_LANGUAGES))
    return language
