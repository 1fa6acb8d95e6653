"""Tests of a device's compute capability: `prop.major < 8`, or of a number made of it.

MUSA's devices report 2.1, 2.2 or 3.1, so a test against NVIDIA's numbers decides something else than its author meant.
It is host code, with no pattern of its own. What is followed is the value: the members and attributes of CUDA, the
variables that get their value from them, and functions by their usual names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scanner import Layout

# A file without any of these has no member `major` of a device.
_SOURCES = frozenset(
    {
        *("cudaDeviceProp", "getCurrentDeviceProperties", "getDeviceProperties", "cuDeviceComputeCapability"),
        *("cudaDevAttrComputeCapabilityMajor", "cudaDevAttrComputeCapabilityMinor"),
        *("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"),
    }
)
# What code calls the number itself: variables, and functions that return it.
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
_MEMBER = r"(?:\.|->)\s*(?:major|minor)\b"
_BY_ADDRESS = (
    r"(?:DeviceGetAttribute\s*\(\s*&\s*(\w+)\s*,\s*\w*(?i:Compute_?Capability)"
    r"|cuDeviceComputeCapability\s*\(\s*&\s*(\w+)\s*,\s*&\s*(\w+))"
)
_ORDER = r"(?:(?<![-<>])[<>](?![<>])=?|[!=]=)"
_NUMBER = r"(?:\d\w*|[A-Z][A-Z0-9_]+|k[A-Z]\w*)"
_TEST = rf"{_ORDER}[\s(]*{_NUMBER}|\b{_NUMBER}[\s)]*{_ORDER}|\bswitch\s*\("
_PART = r"[;{},?]|&&|\|\||(?<!:):(?!:)|\n[ \t]*#[ \t]*\w+"


def capability_tests(layout: Layout, identifiers: frozenset[str]) -> Iterator[int]:
    """Yield where a test of the compute capability is, once for each part of a condition."""
    names = set(identifiers & _USUAL_NAMES)
    values = [_MEMBER] if not identifiers.isdisjoint(_SOURCES) else []
    if not names and not values:
        return
    code = layout.code
    names.update(name for match in re.finditer(_BY_ADDRESS, code) for name in match.groups() if name)
    for _ in range(2):  # major = prop.major; then version = major * 10 + minor
        value = "|".join((*values, *(rf"\b{name}\b" for name in sorted(names))))
        if not value:
            return
        assigned = rf"\b(\w+)\s*=(?!=)[^;{{}}=<>!?]*?(?:{value})[^;,{{}}=<>!?]*[;,]"
        names.update(match[1] for match in re.finditer(assigned, code))
    part, test, reported = re.compile(_PART), re.compile(_TEST), -1
    for match in re.finditer("|".join((*values, *(rf"\b{name}\b" for name in sorted(names)))), code):
        before = part.finditer(code, max(0, match.start() - 300), match.start())
        start = max((mark.end() for mark in before), default=0)
        end = part.search(code, match.end())
        stop = len(code) if end is None else end.start()
        if start > reported and test.search(code, start, stop):
            reported = start
            yield match.start()
