"""The fat binary: the device images of several architectures in one blob.

Its layout (runtime/base/device_abi.h): magic number, count, checks, CPU; for each image architecture, offset and size;
then the ELF images.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ..contract.names import FAT_BINARY_MAGIC

_ALIGN = 64


def pack(images: Mapping[str, bytes], checks: int = 0, cpu: int = 0) -> bytes:
    """Pack ELF images by architecture into the blob that the registration wrapper points to.

    `checks`: bits of the checks that the images were compiled for; 0 when they are not instrumented. `cpu`: the number
    of the CPU that they need (clang/cpu.py).
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
    header = struct.pack("<8sIHH", FAT_BINARY_MAGIC, len(images), checks, cpu)
    return header + b"".join(table) + b"\0" * pad + b"".join(body)
