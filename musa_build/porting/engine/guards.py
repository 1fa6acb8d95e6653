"""Conditions on `__CUDA_ARCH__` and on CUDA's version macros: numbers that mean something else on MUSA.

Renaming `__CUDA_ARCH__ >= 530` to `__MUSA_ARCH__ >= 530` would silently switch the code off, because MUSA counts 100,
210, 220, 310. So a comparison is parsed and its threshold translated as a number. If that is not possible, the guard
is left alone and reported, never renamed blindly.

CUDA's version macros do not exist on MUSA, and an undefined macro is 0 in #if: `CUDA_VERSION < 10020` would be true.
They get the values of an emulated CUDA version; `defined(CUDA_VERSION)` becomes a test for MUSA's counterpart.

`__GNUC__` is 4 for every clang, also for mcc, whatever it supports. Conditions that exclude so old a GCC must not
exclude a clang.

nvcc drops the bodies of kernels from its host pass. mcc is a clang and reads them in both passes. So a device function
in `#ifdef __CUDA_ARCH__ ... #endif`, which a kernel calls, has to be defined in both: `__MUSACC__` replaces
`__CUDA_ARCH__`.

Every `text` here is code alone: `Layout.code`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Optional

from ...errors import PortingError
from .rules import occurrences

if TYPE_CHECKING:
    from .scanner import Layout

# Not verified on MUSA hardware. (a, b): MUSA architectures from b on have the features of CUDA architectures up to a.
# 80 -> 220 (bf16, tensor cores) and 90 -> 310 are torchada's thresholds, 89 -> 310 because both mean fp8; that every
# MUSA GPU does what sm_75 does (half arithmetic, shuffles, double atomicAdd) is this project's assumption. Thresholds
# above 900 ask for what no MUSA GPU has, and keep a number that none reaches.
_MUSA_ARCH_UP_TO = ((750, 100), (880, 220), (900, 310))

# The CUDA version of everything that musa_build shows to a package: ported code, setup.py, the CUDA toolkit, its nvcc.
# A declared choice, not a fact about MUSA: docs/decisions/0055-cmake-builds-get-the-toolkit.md.
DEFAULT_EMULATED_CUDA = "12.4"

ARCH = "__CUDA_ARCH__"
# A version macro -> the macro of MUSA that exists where CUDA's would.
_MUSA_COUNTERPART = {
    "CUDA_VERSION": "MUSA_VERSION",
    "CUDART_VERSION": "MUSART_VERSION",
    "__CUDACC_VER_MAJOR__": "__MUSACC_VER_MAJOR__",
    "__CUDACC_VER_MINOR__": "__MUSACC_VER_MINOR__",
    "__CUDACC_VER_BUILD__": "__MUSACC_VER_BUILD__",
}
VERSION_MACROS = frozenset(_MUSA_COUNTERPART)
GCC = "__GNUC__"
GUARD_IDENTIFIERS = frozenset({ARCH, GCC, *VERSION_MACROS})


class Guard(NamedTuple):
    """A use of one of `GUARD_IDENTIFIERS` at `text[start:end]`; `replacement` is None where it cannot be translated."""

    macro: str
    start: int
    end: int
    replacement: Optional[str]


def musa_threshold(cuda_arch: int) -> int:
    """Return the `__MUSA_ARCH__` from which a MUSA GPU has the features of `cuda_arch` (a number such as 530)."""
    return next((musa for limit, musa in _MUSA_ARCH_UP_TO if cuda_arch <= limit), cuda_arch)


def version_values(emulated: str) -> Mapping[str, int]:
    """Return the values of CUDA's version macros for a version such as `12.4`.

    Raises:
        PortingError: `emulated` is not a version.
    """
    match = re.fullmatch(r"(\d{1,2})\.(\d)", emulated)
    if match is None:
        raise PortingError("the CUDA version to emulate cannot be read", found=emulated, wanted="something like 12.4")
    major, minor = int(match[1]), int(match[2])
    number = major * 1000 + minor * 10
    values = {"CUDA_VERSION": number, "CUDART_VERSION": number}
    return {**values, "__CUDACC_VER_MAJOR__": major, "__CUDACC_VER_MINOR__": minor, "__CUDACC_VER_BUILD__": 0}


def arch_guards(layout: Layout) -> Iterator[Guard]:
    """Yield every use of `__CUDA_ARCH__` in the code of `layout`, with its translation if there is one.

    Groups that are for the device pass alone become visible to the host pass, which reads them as the newest
    architecture would.
    """
    text, device_only = layout.code, [*_device_only_groups(layout)]
    conditions = {offset for offset, _, _ in device_only}
    for start in occurrences(text, ARCH):
        guard = _arch_guard(text, start, start + len(ARCH))
        if start in conditions:
            guard = guard._replace(replacement="__MUSACC__")
        elif guard.replacement is not None and any(begin < start < end for _, begin, end in device_only):
            guard = guard._replace(replacement=_in_both_passes(guard.replacement))
        yield guard


def _in_both_passes(condition: str) -> str:
    if "<" in condition:
        return f"(defined(__MUSA_ARCH__) && {condition})"
    return f"(!defined(__MUSA_ARCH__) || {condition})" if ">" in condition else condition


_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?P<name>if|ifdef|ifndef|elif|else|endif|define|undef|include)\b(?P<rest>.*)$", re.MULTILINE
)
_BARE = {
    "ifdef": re.compile(r"[ \t]+(__CUDA_ARCH__)[ \t\r]*\Z"),
    "if": re.compile(r"[ \t]*\(?[ \t]*defined[ \t]*\(?[ \t]*(__CUDA_ARCH__)[ \t]*\)?[ \t]*\)?[ \t\r]*\Z"),
}
# A definition, from __device__ to its brace; a lambda has no name before its parameters.
_FUNCTION = re.compile(r"__device__\s[^;{}()\]]*\w\s*\((?:[^;{}()]|\([^;{}()]*\))*\)\s*(?:const\s*|noexcept\s*)*\{")


def _device_only_groups(layout: Layout) -> Iterator[tuple[int, int, int]]:
    """Yield (offset of `__CUDA_ARCH__`, start and end of the guarded code) of groups that define device functions."""
    text = layout.code
    opened: list[tuple[int, int]] = []  # (offset, or -1 for a group of another kind; start of its content)
    for directive in _DIRECTIVE.finditer(text):
        if not layout.begins_in_code(directive.start("name") - 1):
            continue
        name = directive["name"]
        if name in ("if", "ifdef", "ifndef"):
            bare = _BARE[name].match(directive["rest"]) if name in _BARE else None
            offset = directive.start("rest") + bare.start(1) if bare else -1
            opened.append((offset, directive.end()))
        elif name == "endif" and opened:
            offset, begin = opened.pop()
            if offset >= 0 and _is_device_only(text[begin : directive.start()]):
                yield offset, begin, directive.start()
        elif name in ("else", "elif"):
            opened[-1:] = [(-1, directive.end())]
        else:  # code that the host pass would see too if the group were opened to it
            opened = [(-1, begin) for _, begin in opened]


def _is_device_only(content: str) -> bool:
    return "__host__" not in content and "HOST_DEVICE" not in content and _FUNCTION.search(content) is not None


_OLD_GCC = re.compile(r"__GNUC__[ \t]*(?P<operator><=?|==)[ \t]*(?P<number>\d+)\b(?![ \t]*[*+/.%-])")
_CLANGS_GNUC = 4


def gcc_guards(text: str) -> Iterator[Guard]:
    """Yield the comparisons in #if that match a GCC so old that every clang passes for it."""
    for start in occurrences(text, GCC):
        match = _OLD_GCC.match(text, start)
        if match is not None:
            end = text.find("\n", start)
            line = text[text.rfind("\n", 0, start) + 1 : len(text) if end < 0 else end]
            true = {"<": int.__gt__, "<=": int.__ge__, "==": int.__eq__}[match["operator"]]
            if _CONDITION.match(line) and "__clang__" not in line and true(int(match["number"]), _CLANGS_GNUC):
                yield Guard(GCC, start, match.end(), f"({match[0]} && !defined(__clang__))")


