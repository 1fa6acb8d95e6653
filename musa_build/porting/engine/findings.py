"""The findings about one ported file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .capability import CAPABILITY_IDENTIFIERS, MEMBERS, OF_READ, OF_TEST
from .edits import (
    ARCH_GUARD,
    GCC_GUARD,
    INCLUDE,
    INLINE_PTX,
    OLDER_CXX,
    PRAGMA,
    VERSION_GUARD,
    Edit,
    Finding,
    Remark,
    Severity,
    edits_in,
)
from .hazards import (
    DEVICE_IDENTIFIERS,
    HAZARD_IDENTIFIERS,
    HAZARDS,
    Target,
    remarks_on_code,
    remarks_on_grid_barriers,
    remarks_on_names,
    remarks_on_pasting,
    remarks_on_shared_memory,
)
from .identifiers import LIBRARY_NAMES
from .rewrites import ARCH, DISPATCH_KEYS, VERSION_MACROS

if TYPE_CHECKING:
    from .bare_keys import BareKeys
    from .scanner import Include
    from .translate import ResolveInclude, Translation, Translator

# Libraries that keep their names and headers on MUSA.
_UNCHANGED_LIBRARIES = ("cub/", "thrust/", "cooperative_groups")
# Edits that are reported with the line before and after; the name of the rule is the code of the finding.
_REPORTED = (ARCH_GUARD, VERSION_GUARD, GCC_GUARD, OLDER_CXX)
_OF_HAZARDS = HAZARD_IDENTIFIERS | DEVICE_IDENTIFIERS | CAPABILITY_IDENTIFIERS
# PyTorch's and DLPack's names that compile without CUDA, too.
_OF_CUDA_ALONE = frozenset({"hasCUDA", "lazyInitCUDA", "CUDABit", "kDLCUDA", "kDLCUDAHost", "kDLCUDAManaged"})
_OF_CUDA = re.compile(r"(?i)cuda|cudnn|nccl|^nv/target$")
_KEYS = DISPATCH_KEYS | {"cuda"}
# Each begins with plain characters, which the regular-expression engine finds fast.
_TORCH = tuple(rf"{name}(?<!\w{name})\s*::" for name in ("torch", "c10", "at"))
_TORCH += (r"TORCH_LIBRARY(?<!\wTORCH_LIBRARY)", r"#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10)/")
_ONCE = frozenset(hazard.code for hazard in HAZARDS if hazard.once)


def findings_of(
    translation: Translation, path: str, translator: Translator, resolve_include: ResolveInclude, target: Target
) -> tuple[Finding, ...]:
    """Return all findings about one file, in the order of its lines. `path` is its name in the findings."""
    identifiers = translation.identifiers
    if not identifiers:
        return ()
    remarks = [*_includes(translation, translator, resolve_include)]
    if translator.rules.has_defaults:
        remarks += _guards(translation)
        remarks += _assembly(translation)
        classifier = translator.classifier
        remarks += _hazards(translation, classifier.rewritten, target)
        remarks += _absent(translation, identifiers & translator.absent_in_simulator)
        remarks += _left_overs(translation, identifiers & classifier.left_over)
        remarks += _strings(translation, translator)
    remarks.sort(key=lambda remark: remark.offset)
    findings, line, position = [], 1, 0
    for remark in remarks:
        line += translation.source.count("\n", position, remark.offset)
        position = remark.offset
        findings.append(Finding(remark.code, remark.severity, path, line, remark.message))
    return tuple(findings)


def _guards(translation: Translation) -> Iterator[Remark]:
    """Yield the changed conditions with their lines before and after, and the translation's own remarks."""
    for edit in translation.edits:
        is_rename = edit.replacement == "__MUSA_ARCH__"
        if edit.rule in _REPORTED and not is_rename:
            before, after = _line_before_and_after(translation, edit)
            yield Remark(edit.start, edit.rule, Severity.NOTE, f"{before} became {after}")
    yield from _gathered(_architecture_numbers(translation), translation.source)
    yield from translation.remarks


def _architecture_numbers(translation: Translation) -> Iterator[Remark]:
    """Yield the uses of the architecture's number that porting renamed outside of conditions."""
    numbers = ("__MUSA_ARCH__", "__MUSA_MINIMUM_ARCH__")
    renamed = [edit for edit in translation.edits if edit.replacement in numbers and edit.rule != PRAGMA]
    if not renamed:
        return
    from .printed import is_printed

    code = translation.layout.code_without_literals
    for edit in renamed:
        line = code[code.rfind("\n", 0, edit.start) + 1 : edit.start]
        is_condition = edit.replacement == "__MUSA_ARCH__" and re.match(r"[ \t]*#[ \t]*(?:(?:el)?if|undef)", line)
        if not (is_condition or re.search(r"(?:!|\bdefined)[\s(]*\Z", line) or is_printed(code, edit.start)):
            message = (
                f"{edit.replacement} is used as a number here; its values are 210, 220, 310: "
                "check what it is compared with"
            )
            yield Remark(edit.start, ARCH_GUARD, Severity.WARNING, message)


