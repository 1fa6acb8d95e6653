"""The record in an object of `mcc -fgpu-rdc`: device code as LLVM's bitcode, and the facts that the device link needs.

It lies in a section that the host's linker leaves out of programs and libraries. This module is pure.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..errors import DriverError
from ..kernel import Argument, KernelStub, Passing

#: The sections of objects: a record for each source (`ld -r` puts several into one), and, in an object of the device
#: link, the names of what it took in, one per line.
SECTION, LINKED_SECTION = "__mt_relfatbin", "__mt_linked"
#: The beginning of the name by which an object asks for its device link. The host's linker reports it as undefined.
LINK_PREFIX = "__musa_device_link_missing_"

#: The beginning of a record; libraries/musa/linking.cpp knows it, and that the record's length follows.
MAGIC = b"MUSARDC1"
_HEAD = struct.Struct("<8sQQ")  # magic number, bytes of the record, bytes of its facts
_ALIGN = 8


class Symbols(NamedTuple):
    """The linker's names of one module that other modules may use, or that it uses of others."""

    defined: tuple[str, ...]  # no other module may have them
    shared: tuple[str, ...]  # inline functions, templates: any module may have them
    undefined: tuple[str, ...]


class RelocatableCode(NamedTuple):
    """The device code of one source."""

    source: str
    link_symbol: str  # the function that the device link writes for it; no other source has this name
    writer: str  # the compiler; another one may not be able to read its bitcode
    level: str  # of optimisation
    checks: int  # bits of the checks that it is compiled for
    has_debug_info: bool
    cpu: int  # that it needs, by number (clang/cpu.py)
    driver_args: tuple[str, ...]  # the flags of clang's driver that concern code generation
    kernels: tuple[KernelStub, ...]
    managed: tuple[str, ...]  # the __managed__ variables, which are the host's
    symbols: Mapping[str, Symbols]  # by architecture
    bitcode: Mapping[str, bytes]  # the same

    def encode(self) -> bytes:
        """Return the record, a multiple of the alignment of its section."""
        distinct = list(dict.fromkeys(self.bitcode.values()))
        facts = self._asdict()
        facts["kernels"] = [_plain_kernel(kernel) for kernel in self.kernels]
        facts["bitcode"] = {arch: distinct.index(code) for arch, code in self.bitcode.items()}
        facts["bytes"] = list(map(len, distinct))
        text = json.dumps(facts).encode()
        size = _HEAD.size + len(text) + sum(map(len, distinct))
        padded = -(-size // _ALIGN) * _ALIGN
        return b"".join((_HEAD.pack(MAGIC, padded, len(text)), text, *distinct, b"\0" * (padded - size)))

    @classmethod
    def decode_all(cls, section: bytes, name: str) -> Iterator[RelocatableCode]:
        """Yield the records of a section. Raise DriverError, naming the object, if another mcc wrote it."""
        at = 0
        while at < len(section):
            magic, size, facts_size = _HEAD.unpack_from(section, at) if len(section) - at >= _HEAD.size else ("", 0, 0)
            if magic != MAGIC or size > len(section) - at:
                raise DriverError(f"the relocatable device code of {name} is not of this mcc: compile its source again")
            yield cls._decode(section[at : at + size], facts_size)
            at += size

    @classmethod
    def _decode(cls, record: bytes, facts_size: int) -> RelocatableCode:
        start = _HEAD.size + facts_size
        facts = json.loads(record[_HEAD.size : start])
        codes = []
        for size in facts.pop("bytes"):
            codes.append(record[start : start + size])
            start += size
        facts["kernels"] = tuple(map(_kernel, facts["kernels"]))
        facts["bitcode"] = {arch: codes[number] for arch, number in facts["bitcode"].items()}
        facts["symbols"] = {arch: Symbols(*map(tuple, each)) for arch, each in facts["symbols"].items()}
        facts["driver_args"], facts["managed"] = tuple(facts["driver_args"]), tuple(facts["managed"])
        return cls(**facts)


def _plain_kernel(kernel: KernelStub) -> list[object]:
    arguments = [(each.parameter, each.offset, each.passing.name) for each in kernel.arguments]
    return [kernel.name, arguments, kernel.parameter_types, kernel.parameter_alignments]


def _kernel(plain: list[list[list[object]]]) -> KernelStub:
    name, arguments, types, alignments = plain
    return KernelStub(
        str(name),
        tuple(Argument(int(str(at)), int(str(offset)), Passing[str(how)]) for at, offset, how in arguments),
        tuple(map(str, types)),
        tuple(int(str(each)) for each in alignments),
    )
