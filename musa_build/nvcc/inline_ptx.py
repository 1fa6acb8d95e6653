"""Hand mcc the translations of inline PTX and of what only nvcc accepts, under the names of the user's own files.

A source and what it includes of the project are searched for asm statements, and for nvcc's own syntax. The
translations go into a cache, and clang's virtual file system shows them in place of the originals: line numbers,
dependency files and debug information name the user's files, and each translation takes as many lines as the statement.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..porting.engine.edits import Edit

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_ASM = re.compile(rb"\b(?:asm|__asm__|__asm|__cvta_\w+)\b")
_SYNTAX = re.compile(
    rb"^[ \t]*#[ \t]*define\b.*#[ \t]*pragma\b|<<\s+<|<\s+<<|\b__shared__[\s\\]*(?:alignas\b|\[)", re.MULTILINE
)
_FOLDER_FLAGS = ("-I", "-isystem", "-iquote", "-idirafter")
#: How many translations a toolkit keeps.
_MOST = 512


class Left(NamedTuple):
    """A statement without translation, and where it begins."""

    path: str
    line: int
    reason: str

    @property
    def text(self) -> str:
        return f"nvcc: {self.path}:{self.line}: inline PTX without translation: {self.reason}"


class Overlay(NamedTuple):
    """The flags that show mcc the translations, the statements without one, and the translated files."""

    flags: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    shown: Mapping[str, str] = {}


class _Translation(NamedTuple):
    """A translated file: its text (empty if nothing changed), and the statements that were left."""

    text: bytes
    headers: tuple[str, ...]
    left: tuple[Left, ...]


def include_folders(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the folders in which a command of clang searches for includes."""
    found = []
    for index, word in enumerate(argv):
        for flag in _FOLDER_FLAGS:
            if word == flag and index + 1 < len(argv):
                found.append(argv[index + 1])
            elif word.startswith(flag) and len(word) > len(flag) and flag != "-isystem":
                found.append(word[len(flag) :].removeprefix("="))
    return tuple(os.path.abspath(folder) for folder in found)


def overlay(source: str, folders: Sequence[str], root: str, sdk: str) -> Overlay:
    """Translate a source and its includes, but for those of the SDK, whose assembly is MUSA's own.

    `root` is the toolkit's folder, which has the cache.
    """
    files = _files_to_translate(source, folders, (root + os.sep, sdk + os.sep))
    if not files:
        return Overlay()
    cache = os.path.join(root, "ptx")
    os.makedirs(cache, exist_ok=True)
    shown: dict[str, str] = {}
    left: list[Left] = []
    needed: set[str] = set()
    for path, content in files.items():
        stored = os.path.join(cache, hashlib.sha256(content).hexdigest()[:32])
        translation = _translated(path, content)
        left += translation.left
        if translation.text:
            _write(stored, translation.text)
            shown[path] = stored
            needed.update(translation.headers)
    if not shown:
        return Overlay(left=tuple(left))
    headers = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "toolchain", "cxx_headers")
    includes = [word for name in sorted(needed) for word in ("-include", os.path.join(headers, name))]
    return Overlay((f"-ivfsoverlay{_overlay_file(cache, shown)}", *includes), tuple(left), shown)


def _files_to_translate(source: str, folders: Sequence[str], others: tuple[str, ...]) -> dict[str, bytes]:
    """Return the project's files that a source includes and that may need a translation, with their contents."""
    seen: set[str] = set()
    found: dict[str, bytes] = {}
    waiting = [os.path.abspath(source)]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            with open(path, "rb") as stream:
                content = stream.read()
        except OSError:
            continue
        if _ASM.search(content) or _SYNTAX.search(content) or _has_one_sided_constexpr(content):
            found[path] = content
        for quote, name in _INCLUDE.findall(content):
            own = [os.path.dirname(path)] if quote == b'"' else []
            for folder in (*own, *folders):
                candidate = os.path.normpath(os.path.join(folder, os.fsdecode(name)))
                if os.path.isfile(candidate):
                    if not candidate.startswith(others):
                        waiting.append(candidate)
                    break
    return found


def _has_one_sided_constexpr(content: bytes) -> bool:
    if b"constexpr" not in content or (b"__device__" not in content and b"__host__" not in content):
        return False
    from ..porting.engine.nvcc_syntax import one_sided_constexpr

    return next(one_sided_constexpr(content.decode("latin-1")), None) is not None


def _translated(path: str, content: bytes) -> _Translation:
    from ..porting.engine.edits import INLINE_PTX
    from ..porting.engine.identifiers import IdentifierIndex
    from ..porting.engine.inline_ptx.rewrite import headers_of, rewrite
    from ..porting.engine.nvcc_syntax import nvcc_syntax
    from ..porting.engine.scanner import scan

    text = content.decode("latin-1")  # one character per byte, as porting reads sources
    layout = scan(text)
    result = rewrite(text, layout, IdentifierIndex(content), tuple(nvcc_syntax(layout)))
    pieces, position = [], 0
    for edit in sorted(result.edits, key=lambda each: (each.start, each.end)):
        if edit.start == edit.end and edit.rule == INLINE_PTX:
            continue  # an #include, which -include gives
        pieces += [text[position : edit.start], _on_as_many_lines(edit, text)]
        position = edit.end
    left = tuple(
        Left(path, text.count("\n", 0, outcome.offset) + 1, outcome.reason)
        for outcome in result.outcomes
        if not outcome.instructions
    )
    if not pieces:
        return _Translation(b"", (), left)
    new = "".join(pieces) + text[position:]
    return _Translation(new.encode("latin-1"), headers_of([new]) if "musa_ptx::" in new else (), left)


def _on_as_many_lines(edit: Edit, text: str) -> str:
    """Return a replacement on one line, but for directives, followed by the line ends that the original had more.

    They are continued if those of the original were, as in a macro.
    """
    old = text[edit.start : edit.end]
    end = "\\\n" if "\\\n" in old else "\n"
    lines = [""]
    for line in re.sub(r"[ \t]*\\?$", "", edit.replacement, flags=re.MULTILINE).split("\n"):
        if line.lstrip().startswith("#"):
            lines += [line, ""]
        else:
            lines[-1] = f"{lines[-1]} {line.strip()}" if lines[-1] else line
    return "\n".join(lines) + end * (old.count("\n") - len(lines) + 1)


def _overlay_file(cache: str, shown: dict[str, str]) -> str:
    import json

    roots = [{"type": "file", "name": path, "external-contents": file} for path, file in sorted(shown.items())]
    text = json.dumps({"version": 0, "case-sensitive": "true", "use-external-names": "false", "roots": roots}).encode()
    path = os.path.join(cache, hashlib.sha256(text).hexdigest()[:32] + ".yaml")
    _write(path, text)
    return path


def _write(path: str, content: bytes) -> None:
    """Write a file of the cache, whose name says its content, and remove the oldest ones if there are too many."""
    try:
        os.utime(path)
        return
    except FileNotFoundError:
        pass
    folder = os.path.dirname(path)
    temporary = f"{path}.{os.urandom(6).hex()}"
    with open(temporary, "wb") as stream:
        stream.write(content)
    os.replace(temporary, path)
    entries = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime)
    for entry in entries[: max(0, len(entries) - _MOST)]:
        os.unlink(entry.path)
