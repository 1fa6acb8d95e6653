"""Precompile the header that comes before every source: to read it takes most of the time of a small file.

A precompiled header is made when a pass first needs it, and is in the SDK root. There is one for each set of
arguments that may change its content. Most macros and directories do not affect the header. They are
checked against what the header's files mention: a macro that these mention is part of the key (`-DNDEBUG`), and so is
a directory with a file that the header might include. Other macros and directories are not part of the key. A pass
reads the header itself where the precompiled one cannot be written or clang refuses it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .commands import Commands
from .dependencies import prerequisites
from .sdk import last_used, mark_used

_Done = subprocess.CompletedProcess[str]

HEADER = "musa_runtime.h"
#: the text that clang compiles into the precompiled header, after HEADER; dependency files must not name it
SOURCE = "/dev/null"
#: Each set of flags needs two or more, of 4 MB each: one for the host, one per architecture.
_MOST_HEADERS = 24

#: arguments that concern the source alone, and the words that follow them
_OF_THE_SOURCE = {
    **dict.fromkeys(("-main-file-name", "-dependency-file", "-MT", "-MQ", "-fcuda-include-gpubinary", "-include"), 1),
    **dict.fromkeys(("-sys-header-deps", "-MP", "-MG", "-fsyntax-only"), 0),
}
_OF_THE_SOURCE_PREFIXES = ("-fdebug-compilation-dir=", "-fcoverage-compilation-dir=", "-cuid=")
_MACROS = ("-D", "-U")
_DIRECTORIES = ("-I", "-iquote", "-isystem")
#: Debug info tells a precompiled header from one that was read. The others come before HEADER, or replace files.
_REFUSED = ("-debug-info-kind=", "-imacros", "-include-pch", "-ivfsoverlay", "-fmodule")

#: Before this release, clang takes the device's `operator new` in a precompiled header for one of another module, and
#: then finds none at all, in languages that have modules. 19 does, 22 does not; others were not tried.
_SOUND_SINCE = 20
_HAS_MODULES = re.compile(r"-std=(?:c|gnu)\+\+2")

#: signals of a crash on a damaged file
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL)

_WORD = re.compile(r"[A-Za-z_]\w*")
#: parts of names that a macro pastes together; shorter ones are mostly its parameters
_PASTED = re.compile(r"(?<!\w)([A-Za-z_]\w{2,})\s*##|##\s*(\w{3,})")
_INCLUDED = re.compile(r'^[ \t]*#[^\n]*?[<"]([\w./+-]+)[>"]', re.M)


class _Pass(NamedTuple):
    """The arguments of a pass, sorted."""

    key: tuple[str, ...]  # the flags that may change the header
    macros: tuple[tuple[str, str], ...]  # that the user defines or takes back: the flag, `NAME` or `NAME=value`
    directories: tuple[tuple[str, str], ...]  # that the user adds, with the flag of each

    @classmethod
    def of(cls, args: Sequence[str]) -> _Pass | None:
        """Sort the arguments; None if some of them exclude a precompiled header."""
        key: list[str] = []
        macros: list[tuple[str, str]] = []
        directories: list[tuple[str, str]] = []
        words = iter(args)
        for word in words:
            if word.startswith(_REFUSED):
                return None
            if word in _OF_THE_SOURCE:
                for _ in range(_OF_THE_SOURCE[word]):
                    next(words)
            elif word in _MACROS:
                macros.append((word, next(words)))
            elif word in _DIRECTORIES:
                directories.append((word, next(words)))
            elif not word.startswith(_OF_THE_SOURCE_PREFIXES):
                key.append(word)
        return cls(tuple(key), tuple(macros), tuple(directories))

    def with_own(self, macros: Collection[str], directories: Collection[str]) -> tuple[str, ...]:
        """Return the flags that may change the header, with those of these macros and directories in their order."""
        mine = (macro for macro in self.macros if _name(macro) in macros)
        return (*self.key, *(word for flag in (*mine, *self._in(directories)) for word in flag))

    def _in(self, directories: Collection[str]) -> Iterable[tuple[str, str]]:
        return (pair for pair in self.directories if pair[1] in directories)

    def read_macros(self, is_mentioned: Callable[[str], bool]) -> frozenset[str]:
        """Return the macros that the header reads: mentioned by it, or by the value of a macro that it reads."""
        found = {name for name in map(_name, self.macros) if is_mentioned(name)}
        while True:
            texts = {word for macro in self.macros if _name(macro) in found for word in _WORD.findall(macro[1])}
            more = {name for name in map(_name, self.macros) if name in texts} - found
            if not more:
                return frozenset(found)
            found |= more


class _Facts(NamedTuple):
    """The facts of a precompiled header."""

    command: Sequence[str]  # that made it
    files: Mapping[str, Sequence[int]]  # all that it was made of, with size and time
    names: Sequence[str]  # by which these files include others
    words: str  # that these files have, a blank before and after each
    fragments: Sequence[str]  # of names that their macros make
    shadows: Mapping[str, Sequence[str]]  # by directory of the user's in the command: the names that it has

    @classmethod
    def collect(cls, command: Sequence[str], files: Sequence[str]) -> _Facts:
        """Read the files that the header was made of."""
        texts = [Path(name).read_text(errors="replace") for name in files]
        names = {found for text in texts for found in _INCLUDED.findall(text)}
        words = {found for text in texts for found in _WORD.findall(text)}
        fragments = {left or right for text in texts for left, right in _PASTED.findall(text)}
        stamps = {name: _stamp(name) for name in (*files, command[0])}
        text = f" {' '.join(sorted(words))} "
        return cls(command, stamps, sorted(names), text, sorted(fragments), _shadows(command, sorted(names)))

    def are_of(self, command: Sequence[str]) -> bool:
        """Return whether this command would still make the same header."""
        try:
            return (
                self.command == list(command)
                and all(_stamp(name) == stamp for name, stamp in self.files.items())
                and self.shadows == _shadows(command, self.names)
            )
        except OSError:
            return False

    def mention(self, macro: str) -> bool:
        """Return whether the header may read a macro of this name."""
        made = tuple(self.fragments)
        return f" {macro} " in self.words or macro.startswith(made) or macro.endswith(made)

    def read_directories(self, wanted: _Pass) -> frozenset[str]:
        """Return the directories of a pass in which the header may find a file."""
        system = [os.path.realpath(name) for name in _values(wanted.key, "-internal-isystem")]
        return frozenset(folder for flag, folder in wanted.directories if not self._is_harmless(flag, folder, system))

    def _is_harmless(self, flag: str, folder: str, system: Sequence[str]) -> bool:
        """Return whether a directory before all others changes nothing: the header's files are found where they were.

        `system`: the directories that are searched in any case. clang leaves out an -I that names one of them, and for
        an -isystem it searches that one first.
        """
        own = os.path.realpath(folder)
        if own not in system or flag == "-iquote":
            return not _names_in(folder, self.names)
        if flag == "-I":
            return True
        earlier = system[: system.index(own)]
        here = _names_in(own, self.names) if earlier else []
        return not any(_names_in(other, here) for other in earlier)


class PrecompiledHeaders(NamedTuple):
    """The precompiled headers of one SDK root, for one front end of clang."""

    folder: Path
    program: tuple[str, ...]
    clang_major: int
    commands: Commands

    def run(self, args: Sequence[str], front_end: Callable[[Sequence[str]], _Done]) -> _Done:
        """Run a pass, with HEADER replaced by its precompiled form if the result is the same."""
        header = self._header(args)
        if header:
            at = args.index(HEADER)
            done = front_end([*args[: at - 1], "-include-pch", str(header), *args[at + 1 :]])
            if not self._is_refused(done):
                return done
            header.with_suffix(".json").unlink(missing_ok=True)  # the next pass makes another
        return front_end(args)

    def unnamed(self, dependency_files: Sequence[str]) -> set[str]:
        """Return the names by which dependency files mean a precompiled header."""
        named = (name for text in dependency_files for name in re.split(r"[\s\\]+", text))
        return {name for name in named if name == SOURCE or name.startswith(str(self.folder))}

    def _header(self, args: Sequence[str]) -> Path | None:
        """Return the precompiled header for a pass, or make it; None if the pass has to read the header itself."""
        wanted = _Pass.of(args)
        if wanted is None or HEADER not in args:
            return None
        if self.clang_major < _SOUND_SINCE and any(map(_HAS_MODULES.match, args)):
            return None
        macros: frozenset[str] = frozenset()
        directories: frozenset[str] = frozenset()
        while all(
            map(os.path.isabs, directories)
        ):  # a relative path means another directory in another working directory
            command = [*self.program, *wanted.with_own(macros, directories), "-include", HEADER]
            header = self.folder / f"{zlib.crc32(repr(command).encode()):08x}.pch"
            facts = self._up_to_date(header, command)
            if not facts:
                return None
            # with a macro or a directory the header may have other files, which mention others
            read = wanted.read_macros(facts.mention), facts.read_directories(wanted)
            if read[0] <= macros and read[1] <= directories:
                return header
            macros |= read[0]
            directories |= read[1]
        return None

    def _up_to_date(self, header: Path, command: Sequence[str]) -> _Facts | None:
        """Return the facts of a precompiled header; make it if there is none. None if that fails."""
        try:
            facts = self._facts(header)
            mark_used(header.with_suffix(".json"))
            return facts if facts and facts.are_of(command) else self._precompile(header, command)
        except OSError:
            return None  # a root that this user may only read

    def _facts(self, header: Path) -> _Facts | None:
        record = header.with_suffix(".json")
        try:
            return _Facts(**json.loads(record.read_text())) if record.exists() and header.exists() else None
        except (ValueError, TypeError):
            return None  # incomplete: it is made again

    def _precompile(self, header: Path, command: Sequence[str]) -> _Facts | None:
        """Make a precompiled header and the record of it; None where clang cannot."""
        self.folder.mkdir(exist_ok=True)
        self._make_room(header)
        with tempfile.TemporaryDirectory(prefix=".making-", dir=self.folder) as made:
            compiled, listed, record = (Path(made) / name for name in ("header", "files", "record"))
            dependencies = ("-dependency-file", str(listed), "-sys-header-deps", "-MT", "header")
            emit = ("-emit-pch", "-o", str(compiled), "-x", "cuda", SOURCE)
            done = self.commands.capture([*command, *dependencies, *emit])
            if done.returncode or done.stderr:
                return None  # the pass reads the header itself and prints clang's messages
            files = [name for name in prerequisites(listed.read_text()) if name != SOURCE]
            facts = _Facts.collect(command, files)
            record.write_text(json.dumps(facts._asdict()))
            # the record is written last: if it exists, the header does
            compiled.replace(header)
            record.replace(header.with_suffix(".json"))
            return facts

    def _make_room(self, header: Path) -> None:
        """Remove the headers that were used least recently, if there are too many beside this one.

        A pass that is just reading one of them has it open, or reads the header itself (`run`).
        """
        others = [path for path in self.folder.glob("*.pch") if path != header]
        others.sort(key=lambda path: last_used(path.with_suffix(".json")))
        for path in others[: max(0, len(others) + 1 - _MOST_HEADERS)]:
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink(missing_ok=True)

    def _is_refused(self, done: _Done) -> bool:
        """Return whether a pass failed because of the precompiled header."""
        words = (str(self.folder), "precompiled", "PCH", "in different modules")
        return -done.returncode in _CRASHES or (done.returncode > 0 and any(word in done.stderr for word in words))


def _name(macro: tuple[str, str]) -> str:
    return re.split(r"[=(]", macro[1])[0]


def _shadows(command: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the user's directories in a command, with the names that each of them has."""
    return {folder: _names_in(folder, names) for flag in _DIRECTORIES for folder in _values(command, flag)}


def _names_in(folder: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if os.path.lexists(f"{folder}/{name}")]


def _values(args: Iterable[str], flag: str) -> list[str]:
    words = list(args)
    return [value for word, value in zip(words, words[1:]) if word == flag]


def _stamp(name: str) -> list[int]:
    found = os.stat(name)  # noqa: PTH116 - a Path for each header takes longer than the file system
    return [found.st_size, found.st_mtime_ns]
