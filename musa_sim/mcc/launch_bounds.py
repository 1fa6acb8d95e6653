"""`__launch_bounds__`: how many threads a block of a kernel may have.

clang drops the promise for this target. The header repeats it as an annotation, which clang does print.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

PREFIX = "__musa_sim_launch_bounds_"

_NAME = r'@(?:[\w.$-]+|"[^"]*")'
_ANNOTATIONS = re.compile(r"^@llvm\.global\.annotations = [^\n]*\n", re.M)
_ANNOTATION = re.compile(rf"\{{ ptr ({_NAME}), ptr ({_NAME}), ptr {_NAME}, i32 \d+, ptr ({_NAME}) \}}")
_TEXT = re.compile(rf'^({_NAME}) = [^\n]*constant \[\d+ x i8\] c"musa_sim_launch_bounds\\00"', re.M)
_NUMBERS = re.compile(rf"^({_NAME}) = [^\n]*constant \{{[^\n}}]*\}} \{{ i\d+ (\d+)", re.M)


def read(device_ir: str) -> dict[str, int]:
    """{kernel: the most threads that a block may have}, of those that make the promise."""
    annotations = _ANNOTATIONS.search(device_ir)
    if not annotations:
        return {}
    texts = set(_TEXT.findall(device_ir))
    numbers = {name: int(number) for name, number in _NUMBERS.findall(device_ir)}
    return {
        kernel[1:].strip('"'): numbers[arguments]
        for kernel, text, arguments in _ANNOTATION.findall(annotations.group(0))
        if text in texts and arguments in numbers
    }


def without_annotations(device_ir: str) -> str:
    """The module without what no later pass has a use for, and what would keep every annotated kernel alive."""
    return _ANNOTATIONS.sub("", device_ir)


def definitions(bounds: Mapping[str, int]) -> str:
    """A constant per kernel, as libmusart looks for it."""
    return "".join(f"@{PREFIX}{kernel} = constant i32 {threads}\n" for kernel, threads in bounds.items())