_CONDITION = re.compile(r"[ \t]*#[ \t]*(?:el)?if\b")


def version_guards(text: str, values: Mapping[str, int]) -> Iterator[Guard]:
    """Yield every use of a version macro in `text`; `values` is empty when no CUDA version is emulated."""
    for macro, counterpart in _MUSA_COUNTERPART.items():
        for start in occurrences(text, macro):
            end = start + len(macro)
            before = text[text.rfind("\n", 0, start) + 1 : start]
            if _ASKED_WHETHER_DEFINED.search(before) is not None:
                yield Guard(macro, start, end, counterpart)
            elif _DEFINED_HERE.search(before) is not None or macro not in values:
                yield Guard(macro, start, end, None)
            else:
                yield Guard(macro, start, end, str(values[macro]))


_ASKED_WHETHER_DEFINED = re.compile(r"(?:\bdefined[ \t]*\(?|#[ \t]*ifn?def)[ \t]*\Z")
_DEFINED_HERE = re.compile(r"#[ \t]*(?:define|undef)[ \t]+\Z")

# One comparison with the macro on one side and a constant of numbers on the other, and its surroundings.
_NUMBER = r"\d+[uUlL]*"
_SUM = rf"{_NUMBER}(?:[ \t]*[*+][ \t]*{_NUMBER})*"
_CONSTANT = rf"(?:\([ \t]*{_SUM}[ \t]*\)|{_SUM})"
_OPERATOR = r"[<>]=?|==|!="
_RIGHT = re.compile(
    rf"[ \t]*(?P<scale>/[ \t]*{_NUMBER})?[ \t]*(?P<operator>{_OPERATOR})(?P<constant>[ \t]*{_CONSTANT})"
)
_LEFT = rf"(?<![\w.])(?P<constant>{_CONSTANT})[ \t]*(?P<operator>{_OPERATOR})[ \t]*\Z"  # rare
_PLAIN = re.compile(rf"{ARCH}([ \t]*{_OPERATOR}[ \t]*)\d+")
_ARITHMETIC_AFTER = re.compile(r"[ \t]*(?:[*%+-]|/(?![/*])|<<|>>|[<>=!]=|[<>](?!<|>)|&(?!&)|\|(?!\|)|\^|\(|\w)")
_ARITHMETIC_BEFORE = re.compile(r"(?:[*/%+~!-]|<<|>>|[<>=!]=|[<>]|(?<!&)&|(?<!\|)\||\^)[ \t]*\Z")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _arch_guard(text: str, start: int, end: int) -> Guard:
    line_start = text.rfind("\n", 0, start) + 1
    right = _RIGHT.match(text, end)
    before = text[line_start:start].rstrip(" \t")
    left = re.search(_LEFT, before) if before.endswith(("<", ">", "=")) else None
    if right is not None and left is None:
        begin, stop, parts, operator = start, right.end(), right, right["operator"]
    elif left is not None and right is None and not _ARITHMETIC_AFTER.match(text, end):
        begin, stop, parts = line_start + left.start(), end, left
        operator = _MIRRORED.get(left["operator"], left["operator"])
    elif _ARITHMETIC_AFTER.match(text, end) or _is_arithmetic(text, line_start, start, "!"):
        return Guard(ARCH, start, end, None)
    else:
        return Guard(ARCH, start, end, "__MUSA_ARCH__")
    if _is_arithmetic(text, line_start, begin) or _ARITHMETIC_AFTER.match(text, stop):
        return Guard(ARCH, start, end, None)  # part of something larger, which was not understood
    scale = right["scale"] if right is not None and parts is right else None
    return _comparison(text, begin, stop, operator, _value(parts["constant"]), _value(scale[1:]) if scale else 1)


