"""Read sections of objects and archives: ELF files, and the `ar` files around them."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Union

from ..errors import DriverError
from .record import MAGIC, SECTION

_ELF, _ARCHIVE, _THIN_ARCHIVE = b"\x7fELF\x02", b"!<arch>\n", b"!<thin>\n"
_RELOCATABLE_FILE = 1  # e_type
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_MEMBER = struct.Struct("16s12s6s6s8s10s2s")
_SAVED_IN_SECTION_ZERO = 0xFFFF

_Data = Union[bytes, mmap.mmap]


class ObjectFile(NamedTuple):
    """An object, or a member of an archive."""

    name: str  # for the user: "libops.a(kernels.o)"
    is_member: bool
    data: bytes

    def section(self, name: str) -> bytes:
        """Return the contents of the section of this name; empty without one. A record alone is its section."""
        if self.data[: len(MAGIC)] == MAGIC:
            return bytes(self.data) if name == SECTION else b""
        try:
            found = (self.data[start : start + size] for each, start, size in self._sections() if each == name)
            return next(found, b"")
        except (IndexError, ValueError, struct.error) as error:
            raise DriverError(f"'{self.name}' is not a whole object file") from error

    def _sections(self) -> Iterator[tuple[str, int, int]]:
        """Yield name, offset and bytes of each section."""
        (table,) = struct.unpack_from("<Q", self.data, 0x28)
        count, names_at = struct.unpack_from("<HH", self.data, 0x3C)
        if not table:
            return
        first = _SECTION_HEADER.unpack_from(self.data, table)
        count = count or first[5]
        names_at = first[6] if names_at == _SAVED_IN_SECTION_ZERO else names_at
        headers = [_SECTION_HEADER.unpack_from(self.data, table + 64 * at) for at in range(count)]
        names = headers[names_at][4]
        for header in headers:
            start = names + header[0]
            yield self.data[start : self.data.index(b"\0", start)].decode(errors="replace"), header[4], header[5]


def object_files(words: Sequence[str]) -> Iterator[ObjectFile]:
    """Yield the objects among the linker's arguments, and the members of their archives, -l's included."""
    folders = _values(words, "-L")
    takes_value = False
    for at, word in enumerate(words):
        if takes_value:
            takes_value = False
        elif word in ("-L", "-Xlinker", "-z", "-T", "-u", "-rpath"):
            takes_value = True
        elif word.startswith("-l"):
            takes_value = word == "-l"
            library = _library(words[at + 1] if takes_value and at + 1 < len(words) else word[2:], folders)
            yield from _objects_in(library) if library else ()
        elif not word.startswith("-"):
            yield from _objects_in(Path(word))


def _values(words: Sequence[str], flag: str) -> list[str]:
    """Return the values of a flag, in both spellings: `-L dir`, `-Ldir`."""
    apart = [value for word, value in zip(words, words[1:]) if word == flag]
    return [*apart, *(word[len(flag) :] for word in words if word.startswith(flag) and word != flag)]


def _library(name: str, folders: Sequence[str]) -> Path | None:
    """Return the static library that the linker would take; None if it would take a shared one, or finds none."""
    names = (name[1:],) if name.startswith(":") else (f"lib{name}.so", f"lib{name}.a")
    found = (Path(folder, each) for folder in folders for each in names)
    path = next((each for each in found if each.is_file()), None)
    return None if path is None or path.suffix == ".so" else path


def _objects_in(path: Path) -> Iterator[ObjectFile]:
    """Yield the object in a file, or those in an archive; none of another file."""
    try:
        with path.open("rb") as stream:
            head = stream.read(20)
            if _is_object(head) or head.startswith(MAGIC):
                yield ObjectFile(str(path), False, path.read_bytes())
            elif head.startswith((_ARCHIVE, _THIN_ARCHIVE)):
                with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    yield from _members(path, data)
    except OSError:
        return  # the host's linker says what is wrong with it


def _is_object(data: bytes) -> bool:
    return data.startswith(_ELF) and int.from_bytes(data[16:18], "little") == _RELOCATABLE_FILE


def _members(path: Path, data: _Data) -> Iterator[ObjectFile]:
    is_thin = data[:8] == _THIN_ARCHIVE
    long_names = b""
    at = len(_ARCHIVE)
    while at + _MEMBER.size <= len(data):
        field, *_, size_text, _end = _MEMBER.unpack_from(data, at)
        name, size, start = field.decode(errors="replace").rstrip(), int(size_text), at + _MEMBER.size
        is_table = name in ("/", "//", "/SYM64/")
        if name == "//":
            long_names = data[start : start + size]
        if not is_table:
            if name.startswith("/"):
                offset = int(name[1:])
                name = long_names[offset : long_names.index(b"\n", offset)].decode(errors="replace")
            name = name.rstrip("/")
            content = (path.parent / name).read_bytes() if is_thin else data[start : start + size]
            if _is_object(content):
                yield ObjectFile(f"{path}({name})", True, content)
        at = start + (0 if is_thin and not is_table else size + size % 2)
