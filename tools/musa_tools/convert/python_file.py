"""Convert one Python file, bytes to bytes."""

from __future__ import annotations

import ast
import warnings

from .candidates import is_candidate
from .edits import Edit, EditError, Note, apply, without_inner
from .launch import binds_torch, imports_torch_musa
from .map_location import MapLocations
from .results import UNCHANGED, Converted, Options, described
from .scopes import Scope
from .source import Offsets, Source, UnreadableError, read_source
from .walker import Walker


def parse(code: bytes) -> ast.Module:
    """Parse without warnings, which concern the runs of the file.

    Raises:
        SyntaxError: It is not Python, or Python 2.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code.decode())  # as text: the cookie of another encoding has been followed
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error)) from error


def convert_python(content: bytes, options: Options, launch: bool = False) -> Converted:
    """Convert a Python file. `launch` adds `import torch_musa`."""
    if not launch and not options.all_scripts and not is_candidate(content, options.messages):
        return UNCHANGED
    try:
        source = read_source(content)
        edits, notes = convert_source(source, options, launch)
        if edits:
            content = source.encoding.encode(apply(source.code, edits))
    except UnreadableError as error:
        return Converted(error=str(error))
    except EditError as error:
        return Converted(error=f"a fault of the converter, please report it: {error}")
    except SyntaxError as error:
        return Converted(error=f"line {error.lineno}: {error.msg}" if error.lineno else str(error))
    return described(source, edits, notes, content if edits else None)


def add_launch_import(content: bytes) -> Converted:
    """Add `import torch_musa` to a file that is otherwise left as it is."""
    try:
        source = read_source(content)
        edits = imports_torch_musa(source, parse(source.code))
    except (UnreadableError, SyntaxError) as error:
        return Converted(error=str(error))
    return described(source, edits, [], source.encoding.encode(apply(source.code, edits)) if edits else None)


def convert_source(source: Source, options: Options, launch: bool) -> tuple[list[Edit], list[Note]]:
    """Return the edits and notes for decoded text.

    Raises:
        SyntaxError: The text is not Python.
    """
    tree = parse(source.code)
    try:
        walker = _walked(source, tree, options)
    except RecursionError as error:
        raise SyntaxError("expressions are nested too deeply") from error
    edits = without_inner(list(walker.findings.edits.values()))
    _check(source, tree, edits)
    if launch or (options.all_scripts and _is_script(tree)):
        edits += imports_torch_musa(source, tree)
    return sorted(edits), sorted(walker.findings.notes)


def _walked(source: Source, tree: ast.Module, options: Options) -> Walker:
    """Walk until no new function for `map_location` is found: most are defined above the call that names them."""
    locations = MapLocations()
    while True:
        known = len(locations)
        walker = Walker(source, Scope(tree, None, locations), options.messages)
        walker.walk()
        if len(locations) == known:
            return walker


def _check(source: Source, tree: ast.Module, edits: list[Edit]) -> None:
    """Parse the statements that were edited; the rest of the file has been parsed.

    Raises:
        SyntaxError: An edit is wrong.
        EditError: Edits overlap, or one lies outside of all statements.
    """
    offsets = Offsets(source.line_starts)
    remaining = sorted(edits, reverse=True)
    for node in tree.body:
        end = offsets.end(node)
        inside = []
        while remaining and remaining[-1].end <= end:
            inside.append(remaining.pop())
        if inside:
            start = min(offsets.start(each) for each in [node, *getattr(node, "decorator_list", ())])
            start -= source.code[start - 1 : start] == b"@"
            moved = [Edit(edit.start - start, edit.end - start, edit.new, edit.rule) for edit in inside]
            parse(apply(source.code[start:end], moved))
    if remaining:
        raise EditError(f"at byte {remaining[-1].start}, no statement stands")


def _is_script(tree: ast.Module) -> bool:
    """Whether a file imports torch and has a guard `if __name__ == "__main__"`."""
    guarded = any(
        isinstance(node, ast.If) and any(getattr(each, "id", "") == "__name__" for each in ast.walk(node.test))
        for node in tree.body
    )
    return guarded and any(binds_torch(node) for node in tree.body)