def _is_arithmetic(text: str, line_start: int, offset: int, harmless: str = "") -> bool:
    match = _ARITHMETIC_BEFORE.search(text, line_start, offset)
    return match is not None and match[0].strip() != harmless


def _value(constant: str) -> int:
    """Return the value of a sum of products of whole numbers, such as `(7 * 100)`."""
    terms = re.sub(r"[uUlL() \t]", "", constant).split("+")
    total = 0
    for term in terms:
        product = 1
        for factor in term.split("*"):
            product *= int(factor)
        total += product
    return total


def _comparison(text: str, start: int, end: int, operator: str, number: int, scale: int) -> Guard:
    """Translate `__CUDA_ARCH__ / scale <operator> number` into a condition on `__MUSA_ARCH__`.

    Only "from this architecture on" and "before it" have a meaning on other hardware; equality has none.
    """
    if operator not in _MIRRORED:
        return Guard(ARCH, start, end, None)
    threshold = (number + (operator in (">", "<="))) * scale
    written = _PLAIN.fullmatch(text, start, end)  # keeps the author's blanks where nothing else changes
    new_operator = ">=" if operator in (">=", ">") else "<"
    between = written[1] if written is not None and written[1].strip() == new_operator else f" {new_operator} "
    return Guard(ARCH, start, end, f"__MUSA_ARCH__{between}{musa_threshold(threshold)}")
