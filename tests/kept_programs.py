"""Programs that tests compile, kept between runs and shared by the processes of one run.

What a test looks at is the program's behaviour; compiling it again from the same sources with the same SDK shows
nothing new. The SDK's path names its content, so a change to mcc, a header or the runtime compiles all again.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from nvidia_cases import RECIPE, write_recipe

from musa_build.system.files import digest, replace_atomically
from musa_build.system.process import locked

_REPOSITORY = Path(__file__).resolve().parent.parent
HEADERS = (".h", ".hpp", ".muh", ".cuh")


class KeptPrograms:
    """Compiles with the SDK at `root` into `folder`, which processes may share; one program per command."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder

    def build(self, command: Sequence[str], sources: Sequence[Path], link: Sequence[str] = ()) -> Path:
        """The output of `command sources -o output link`, which must succeed; compiled if it is not there.

        It depends on the words, the sources, the headers beside them and in the folders of -I and -isystem, and the
        clang that MUSA_SIM_CLANG names. The folder of a source that a test wrote does not count: each test has its own.
        Its content counts like a name, because another test may run its program of the same name at the same time.
        """
        words = [*command, *map(_name_of_source, sources), *link, os.environ.get("MUSA_SIM_CLANG", "")]
        read = [path.read_bytes() for path in self._files_read(command, sources)]
        written = () if all(map(_is_of_repository, sources)) else read
        # named without the SDK's path, so that a new simulator replaces the program of the last one
        named = digest(*(word.replace(str(self._root), "") for word in words), *written)
        slot = self._folder / f"{sources[0].stem}-{named[:12]}"
        output, key_file = slot / sources[0].stem, slot / "key"
        key = digest(*words, *read).encode()
        with locked(slot.with_suffix(".lock")):
            if not (output.is_file() and key_file.is_file() and key_file.read_bytes() == key):
                slot.mkdir(parents=True, exist_ok=True)
                key_file.unlink(missing_ok=True)
                line = [*command, *map(str, sources), "-o", str(output), *link]
                done = subprocess.run(line, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr[-4000:]
                replace_atomically(key_file, key)
            if not (slot / RECIPE).is_file():
                write_recipe(slot, command, sources, link)
        return output

    def of_mcc(self, flags: Sequence[str], sources: Sequence[Path], libraries: Sequence[str] = ()) -> Path:
        """A program that the SDK's mcc makes, linked with libmusart and these libraries of the SDK."""
        lib = self._root / "lib"
        link = [f"-L{lib}", *(f"-l{name}" for name in (*libraries, "musart")), f"-Wl,-rpath,{lib}"]
        return self.build([str(self._root / "bin/mcc"), *flags], sources, link)

    def _files_read(self, command: Sequence[str], sources: Sequence[Path]) -> list[Path]:
        """The sources and all headers in their folders and those of -I and -isystem; the SDK's path names its own."""
        named = [word[2:] for word in command if word.startswith("-I")]
        named += [folder for word, folder in zip(command, command[1:]) if word == "-isystem"]
        folders = {source.parent for source in sources} | {Path(word) for word in named if str(self._root) not in word}
        return [*sources, *sorted(path for folder in folders for path in folder.iterdir() if path.suffix in HEADERS)]


def _is_of_repository(path: Path) -> bool:
    return _REPOSITORY in path.parents


def _name_of_source(path: Path) -> str:
    return str(path) if _is_of_repository(path) else path.name


@pytest.fixture(scope="session")
def kept_programs(sim_sdk_root: Path, request: pytest.FixtureRequest) -> KeptPrograms:
    assert request.config.cache is not None
    return KeptPrograms(sim_sdk_root, Path(request.config.cache.mkdir("programs")))
