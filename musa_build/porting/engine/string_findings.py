"""The findings about the string literals of one ported file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .edits import Remark, Severity, edits_in
from .named_strings import NamedString, device_strings, is_harmless, named_strings
from .read_strings import NAME, is_used_so, literals, reading_of, without_escapes

if TYPE_CHECKING:
    from .read_strings import Literal
    from .rules import RuleSet
    from .translate import Translation


def remarks_on_strings(translation: Translation, rules: RuleSet, names_devices: bool) -> Iterator[Remark]:
    """Yield a warning for each literal that says CUDA to what reads it at run time, unless it is seen to be harmless.

    With `names_devices`, "cuda" may name a device, as in code that uses PyTorch.
    """
    found = [*literals(translation.layout, translation.identifiers, translation.identifier_index)]
    devices = {remark.offset: remark for remark in _devices(translation, found)} if names_devices else {}
    named = {remark.offset: remark for remark in _named(translation, found, rules)}
    yield from devices.values()
    yield from named.values()
    for remark in _read(translation, found, rules):
        if remark.offset not in devices and remark.offset not in named:
            yield remark


def _devices(translation: Translation, found: Sequence[Literal]) -> Iterator[Remark]:
    for at, name in device_strings(translation.layout, found):
        if not edits_in(translation.edits, at, at + len(name)):
            message = f'"{name}" may name a device or a dispatch key: on MUSA they are "musa" and "PrivateUse1"'
            if name.lower() == "nccl":
                message = f'"{name}" may name the backend of torch.distributed: that of torch_musa is "mccl"'
            yield Remark(at, NAME, Severity.WARNING, message)


def _named(translation: Translation, found: Sequence[Literal], rules: RuleSet) -> Iterator[Remark]:
    """Yield a warning for each literal that is a name which the code no longer has."""
    source, layout, index = translation.source, translation.layout, translation.identifier_index
    names = [*named_strings(layout, found, rules.new_name)]
    edited = {source[edit.start : edit.end] for edit in translation.edits} if names else set()
    in_code = {
        name: any(layout.is_plain_code(at, at + len(name)) for at in index.offsets(name))
        for name in {literal.content for literal in names}
    }
    for literal in names:
        is_kept = in_code[literal.content] and literal.content not in edited
        is_edited = edits_in(translation.edits, literal.start, literal.end)
        if not (is_edited or is_kept or is_harmless(layout, literal)):
            yield Remark(literal.start, NAME, Severity.WARNING, literal.message)


def _read(translation: Translation, found: Sequence[Literal], rules: RuleSet) -> Iterator[Remark]:
    """Yield a warning for each literal that says CUDA to its reader, also in the port."""
    layout = translation.layout
    of_assembly = re.compile(
        r"\b(?:asm|__asm|__asm__)\s*(?:(?:volatile|__volatile__|goto)\s*)*\(\s*\Z"
    )  # has findings of its own
    for quote, start, end, content in found:
        if of_assembly.search(layout.code, max(0, quote - 60), quote):
            continue
        text = without_escapes(_ported(translation, start, end)) if edits_in(translation.edits, start, end) else content
        reading = reading_of(text, rules.new_name, rules.header)
        if reading is None or is_harmless(layout, NamedString(start, end, content, "", False)):
            continue
        if is_used_so(reading.use, layout.code_without_literals, quote, end + 1):
            yield Remark(start, reading.code, Severity.WARNING, reading.message)


def _ported(translation: Translation, start: int, end: int) -> str:
    position = start
    pieces: list[str] = []
    for edit in edits_in(translation.edits, start, end):
        pieces += (translation.source[position : edit.start], edit.replacement)
        position = edit.end
    return "".join(pieces) + translation.source[position:end]
