"""What renaming cannot port, or has done and wants seen: found in code and reported, never hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from musa_build.porting.edits import Finding, Severity
from musa_build.porting.guards import VERSION_MACROS
from musa_build.porting.rules import RuleSet
from musa_build.porting.scanner import WORD, Include, OffsetSet
from musa_build.porting.translate import GUARD, INCLUDE, ResolveInclude, Translation, new_include_path


@dataclass(frozen=True)
class Hazard:
    """A pattern over code that needs a person. `code` is stable."""

    code: str
    pattern: re.Pattern[str]
    message: str


HAZARDS = (
    Hazard(
        "inline-assembly",
        re.compile(r"\b(?:asm|__asm|__asm__)\s*(?:volatile|__volatile__)?\s*\("),
        "inline PTX does not assemble for MUSA: rewrite it in C++ or with an intrinsic",
    ),
    Hazard(
        "texture",
        re.compile(r"\btexture\s*<|\b(?:cudaTextureObject_t|cudaSurfaceObject_t)\b|\b(?:tex|surf)[123]D\w*\s*[(<]"),
        "textures and surfaces are renamed but not checked against what MUSA supports",
    ),
    Hazard(
        "cudnn",
        re.compile(r"\bcudnn[A-Z]\w*|\bCUDNN_\w+"),
        "cuDNN has no counterpart of the same shape: muDNN is another API and the call must be rewritten",
    ),
    Hazard(
        "unsynchronised-warp-function",
        re.compile(r"\b__(?:shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all)\s*\("),
        "warp functions without _sync are deprecated or absent on MUSA: use the _sync form",
    ),
)

# An identifier that still speaks of CUDA after porting. The package's own names (WITH_CUDA, foo_cuda) are among them: a
# reader can tell them from forgotten API, a program cannot.
_LEFT_OVER = re.compile(r"\w*(?:cuda|CUDA|Cuda)\w*|cu(?:blas|fft|rand|solver|sparse)\w*|nccl\w*|nvrtc\w*|nvtx\w*")

# Libraries that keep their names and headers on MUSA.
_UNCHANGED_LIBRARIES = ("cub/", "thrust/", "cooperative_groups")


def findings(
    translation: Translation, path: str, rules: RuleSet, resolve_include: ResolveInclude
) -> tuple[Finding, ...]:
    """Everything a person should know about one ported file, in the order of its lines. `path` is its name there."""
    found = (
        *_guards(translation),
        *_hazards(translation),
        *_includes(translation, rules, resolve_include),
        *_left_overs(translation),
    )
    ordered = sorted(found, key=lambda remark: remark.offset)
    return tuple(Finding(r.code, r.severity, path, translation.line_of(r.offset), r.message) for r in ordered)


@dataclass(frozen=True)
class _Remark:
    """A finding that does not know its line yet."""

    offset: int
    code: str
    severity: Severity
    message: str


def _guards(translation: Translation) -> Iterator[_Remark]:
    for edit in translation.edits:
        before = translation.source[edit.start : edit.end]
        if edit.rule == GUARD and before != "__CUDA_ARCH__":
            yield _Remark(edit.start, "arch-guard", Severity.NOTE, f"{before} became {edit.replacement}")


def _hazards(translation: Translation) -> Iterator[_Remark]:
    for hazard in HAZARDS:
        for match in hazard.pattern.finditer(translation.source):
            if translation.layout.is_plain_code(match.start(), match.start() + 1):
                yield _Remark(match.start(), hazard.code, Severity.WARNING, hazard.message)


def _includes(translation: Translation, rules: RuleSet, resolve_include: ResolveInclude) -> Iterator[_Remark]:
    for include in translation.layout.includes:
        if _rewritten_by_user(translation, include):
            default = rules.headers.get(include.path)
            if default is not None and resolve_include(include) is None and default not in translation.text:
                message = f"your rule rewrote the header {include.path}; without the rule it would be {default}"
                yield _Remark(include.start, "rule-on-header", Severity.NOTE, message)
        elif new_include_path(include, rules, resolve_include) is None and _speaks_of_cuda(include.path):
            message = f"no MUSA counterpart of the header {include.path} is known; it was left as it is"
            yield _Remark(include.start, "unknown-header", Severity.WARNING, message)


def _rewritten_by_user(translation: Translation, include: Include) -> bool:
    return any(
        edit.rule != INCLUDE and edit.start < include.end and edit.end > include.start for edit in translation.edits
    )


def _speaks_of_cuda(include_path: str) -> bool:
    if include_path.startswith(_UNCHANGED_LIBRARIES):
        return False
    return "cuda" in include_path.lower() or include_path.endswith((".cuh", ".cu"))


def _left_overs(translation: Translation) -> Iterator[_Remark]:
    """One remark per identifier that still speaks of CUDA."""
    edited = OffsetSet(len(translation.source))
    for edit in translation.edits:
        edited.add(edit.start, edit.end)
    seen: dict[str, list[int]] = {}
    for word in WORD.finditer(translation.source):
        start, end = word.span()
        speaks_of_cuda = _LEFT_OVER.fullmatch(word[0]) and translation.layout.is_plain_code(start, end)
        if speaks_of_cuda and not edited.touches(start, end):
            seen.setdefault(word[0], []).append(start)
    for name, offsets in seen.items():
        yield _left_over(name, offsets)


def _left_over(name: str, offsets: list[int]) -> _Remark:
    times = f" ({len(offsets)} times)" if len(offsets) > 1 else ""
    if name in VERSION_MACROS:
        message = f"{name} is not defined on MUSA, so this condition may flip{times}"
        return _Remark(offsets[0], "version-guard", Severity.WARNING, message)
    if name == "__CUDA_ARCH__":
        message = f"a condition on __CUDA_ARCH__ that has no translation was left as it is{times}"
        return _Remark(offsets[0], "arch-guard", Severity.WARNING, message)
    return _Remark(offsets[0], "left-over", Severity.NOTE, f"{name} was left as it is{times}")
