"""Device functions that a source defines for the device pass alone: `#ifdef __CUDA_ARCH__ ... #endif`.

nvcc drops the bodies of kernels from its host pass. mcc is a clang and reads them in both passes, so in the host pass
it would not find a function that a kernel calls. Such a function is therefore defined in both passes: `__MUSACC__`
replaces `__CUDA_ARCH__`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scanner import Layout

_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?P<name>if|ifdef|ifndef|elif|else|endif|define|undef|include)\b(?P<rest>.*)$", re.MULTILINE
)
_BARE = {
    "ifdef": re.compile(r"[ \t]+(__CUDA_ARCH__)[ \t\r]*\Z"),
    "if": re.compile(r"[ \t]*\(?[ \t]*defined[ \t]*\(?[ \t]*(__CUDA_ARCH__)[ \t]*\)?[ \t]*\)?[ \t\r]*\Z"),
}
# A definition, from __device__ to its brace; a lambda has no name before its parameters.
_FUNCTION = re.compile(r"__device__\s[^;{}()\]]*\w\s*\((?:[^;{}()]|\([^;{}()]*\))*\)\s*(?:const\s*|noexcept\s*)*\{")


def device_only_groups(layout: Layout) -> Iterator[tuple[int, int, int]]:
    """Yield (offset of `__CUDA_ARCH__`, start and end of the guarded code) for each such group."""
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
