"""Tests of a device's compute capability: `prop.major < 8`, or of a number made of it.

MUSA's devices report 2.1, 2.2 or 3.1, so a test against NVIDIA's numbers decides something else than its author meant.
Such host code has no pattern of its own. So the search follows the value: the members and attributes of CUDA, the
variables that get their value from them, and functions by their usual names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

Range = tuple[int, int]

# A file without any of these has no member `major` of a device.
_SOURCES = frozenset(
    {
        *("cudaDeviceProp", "getCurrentDeviceProperties", "getDeviceProperties", "cuDeviceComputeCapability"),
        *("cudaDevAttrComputeCapabilityMajor", "cudaDevAttrComputeCapabilityMinor"),
        *("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"),
    }
)
# Usual names of variables that hold the number, and of functions that return it.
_USUAL_NAMES = frozenset(
    f"{get}{name}"
    for get in ("", "get_", "get", "Get")
    for name in (
        *("sm_version", "sm_version_num", "sm_arch", "SMVersion", "SmVersion", "smVersion"),
        *("compute_capability", "device_capability", "computeCapability", "ComputeCapability", "DeviceCapability"),
    )
)
CAPABILITY_IDENTIFIERS = _SOURCES | _USUAL_NAMES

MESSAGE = "MUSA's devices have compute capability 2.1, 2.2 or 3.1: a test against NVIDIA's numbers decides otherwise"
_BY_ADDRESS = (
    r"(?:DeviceGetAttribute\s*\(\s*&\s*(\w+)\s*,\s*\w*(?i:Compute_?Capability)"
    r"|cuDeviceComputeCapability\s*\(\s*&\s*(\w+)\s*,\s*&\s*(\w+))"
)
_TARGET, _END = r"(\w+)\s*=(?:[^;{}=<>!?]|<<|>>|->)*\Z", r"(?:[^;,{}=<>!?]|<<|>>|->)*[;,]"
_RETURNED = r"\breturn\b(?:[^;{}=<>!?]|<<|>>|->)*\Z"
_FUNCTION = r"(\w+)\s*\([^(){};]*\)[\w\s]*\{"
_STATEMENTS = frozenset({"if", "for", "while", "switch", "catch"})
_ORDER = r"(?:(?<![-<>])[<>](?![<>])=?|[!=]=)"
_NUMBER = r"(?:\d\w*|[A-Z][A-Z0-9_]+|k[A-Z]\w*)"
_TEST = rf"{_ORDER}[\s(]*{_NUMBER}|\b{_NUMBER}[\s)]*{_ORDER}|\bswitch\s*\("
_PART = r"[;{},?]|&&|\|\||(?<!:):(?!:)|\n[ \t]*#[ \t]*\w+"
_STATEMENT, _CONDITION = 2000, 300  # characters that are searched, comments included


def capability_tests(layout: Layout, identifiers: frozenset[str], index: IdentifierIndex) -> Iterator[int]:
    """Yield the offset of each test of the compute capability, once for each part of a condition.

    `identifiers` has one of CAPABILITY_IDENTIFIERS at least.
    """
    names = set(identifiers & _USUAL_NAMES)
    code = layout.code
    members: list[Range] = []
    if not identifiers.isdisjoint(_SOURCES):
        members = list(_members(code, index))
        names.update(name for match in re.finditer(_BY_ADDRESS, code) for name in match.groups() if name)
    target, end, returned = re.compile(_TARGET), re.compile(_END), re.compile(_RETURNED)
    for _ in range(2):  # major = prop.major; then version = major * 10 + minor
        for start, stop in [*members, *_words(names, code, index)]:
            assigned = target.search(code, max(0, start - _STATEMENT), start)
            if assigned is not None and end.match(code, stop):
                names.add(assigned[1])
            elif returned.search(code, max(0, start - _STATEMENT), start) and end.match(code, stop):
                functions = re.compile(_FUNCTION).findall(code, max(0, start - _STATEMENT), start)
                names.update([name for name in functions if name not in _STATEMENTS][-1:])
    part, test, reported = re.compile(_PART), re.compile(_TEST), -1
    for start, stop in sorted({*members, *_words(names, code, index)}):
        begin = max((mark.end() for mark in part.finditer(code, max(0, start - _CONDITION), start)), default=0)
        following = part.search(code, stop)
        if begin > reported and test.search(code, begin, len(code) if following is None else following.start()):
            reported = begin
            yield start


def _members(code: str, index: IdentifierIndex) -> Iterator[Range]:
    """Yield the ranges of `.major` and `->minor` in `code`."""
    for start, end in _words(("major", "minor"), code, index):
        first = max(0, start - _STATEMENT)
        before = code[first:start].rstrip()
        if before.endswith((".", "->")):
            yield first + len(before) - 1, end


def _words(names: Iterable[str], code: str, index: IdentifierIndex) -> list[Range]:
    """Return the ranges of `names` in `code`."""
    found = [(at, at + len(name)) for name in names for at in index.offsets(name)]
    return [(start, end) for start, end in found if not code[start].isspace()]  # comments are blanks
