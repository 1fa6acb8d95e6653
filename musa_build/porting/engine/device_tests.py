"""Port `is_cuda()` of the classes of PyTorch that have no `is_privateuseone()`.

at::Tensor and c10::Device have both, and a rule renames the call. at::DeprecatedTypeProperties (`x.type()`),
PackedSequence and the classes of torch::stable have `is_cuda()` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

# (Text, not compiled patterns: most trees need few of them.)
_CALL = r"is_cuda\s*\(\s*\)"
_OF_TYPE = r"\btype\s*\(\s*\)\Z"
_OF_DEVICE = r"\bdevice\s*\(\s*\)\Z"
_POSTFIX = r"(?:\w+|::|\.|->)\s*\Z"
_WINDOW = 1000  # characters in which a call's object is searched, comments included

# A variable's declaration: the text before its name, and its initialisation.
_DECLARED = r"\b(DeprecatedTypeProperties|PackedSequence|Device)\b[\s&*]*(?:const[\s&*]+)?\Z"
_SET = r"\s*=\s*[^;=]*(?:\.|->)\s*(type|device)\s*\(\s*\)\s*;"
_OF_STABLE = ("torch::stable", "torch/csrc/stable/")
_OTHER_CLASSES = ("DeprecatedTypeProperties", "PackedSequence")
_SET_TO_TYPE = r"type(?<!\wtype)\s*\(\s*\)\s*;"  # the plain word comes first: it is found fast
_CLASSES = {"type": "DeprecatedTypeProperties", "device": "Device"}


def device_tests(layout: Layout, index: IdentifierIndex) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the calls that a renaming would break."""
    code = layout.code
    is_stable = any(name in code for name in _OF_STABLE)
    has_others = (
        is_stable or any(name in code for name in _OTHER_CLASSES) or re.compile(_SET_TO_TYPE).search(code) is not None
    )
    classes: dict[str, str] = {}
    for at in index.offsets("is_cuda"):
        call = re.compile(_CALL).match(code, at)
        end = _end_of_object(code, at)
        if call is None or end is None or not layout.is_plain_code(at, at + 1):
            continue
        of_type = re.compile(_OF_TYPE).search(code, max(0, end - _WINDOW), end) if code[end - 1] == ")" else None
        if of_type is not None:
            yield of_type.start(), at + len("is_cuda"), "is_privateuseone"
            continue
        if not has_others:
            continue
        start = _start_of_object(code, end)
        owner, name = code[start:at], code[start:end].strip()
        if name not in classes:
            classes[name] = _class_of(name, code, index)
        if classes[name] == "DeprecatedTypeProperties":
            yield start, call.end(), f"({owner}device_type() == c10::DeviceType::PrivateUse1)"
        elif classes[name] == "PackedSequence":
            yield at, at + len("is_cuda"), "data().is_privateuseone"
        elif is_stable:
            is_device = classes[name] == "Device" or re.compile(_OF_DEVICE).search(name) is not None
            to_type = "type()" if is_device else "device().type()"
            yield start, call.end(), f"({owner}{to_type} == torch::headeronly::DeviceType::PrivateUse1)"


def _class_of(name: str, code: str, index: IdentifierIndex) -> str:
    """Return the class of the variable `name`, if it is one that matters here."""
    for at in index.offsets(name) if name.isidentifier() else ():
        declared = re.compile(_DECLARED).search(code, max(0, at - 100), at)
        if declared is not None:
            return declared[1]
        is_set = re.compile(_SET).match(code, at + len(name))
        if is_set is not None:
            return _CLASSES[is_set[1]]
    return ""


def _end_of_object(code: str, member: int) -> Optional[int]:
    """Return the end of the object whose member is at `member`; None if it is no member."""
    end = _without_blanks(code, member)
    width = 1 if code[end - 1 : end] == "." else 2 if code[max(0, end - 2) : end] == "->" else 0
    return _without_blanks(code, end - width) if width else None


def _without_blanks(code: str, end: int) -> int:
    while end and code[end - 1].isspace():
        end -= 1
    return end


def _start_of_object(code: str, end: int) -> int:
    """Return the start of the object whose member is called at `end`: `self` in `self.get(i)[0].`."""
    start = end
    while True:
        blank = _without_blanks(code, start)
        if code[blank - 1 : blank] in (")", "]"):
            start = _opening(code, blank - 1)
            continue
        postfix = re.compile(_POSTFIX).search(code, max(0, blank - 200), blank)
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
