"""Replace the words everywhere, as torch_musa does: also in names, comments and texts."""

from __future__ import annotations

import ast
import re

from .edits import Edit, apply
from .launch import imports_torch_musa
from .python_file import parse
from .results import Converted, Options, described
from .source import Offsets, Source, UnreadableError, read_source

_WORDS = {b"CUDA": b"MUSA", b"cuda": b"musa", b"NCCL": b"MCCL", b"nccl": b"mccl", b"nvcc": b"mcc"}
_WORD = re.compile(b"|".join(_WORDS))
_MODULES = ((re.compile(rb"torch\.cuda"), b"torch_musa"), (re.compile(rb"torch\.musa"), b"torch_musa"))
_EXTENSION = re.compile(rb"torch\.utils\.cpp_extension")


def convert_textually(content: bytes, options: Options, launch: bool = False) -> Converted:
    """Replace words in a whole Python file; modules of import statements get torch_musa's names."""
    if not launch and not _WORD.search(content):
        return Converted()
    try:
        source = read_source(content)
        tree = parse(source.code)
        edits = _edits(source, tree)
        if launch:
            edits += imports_torch_musa(source, tree)
        code = apply(source.code, edits)
        parse(code)
    except UnreadableError as error:
        return Converted(error=str(error))
    except SyntaxError as error:
        return Converted(error=f"line {error.lineno}: {error.msg}")
    return described(source, sorted(edits), [], source.encoding.encode(code) if edits else None)


def _edits(source: Source, tree: ast.Module) -> list[Edit]:
    offsets = Offsets(source.line_starts)
    found: list[Edit] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            start, end = offsets.start(node), offsets.end(node)
            rules = [*_MODULES, (_EXTENSION, b"torch_musa.utils.musa_extension")]
            for pattern, new in rules if isinstance(node, ast.ImportFrom) else rules[:2]:
                found += [Edit(*each.span(), new, "textual") for each in pattern.finditer(source.code, start, end)]
    modules = [(edit.start, edit.end) for edit in found]
    for each in _WORD.finditer(source.code):
        if not any(start <= each.start() < end for start, end in modules):
            found.append(Edit(*each.span(), _WORDS[each.group()], "textual"))
    return found
