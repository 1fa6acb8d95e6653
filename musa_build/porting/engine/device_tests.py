"""`is_cuda()` of the classes of PyTorch that have no `is_privateuseone()`.

at::Tensor and c10::Device have both, and a rule renames the call. at::DeprecatedTypeProperties (`x.type()`),
PackedSequence and the classes of torch::stable have `is_cuda()` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

_CALL = re.compile(r"is_cuda\s*\(\s*\)")
_OF_TYPE = re.compile(r"\btype\s*\(\s*\)\s*(?:\.|->)\s*\Z")
_MEMBER = re.compile(r"\s*(?:\.|->)\s*\Z")
_TYPE_VARIABLE = re.compile(
    r"\b(\w+)\s*=\s*[^;=]*(?:\.|->)\s*type\s*\(\s*\)\s*;|\bDeprecatedTypeProperties\b[\s&*]*(?!const\b)(\w+)"
)
_PACKED = re.compile(r"\bPackedSequence\b[\s&*]*(?!const\b)(\w+)")
_STABLE = re.compile(r"\btorch::stable\b|\btorch/csrc/stable/")
_STABLE_DEVICE = re.compile(r"\bDevice\b[\s&*]*(?!const\b)(\w+)|\b(\w+)\s*=\s*[^;=]*(?:\.|->)\s*device\s*\(\s*\)\s*;")
_POSTFIX = re.compile(r"(?:\w+|::|\.|->)\s*\Z")


def device_tests(layout: Layout, index: IdentifierIndex) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the calls that a renaming would break."""
    code = layout.code
    types, packed, devices = _names(_TYPE_VARIABLE, code), _names(_PACKED, code), _names(_STABLE_DEVICE, code)
    is_stable = _STABLE.search(code) is not None
    for at in index.offsets("is_cuda"):
        call = _CALL.match(code, at)
        member = _MEMBER.search(code, max(0, at - 1000), at)
        if call is None or member is None or not layout.is_plain_code(at, at + 1):
            continue
        of_type = _OF_TYPE.search(code, max(0, at - 1000), at)
        if of_type is not None:
            yield of_type.start(), at + len("is_cuda"), "is_privateuseone"
            continue
        start = _start_of_object(code, member.start())
        owner, name = code[start:at], code[start : member.start()].strip()
        if name in types:
            yield start, call.end(), f"({owner}device_type() == c10::DeviceType::PrivateUse1)"
        elif name in packed:
            yield at, at + len("is_cuda"), "data().is_privateuseone"
        elif is_stable:
            to_type = "type()" if name in devices or re.search(r"\bdevice\s*\(\s*\)\Z", name) else "device().type()"
            yield start, call.end(), f"({owner}{to_type} == torch::headeronly::DeviceType::PrivateUse1)"


def _names(pattern: re.Pattern[str], code: str) -> frozenset[str]:
    return frozenset(name for match in pattern.finditer(code) for name in match.groups() if name)


def _start_of_object(code: str, end: int) -> int:
    """Return where the object begins whose member is called at `end`: `self` in `self.get(i)[0].`."""
    start = end
    while True:
        blank = len(code[:start].rstrip())
        if code[blank - 1 : blank] in (")", "]"):
            start = _opening(code, blank - 1)
            continue
        postfix = _POSTFIX.search(code, max(0, blank - 200), blank)
        if postfix is None or re.fullmatch(r"return|not|and|or|case|else", postfix[0].strip()):
            return start
        if postfix[0].strip()[0].isalnum() and code[start : start + 1].isalnum():
            return start  # two words: a type and a name, a keyword and an expression
        start = postfix.start()


def _opening(code: str, closing: int) -> int:
    depth = 0
    for offset in range(closing, -1, -1):
        if code[offset] in ")]":
            depth += 1
        elif code[offset] in "([":
            depth -= 1
            if depth == 0:
                return offset
    return 0
