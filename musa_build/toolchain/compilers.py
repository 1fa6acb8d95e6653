"""The language of a source, the host compiler's command line for it, and the C++ standard for both compilers. Pure."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Optional

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


# By age. Compilers accept both the working name and the final name of a standard.
_STANDARDS = ("98", "03", "0x", "11", "1y", "14", "1z", "17", "2a", "20", "2b", "23", "2c", "26")


def split_standard(flags: Sequence[str]) -> tuple[Optional[str], tuple[str, ...]]:
    """Return the last C++ standard in `flags` (the value of -std=), and the flags without any -std=."""
    standard = None
    others = []
    for flag in flags:
        if flag.startswith(("-std=", "--std=")):
            standard = flag.split("=", 1)[1]
        else:
            others.append(flag)
    return standard, tuple(others)


def newest_standard(first: str, second: str) -> str:
    """Return the newer of two C++ standards, or the first of equal ones. Unknown names count as newest."""
    return second if _rank(second) > _rank(first) else first


def _rank(standard: str) -> int:
    name = standard.replace("gnu++", "").replace("c++", "")
    return _STANDARDS.index(name) if name in _STANDARDS else len(_STANDARDS)


@dataclass(frozen=True)
class CxxToolchain:
    """The host's C++ compiler. `wrapper` is ccache or empty. `keep_debug_info` is whether the user requested -g."""

    command: tuple[str, ...]
    wrapper: tuple[str, ...] = ()
    keep_debug_info: bool = False

    def compile_command(
        self,
        *,
        source: str,
        output: str,
        depfile: str,
        head: Sequence[str],
        preprocessor: Sequence[str],
        flags: Sequence[str],
        standard: Optional[str],
    ) -> tuple[str, ...]:
        """Return the command that compiles one C++ source.

        `head` is the start of setuptools' own command: a compiler and the flags that Python was built with. The
        compiler is not always one for C++, so ours replaces it. The flags are kept.
        """
        inherited = _flags_of(head)
        return (
            *self.wrapper,
            *self.command,
            *inherited,
            *self._debug_flags(inherited, preprocessor, flags),
            # -MD, not -MMD: headers of other packages often come through -isystem, which -MMD leaves out.
            *("-MD", "-MF", depfile),
            *preprocessor,
            *(source, "-o", output),
            *flags,
            *([f"-std={standard}"] if standard else []),
        )

    def dialect(
        self, *, head: Sequence[str], preprocessor: Sequence[str], flags: Sequence[str], standard: Optional[str]
    ) -> tuple[str, ...]:
        """Return the compiler with the flags that affect how it parses a header.

        That is `compile_command` without launcher, files and the extension's name, which torch's headers do not use.
        """
        inherited = _flags_of(head)
        return (
            *self.command,
            *inherited,
            *self._debug_flags(inherited, preprocessor, flags),
            *(flag for flag in (*preprocessor, *flags) if not flag.startswith("-DTORCH_EXTENSION_NAME=")),
            *([f"-std={standard}"] if standard else []),
        )

    def _debug_flags(self, inherited: Sequence[str], *requested: Sequence[str]) -> tuple[str, ...]:
        """Return -g0 if only Python's own build flags have -g.

        Python is often built with -g. That costs a quarter of the compile time and makes objects fifty times as large,
        so an extension has debug information only if the user or `build_ext --debug` requests it.
        """
        wanted = self.keep_debug_info or any(flag.startswith("-g") for flags in requested for flag in flags)
        inherits = any(flag.startswith("-g") for flag in inherited)
        return ("-g0",) if inherits and not wanted else ()


def _flags_of(head: Sequence[str]) -> tuple[str, ...]:
    """Return the flags after the compiler, which may be more than one argument."""
    return tuple(itertools.dropwhile(lambda argument: not argument.startswith("-"), head))
