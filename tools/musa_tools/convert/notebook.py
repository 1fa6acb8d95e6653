"""Jupyter notebooks: the code cells are converted as one module; all other bytes of the file stay."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Optional

from .edits import UNCLEAR, Edit, EditError, Note
from .python_file import convert_source, parse
from .results import Converted, Options, described
from .shell import shell_findings
from .source import Source

_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\.|[^\\]", re.DOTALL)
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "debug", "memit"})
_SHELL_MAGICS = frozenset({"bash", "sh", "script", "system", "sx"})
_REST = rb"(?:[^\r\n\\]|\\(?:\r?\n|.)?)*"  # of a line, which may be continued
_MAGIC_LINE = re.compile(rb"^([ \t]*)([%!?]" + _REST + rb"|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_MAGIC_VALUE = re.compile(rb"^([ \t]*[\w, \t.\[\]]+=[ \t]*)([!%]" + _REST + rb")$", re.MULTILINE)
_COMMAND = re.compile(
    rb"^[ \t]*(?:[\w, \t.\[\]]+=[ \t]*)?((?:!|%(?:env|set_env|run|sx|system)\b)" + _REST + rb")", re.MULTILINE
)
_CELL_MAGIC = re.compile(rb"\s*%%(\w+)")
_WRITES_PYTHON = re.compile(rb"\s*%%(?:writefile|file)\b[^\r\n]*\.py[\"']?[ \t]*\r?\n")
_FOR_PEOPLE = re.compile(rb"\s*%%(?:html|markdown|latex|javascript|js|svg)\b")
_OF_CUDA = re.compile(
    rb"%%(?:cu|cuda\w*|nvcc\w*)\b|\b[\w-]+\.cuh?\b|\bcuda[A-Z_]\w*|\b__global__\b|\b(?:CUDA|NCCL)_[A-Z]\w+|\bnvcc\b"
    rb"|\btorch\.cuda\b|(?<=[\"':= ])cuda(?::\d+)?(?=[\s\"',]|$)"
)
_TIMED = re.compile(rb"%(?:time|timeit|prun|memit)\b(?:[ \t]+-\w+(?:[ \t]*\d+)?)*[ \t]+(?=[^-\s])")


class NotebookError(Exception):
    """The file is not a notebook."""


@dataclass(frozen=True)
class Cell:
    """A code cell: its source, and the JSON strings that hold it, as (first, last) offset of their text."""

    source: str
    strings: tuple[tuple[int, int], ...]

    def offsets(self, text: str) -> list[int]:
        """Return where in the file `text` each byte of the source, as UTF-8, begins; and where the source ends."""
        found: list[int] = []
        letters = iter(self.source)
        for start, end in self.strings:
            for escape in _ESCAPE.finditer(text, start, end):
                found += [escape.start()] * len(next(letters).encode("utf-8", "surrogatepass"))
        return [*found, self.strings[-1][1]]


def convert_notebook(content: bytes, options: Options, launch: bool = False) -> Converted:
    """Convert the code cells of a notebook."""
    try:
        text = content.decode("utf-8-sig")
        if not text.strip():
            return Converted(error="not a notebook: the file is empty")
        cells = list(code_cells(text))
    except UnicodeDecodeError:
        return Converted(error="not a notebook: it is not UTF-8")
    except IndexError:
        return Converted(error="not a notebook: the JSON ends too early")
    except (ValueError, NotebookError, KeyError, RecursionError) as error:
        return Converted(error=f"not a notebook: {error}")
    module = _Module(cells, options)
    if module.error:
        return Converted(error=module.error)
    try:
        edits, notes = convert_source(module.source, options, launch)
    except SyntaxError as error:
        return Converted(error=f"line {error.lineno} of the cells: {error.msg}")
    except EditError as error:
        return Converted(error=f"a fault of the converter, please report it: {error}")
    edits, notes = sorted([*edits, *module.shell]), sorted([*notes, *module.notes])
    if not edits:
        return described(module.original, [], notes, None)
    new = _edited(text, cells, module, edits)
    bom = content[: len(content) - len(text.encode())]
    return described(module.original, edits, notes, bom + new.encode())


class _Module:
    """All code cells in one text. Text that is not Python is blanked, byte for byte, so that offsets stay."""

    def __init__(self, cells: list[Cell], options: Options) -> None:
        self.starts: list[int] = []
        self.shell: list[Edit] = []
        self.notes: list[Note] = []
        self.error: Optional[str] = None
        originals, blanked = [], []
        position = 0
        for number, cell in enumerate(cells):
            code = cell.source.encode("utf-8", "surrogatepass")
            python = python_of(code)
            if python is None:
                if _shell_cell(code):
                    self._command(code, position, options)
                elif _foreign_cell(code):
                    self._foreign(code, position)
                else:
                    self.error = self.error or f"code cell {number + 1} is not Python"
                python = re.sub(rb"[^\r\n]", b" ", code)
            else:
                for command in _COMMAND.finditer(code) if python != code else ():
                    self._command(command[1], position + command.start(1), options)
            self.starts.append(position)
            originals.append(code)
            blanked.append(python)
            position += len(code) + 1
        self.original = Source(b"\n".join(originals))
        self.source = Source(b"\n".join(blanked))

    def _command(self, code: bytes, position: int, options: Options) -> None:
        """Take in the edits and notes for a command, which begins at `position`."""
        edits, notes = shell_findings(code, options)
        self.shell += (Edit(each.start + position, each.end + position, each.new, each.rule) for each in edits)
        self.notes += (Note(note.offset + position, note.level, note.message) for note in notes)

    def _foreign(self, code: bytes, position: int) -> None:
        """Note the mentions of CUDA in a cell in another language, or in a file that it writes."""
        named = None if _FOR_PEOPLE.match(code) else _OF_CUDA.search(code)
        if named is not None:
            message = f"this cell is not Python, and it says {named[0].decode().strip()}: change it by hand"
            self.notes.append(Note(position + named.start(), UNCLEAR, message))

    def cell_at(self, offset: int) -> tuple[int, int]:
        """Return the cell that an offset lies in, and the offset there."""
        index = bisect_right(self.starts, offset) - 1
        return index, offset - self.starts[index]


def python_of(code: bytes) -> Optional[bytes]:
    """Return a cell's Python with magics blanked, of the same length; None if there is none."""
    magic = _CELL_MAGIC.match(code)
    if magic:
        if magic.group(1).decode() not in _PYTHON_MAGICS and not _WRITES_PYTHON.match(code):
            return None
        end = code.find(b"\n", magic.end())
        end = len(code) if end < 0 else end
        code = re.sub(rb"[^\r\n]", b" ", code[:end]) + code[end:]
    return next(filter(_is_python, (code, _without_magics(code))), None)


