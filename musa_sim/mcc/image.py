"""The fat binary: device images of several architectures in one blob, embedded in the host module.

Layout (runtime/device_abi.h): magic, count, checks, then per image its architecture, offset and size, then the ELF
images.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from .errors import InternalError
from .frontend import FATBIN_PLACEHOLDER

MAGIC = b"MUSASIM2"
_ALIGN = 64

_PLACEHOLDER = re.compile(rf'\[\d+ x i8\] c"{FATBIN_PLACEHOLDER}(?:\\00)?"')
_ESCAPED = tuple(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in range(256))


def pack(images: Mapping[str, bytes], checks: int = 0) -> bytes:
    """{architecture: ELF image} -> the blob that the registration wrapper points to.

    `checks`: bits of the checks that the images were compiled for; 0 when they are not instrumented.
    """
    head = 16 + 32 * len(images)
    table: list[bytes] = []
    body: list[bytes] = []
    at = -(-head // _ALIGN) * _ALIGN
    pad = at - head
    for arch, image in images.items():
        table.append(struct.pack("<16sQQ", arch.encode(), at, len(image)))
        padded = image + b"\0" * (-len(image) % _ALIGN)
        body.append(padded)
        at += len(padded)
    return struct.pack("<8sII", MAGIC, len(images), checks) + b"".join(table) + b"\0" * pad + b"".join(body)


def embed(host_ir: str, blob: bytes) -> str:
    """Put the blob in the placeholder's place and give everything of CUDA's its MUSA name."""
    literal = "".join(map(_ESCAPED.__getitem__, blob))
    host_ir, count = _PLACEHOLDER.subn(lambda _: f'[{len(blob)} x i8] c"{literal}"', host_ir)
    if count != 1:
        raise InternalError(f"the host module has {count} places for the device image, wanted 1")
    return musa_names(host_ir)


def musa_names(host_ir: str) -> str:
    """clang generates calls of CUDA's runtime; libmusart has the same under MUSA's names."""
    if re.search(r"^declare [^\n]*@musaLaunchKernel\(", host_ir, re.M):
        # the source calls musaLaunchKernel itself: one declaration is enough
        host_ir = re.sub(r"^declare [^\n]*@cudaLaunchKernel\([^\n]*\n", "", host_ir, flags=re.M)
    return (
        host_ir.replace("@__cuda", "@__musa")
        .replace("@cudaLaunchKernel", "@musaLaunchKernel")
        .replace('section ".nv_fatbin"', 'section ".mt_fatbin"')
        .replace('section ".nvFatBinSegment"', 'section ".mtFatBinSegment"')
    )