def _assembly(translation: Translation) -> Iterator[Remark]:
    """Yield the outcomes for asm statements. A statement that was left in a file without device code is not PTX."""
    has_device_code = not translation.identifiers.isdisjoint(DEVICE_IDENTIFIERS)
    for outcome in translation.assembly:
        if not outcome.reason:
            names = ", ".join(dict.fromkeys(outcome.instructions)) or "no instruction"
            yield Remark(outcome.offset, INLINE_PTX, Severity.NOTE, f"inline PTX became C++: {names}")
        elif has_device_code:
            message = f"inline PTX was left as it is, and MUSA has none: {outcome.reason}; rewrite it in C++"
            yield Remark(outcome.offset, "inline-assembly", Severity.WARNING, message)


def _line_before_and_after(translation: Translation, edit: Edit) -> tuple[str, str]:
    source = translation.source
    start = source.rfind("\n", 0, edit.start) + 1
    end = source.find("\n", edit.end)
    end = len(source) if end < 0 else end
    position, pieces = start, []
    for other in edits_in(translation.edits, start, end):
        if start <= other.start and other.end <= end:
            pieces += [source[position : other.start], other.replacement]
            position = other.end
    return source[start:end].strip(), ("".join(pieces) + source[position:end]).strip()


def _on_capability(translation: Translation) -> Iterator[Remark]:
    identifiers, index = translation.identifiers, translation.identifier_index
    if identifiers.isdisjoint(CAPABILITY_IDENTIFIERS - MEMBERS):
        majors = index.offsets("major") if "major" in identifiers else ()
        if not any(translation.source.endswith((".", "->"), 0, at) for at in majors):  # "row major" is in many files
            return
    from .capability_uses import capability_uses  # few trees have host code of this kind

    uses = capability_uses(translation.layout, identifiers, index)
    lines = {
        translation.source.rfind("\n", 0, offset): offset for offset in reversed(uses.tests)
    }  # each line is reported once
    tests = sorted(lines.values())
    yield from (Remark(offset, "compute-capability", Severity.WARNING, OF_TEST) for offset in tests)
    reads = [Remark(offset, "compute-capability", Severity.WARNING, OF_READ) for offset in uses.reads]
    yield from _gathered(reads, translation.source)


def _hazards(translation: Translation, rewritten: set[str], target: Target) -> Iterator[Remark]:
    layout, identifiers = translation.layout, translation.identifiers
    if identifiers.isdisjoint(_OF_HAZARDS) and identifiers.isdisjoint(rewritten):
        return
    reported: set[str] = set()
    for remark in (
        *remarks_on_code(layout, identifiers, target),
        *remarks_on_names(layout, identifiers & rewritten),
        *remarks_on_shared_memory(layout, identifiers, target),
        *remarks_on_pasting(layout, identifiers),
        *remarks_on_grid_barriers(layout, identifiers),
        *_on_capability(translation),
    ):
        if remark.code == "unsupported-api" and _is_ported(translation, remark.offset):
            continue
        if remark.message not in reported and layout.is_plain_code(remark.offset, remark.offset + 1):
            if remark.code in _ONCE:
                reported.add(remark.message)
            yield remark


def _is_ported(translation: Translation, offset: int) -> bool:
    """Return whether a rule replaced more than the name at `offset`: the whole call."""
    edits = edits_in(translation.edits, offset, offset + 1)
    return any(not translation.source[edit.start : edit.end].isidentifier() for edit in edits)


def _includes(translation: Translation, translator: Translator, resolve_include: ResolveInclude) -> Iterator[Remark]:
    rules = translator.rules
    for include in translation.layout.includes:
        if translation.used_rules and _rewritten_by_user(translation, include):
            default = rules.header(include.path)
            if default is not None and resolve_include(include) is None and default not in translation.text:
                message = f"your rule rewrote the header {include.path}; without the rule it would be {default}"
                yield Remark(include.start, "rule-on-header", Severity.NOTE, message)
        elif _is_of_cuda(include.path) and (resolve_include(include) or rules.header(include.path)) is None:
            message = f"no MUSA counterpart of the header {include.path} is known; it was left as it is"
            yield Remark(include.start, "unknown-header", Severity.WARNING, message)


def _rewritten_by_user(translation: Translation, include: Include) -> bool:
    return any(edit.rule != INCLUDE for edit in edits_in(translation.edits, include.start, include.end))


def _is_of_cuda(include_path: str) -> bool:
    if include_path.startswith(_UNCHANGED_LIBRARIES):
        return False
    return (
        _OF_CUDA.search(include_path) is not None
        or include_path.startswith("THC")
        or include_path.endswith((".cuh", ".cu"))
    )


def _absent(translation: Translation, identifiers: frozenset[str]) -> Iterator[Remark]:
    """Yield a remark for each name whose counterpart the simulator lacks, at its first edit."""
    starts = {translation.source[edit.start : edit.end]: edit for edit in reversed(translation.edits)}
    for identifier in sorted(identifiers & starts.keys()):
        edit = starts[identifier]
        message = f"{edit.replacement} ({identifier}) is not in the simulated SDK; the code does not compile there"
        yield Remark(edit.start, "not-in-simulator", Severity.NOTE, message)


