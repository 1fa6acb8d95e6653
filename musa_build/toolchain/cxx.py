"""Pure: what the host compiler is told for one source, and which C++ standard both compilers get."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

# Working names and final names of one standard are the same to a compiler; the order is by age.
_STANDARDS = ("98", "03", "0x", "11", "1y", "14", "1z", "17", "2a", "20", "2b", "23", "2c", "26")


def split_standard(flags: Sequence[str]) -> tuple[Optional[str], tuple[str, ...]]:
    """The last C++ standard that `flags` ask for (the value of -std=), and the flags without any."""
    standard = None
    others = []
    for flag in flags:
        if flag.startswith(("-std=", "--std=")):
            standard = flag.split("=", 1)[1]
        else:
            others.append(flag)
    return standard, tuple(others)


def newest_standard(first: str, second: str) -> str:
    """Of two standards the one with the newer C++; of equal ones the first. Unknown names count as newest."""
    return second if _rank(second) > _rank(first) else first


def _rank(standard: str) -> int:
    name = standard.replace("gnu++", "").replace("c++", "")
    return _STANDARDS.index(name) if name in _STANDARDS else len(_STANDARDS)


@dataclass(frozen=True)
class CxxToolchain:
    """The host's C++ compiler. `wrapper` is ccache or nothing; `keep_debug_info` is whether the user asked for -g."""

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
        """The command that compiles one C++ source.

        `head` is what setuptools starts its own commands with: a compiler (not always one for C++, so ours replaces it)
        and the flags Python was built with, which are kept.
        """
        inherited = _flags_of(head)
        return (
            *self.wrapper,
            *self.command,
            *inherited,
            *self._debug_flags(inherited, preprocessor, flags),
            # -MD, not -MMD: headers of other packages often come by -isystem, which the latter leaves out.
            *("-MD", "-MF", depfile),
            *preprocessor,
            *(source, "-o", output),
            *flags,
            *([f"-std={standard}"] if standard else []),
        )

    def dialect(
        self, *, head: Sequence[str], preprocessor: Sequence[str], flags: Sequence[str], standard: Optional[str]
    ) -> tuple[str, ...]:
        """The compiler with the flags that decide what it understands a header to say: `compile_command` without
        launcher, files and the extension's name, which torch's headers do not look at."""
        inherited = _flags_of(head)
        return (
            *self.command,
            *inherited,
            *self._debug_flags(inherited, preprocessor, flags),
            *(word for word in (*preprocessor, *flags) if not word.startswith("-DTORCH_EXTENSION_NAME=")),
            *([f"-std={standard}"] if standard else []),
        )

    def _debug_flags(self, inherited: Sequence[str], *asked: Sequence[str]) -> tuple[str, ...]:
        """Python was often built with -g, which costs a quarter of the compile time and objects fifty times as large.

        Nobody asked for that here, unless the user or `build_ext --debug` did.
        """
        wanted = self.keep_debug_info or any(flag.startswith("-g") for flags in asked for flag in flags)
        inherits = any(flag.startswith("-g") for flag in inherited)
        return ("-g0",) if inherits and not wanted else ()


def _flags_of(head: Sequence[str]) -> tuple[str, ...]:
    """Without the compiler, which may be several words."""
    return tuple(itertools.dropwhile(lambda word: not word.startswith("-"), head))