def _without_magics(code: bytes) -> bytes:
    """Replace a magic by `0` and spaces: a statement, so that a block with nothing else stays valid."""

    def blank(found: re.Match[bytes]) -> bytes:
        timed = _TIMED.match(found[2])
        if timed and _is_python(found[2][timed.end() :]):
            return found[1] + b"0;".ljust(timed.end()) + found[2][timed.end() :]
        return found.group(1) + b"0" + re.sub(rb"[^\r\n]", b" ", found.group(2)[1:])

    return _MAGIC_VALUE.sub(blank, _MAGIC_LINE.sub(blank, code))


def _is_python(code: bytes) -> bool:
    try:
        parse(code)
        return True
    except SyntaxError:
        return False


def _shell_cell(code: bytes) -> bool:
    found = _CELL_MAGIC.match(code)
    return found is not None and found.group(1).decode() in _SHELL_MAGICS


def _foreign_cell(code: bytes) -> bool:
    """Whether a cell says that it is in another language."""
    found = _CELL_MAGIC.match(code)
    return found is not None and found.group(1).decode() not in _PYTHON_MAGICS


def _edited(text: str, cells: list[Cell], module: _Module, edits: list[Edit]) -> str:
    """Make the edits in the file's text."""
    offsets: dict[int, list[int]] = {}
    parts: list[str] = []
    position = 0
    for edit in edits:
        index, start = module.cell_at(edit.start)
        new = edit.new.decode()
        if edit.start == edit.end and start == 0 and index > 0 and new.endswith("\n"):
            new = "\n" + new.rstrip("\r\n")  # below the last line of one cell, not above the first of the next
            first = last = cells[index - 1].strings[-1][1]
        else:
            if index not in offsets:
                offsets[index] = cells[index].offsets(text)
            first, last = offsets[index][start], offsets[index][start + edit.end - edit.start]
        parts += (text[position:first], json.dumps(new, ensure_ascii=False)[1:-1])
        position = last
    return "".join([*parts, text[position:]])


def code_cells(text: str) -> Iterator[Cell]:
    """Yield the code cells of a notebook, with the offsets of their strings.

    Raises:
        ValueError: The text is not JSON.
        NotebookError: It has no list of cells.
    """
    for key, offset in _members(text, _skip(text, 0)):
        if key == "cells":
            for cell in _elements(text, offset):
                yield from _code_cell(text, cell)
            return
    raise NotebookError("there is no list of cells")


def _code_cell(text: str, offset: int) -> Iterator[Cell]:
    offsets = dict(_members(text, offset))
    decoder = json.JSONDecoder()
    if "source" not in offsets or "cell_type" not in offsets:
        return
    if decoder.raw_decode(text, offsets["cell_type"])[0] != "code":
        return
    start = offsets["source"]
    strings = [start] if text[start] == '"' else list(_elements(text, start))
    found = [(string + 1, scanstring(text, string + 1)) for string in strings]
    if found:
        source = "".join(value for _, (value, _) in found)
        yield Cell(source, tuple((first, end - 1) for first, (_, end) in found))


def _skip(text: str, offset: int) -> int:
    found = _SPACE.match(text, offset)
    return found.end() if found else offset


def _members(text: str, offset: int) -> Iterator[tuple[str, int]]:
    """Yield the keys of a JSON object, and the offset of each value."""
    if text[offset] != "{":
        raise NotebookError("an object was expected")
    decoder = json.JSONDecoder()
    offset = _skip(text, offset + 1)
    while text[offset] != "}":
        key, end = scanstring(text, offset + 1)
        offset = _skip(text, _skip(text, end) + 1)
        yield key, offset
        offset = _skip(text, decoder.raw_decode(text, offset)[1])
        if text[offset] == ",":
            offset = _skip(text, offset + 1)


def _elements(text: str, offset: int) -> Iterator[int]:
    """Yield the offsets of the elements of a JSON list."""
    if text[offset] != "[":
        raise NotebookError("a list was expected")
    decoder = json.JSONDecoder()
    offset = _skip(text, offset + 1)
    while text[offset] != "]":
        yield offset
        offset = _skip(text, decoder.raw_decode(text, offset)[1])
        if text[offset] == ",":
            offset = _skip(text, offset + 1)