def _left_overs(translation: Translation, identifiers: frozenset[str]) -> Iterator[Remark]:
    """Yield one remark for each identifier that still looks like CUDA's, at its first occurrence."""
    edited = bytearray(len(translation.source))
    for edit in translation.edits:
        edited[edit.start : edit.end] = b"\1" * (edit.end - edit.start)
    is_plain_code = translation.layout.is_plain_code
    keys = _bare_keys(translation) if not identifiers.isdisjoint(_KEYS) else None
    for identifier in sorted(identifiers):
        offsets = [
            start
            for start in translation.identifier_index.offsets(identifier)
            if edited.find(1, start, start + len(identifier)) < 0 and is_plain_code(start, start + len(identifier))
        ]
        if keys is not None and identifier in _KEYS:
            doubtful = keys.doubtful(identifier, offsets)
            yield from _gathered(doubtful.values(), translation.source)
            offsets = [at for at in offsets if at not in doubtful]
        if offsets:
            yield _left_over(identifier, offsets)
    if keys is not None and translation.layout.pastes:
        yield from _gathered(keys.pasted(translation.edits), translation.source)


def _bare_keys(translation: Translation) -> BareKeys:
    from .bare_keys import BareKeys  # few files have such a word

    return BareKeys(translation.layout, names_devices=_uses_torch(translation.source))


def _uses_torch(source: str) -> bool:
    return any(re.search(pattern, source) for pattern in _TORCH)


def _strings(translation: Translation, translator: Translator) -> Iterator[Remark]:
    layout, index = translation.layout, translation.identifier_index
    offsets = {at for identifier in translation.identifiers for at in index.offsets(identifier)}
    if any(map(layout.literals_at, offsets.union(layout.joined_literals))):
        from .string_findings import remarks_on_strings  # few files have CUDA in a string literal

        found = remarks_on_strings(translation, translator.rules, _uses_torch(translation.source))
        yield from _gathered(found, translation.source)


def _left_over(name: str, offsets: list[int]) -> Remark:
    times = f" ({len(offsets)} times)" if len(offsets) > 1 else ""
    if name in VERSION_MACROS or name == "__CUDA_ARCH_LIST__":
        message = f"{name} is not defined on MUSA, so this condition may flip{times}"
        code = VERSION_GUARD if name in VERSION_MACROS else ARCH_GUARD
        return Remark(offsets[0], code, Severity.WARNING, message)
    if name == ARCH:
        message = f"a condition on __CUDA_ARCH__ that has no translation was left as it is{times}"
        return Remark(offsets[0], "arch-guard", Severity.WARNING, message)
    of_library = next((message for pattern, message in LIBRARY_NAMES if pattern.fullmatch(name)), None)
    if of_library is not None:
        return Remark(offsets[0], "left-over", Severity.WARNING, f"{name} {of_library}{times}")
    if name in _OF_CUDA_ALONE:
        message = (
            f"{name} is only about CUDA devices: on MUSA it is false, fails, or means a device that no tensor is on"
            f"{times}"
        )
        return Remark(offsets[0], "left-over", Severity.WARNING, message)
    return Remark(offsets[0], "left-over", Severity.NOTE, f"{name} was left as it is{times}")


_MOST = 6  # findings of one kind that a file has one by one
_MOST_LISTED = 20  # others that a finding lists
_QUOTED = r'"[^"]*"'


def _gathered(remarks: Iterable[Remark], source: str) -> list[Remark]:
    """Return `remarks` in the order of their offsets: each message once in a line.

    Messages are of one kind if they only differ in their quotations. If a kind has more than a few, the first one lists
    the lines of the others, with their quotations if these differ.
    """
    kinds: dict[tuple[str, str], dict[tuple[int, str], Remark]] = {}
    line, position = 1, 0
    for remark in sorted(remarks):
        line += source.count("\n", position, remark.offset)
        position = remark.offset
        kind = remark.code, re.sub(_QUOTED, '""', remark.message)
        kinds.setdefault(kind, {}).setdefault((line, remark.message), remark)
    return sorted(remark for found in kinds.values() for remark in _of_kind(found))


def _of_kind(found: dict[tuple[int, str], Remark]) -> Sequence[Remark]:
    """Return the remarks of one kind, given by line and message; of many, one that lists them."""
    (_, message), *others = found
    if len(found) <= _MOST:
        return [*found.values()]
    if all(other == message for _, other in others):
        listed = [str(line) for line, _ in others]
        begin = "as in lines "
    else:
        listed = [f"{''.join(re.findall(_QUOTED, other)[:1])} in line {line}" for line, other in others]
        begin = "the same holds of "
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    return [found[next(iter(found))]._replace(message=f"{message} ({begin}{', '.join(listed[:_MOST_LISTED])}{more})")]
