"""Which of PyTorch's stubs a function calls, as its compiled library has it: the sources are not installed.

A structured function of PyTorch finds the device's kernel in a stub, `exp_stub` for `exp.out`. Code for x86-64 reaches
a stub through a slot of the library's offset table, so a function calls the stubs whose slots its instructions name.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_NATIVE = re.compile(r"_ZN2at6native(\d+)(\w+)")
_DEFAULT_KERNEL = "_DECLARE_DISPATCH_typeEE7DEFAULTE"  # the end of the symbol of a stub's kernel for any CPU
_REGISTERED = re.compile(r"\bREGISTER_PRIVATEUSE1_DISPATCH\(\s*(\w+_stub)\b")


@dataclass(frozen=True)
class DispatchStubs:
    """The callers of each stub in a library of PyTorch.

    Attributes:
        by_function: Names of stubs, by the kernel's name in PyTorch's table: of a structured class without that word.
    """

    by_function: Mapping[str, frozenset[str]]

    @classmethod
    def of_library(cls, library: Path) -> DispatchStubs:
        """Read libtorch_cpu.so; takes two seconds. Nothing is found in one that is not for x86-64.

        Raises:
            OSError: The library, or the tools nm and readelf, cannot be used.
        """
        symbols = [line.split() for line in _output("nm", "-D", "-S", "--defined-only", str(library))]
        functions = [
            (name, int(row[0], 16), int(row[1], 16))
            for row in symbols
            if len(row) == 4 and row[2] in "Tt" and (name := _function(row[3].split("@")[0]))
        ]
        slots = {}
        for line in _output("readelf", "-rW", str(library)):
            words = line.split()
            if len(words) > 4 and words[2] == "R_X86_64_GLOB_DAT" and (stub := _stub(words[4].split("@")[0])):
                slots[int(words[0], 16)] = stub
        segments = [
            (int(words[2], 16), int(words[1], 16), int(words[4], 16))
            for words in (line.split() for line in _output("readelf", "-lW", str(library)))
            if words and words[0] == "LOAD" and "E" in "".join(words[6:-1])
        ]
        by_function: dict[str, set[str]] = defaultdict(set)
        with library.open("rb") as file:
            for name, address, size in functions:
                found = _targets(file, segments, address, address + size)
                by_function[name] |= {slots[at] for at in found if at in slots}
        return cls({name: frozenset(stubs) for name, stubs in by_function.items() if stubs})

    def callers(self, stub: str) -> frozenset[str]:
        """Return the functions that call a stub."""
        return frozenset(name for name, stubs in self.by_function.items() if stub in stubs)


def registered_stubs(objects: Iterable[Path], sources: Iterable[Path]) -> frozenset[str]:
    """Return the stubs that compiled sources register a kernel in.

    An object that registers one names the stub; one that calls it names its default kernel, too.

    Raises:
        OSError: A file cannot be read.
    """
    found = {stub for source in sources for stub in _REGISTERED.findall(source.read_text(encoding="utf-8"))}
    for path in objects:
        symbols = _symbols("--undefined-only", path)
        called = {_called(symbol) for symbol in symbols}
        found |= {stub for symbol in symbols if (stub := _stub(symbol)) and stub not in called}
    return frozenset(found)


def called_stubs(objects: Iterable[Path]) -> frozenset[str]:
    """Return the stubs that compiled sources call.

    Raises:
        OSError: A file cannot be read.
    """
    return frozenset(
        stub for path in objects for symbol in _symbols("--undefined-only", path) if (stub := _called(symbol))
    )


def undefined_functions(objects: Iterable[Path], namespace: str) -> frozenset[str]:
    """Return the names that objects use of a namespace and none of them defines, as ``at::musa::add``.

    Raises:
        OSError: A file cannot be read.
    """
    used: set[str] = set()
    defined: set[str] = set()
    for path in objects:
        used.update(_symbols("--undefined-only", path))
        defined.update(_symbols("--defined-only", path))
    lacking = sorted(used - defined)
    names = subprocess.run(["c++filt"], input="\n".join(lacking), capture_output=True, text=True, check=False).stdout
    return frozenset(name.split("(")[0] for name in names.splitlines() if name.startswith(f"{namespace}::"))


def _symbols(which: str, path: Path) -> list[str]:
    return [words[-1] for words in (line.split() for line in _output("nm", which, str(path))) if words]


def _output(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{command[0]} failed on {command[-1]}: {done.stderr.strip()[-300:]}")
    return done.stdout.splitlines()


def _name(symbol: str) -> tuple[str, str]:
    """Return the symbol's name in at::native, and the rest of the symbol."""
    match = _NATIVE.match(symbol)
    if match is None:
        return "", ""
    length = int(match.group(1))
    return match.group(2)[:length], match.group(2)[length:]


def _function(symbol: str) -> str:
    name, rest = _name(symbol)
    if name.startswith("structured_"):
        return name[len("structured_") :] if rest.startswith("4implE") else ""
    return name if rest.startswith("E") else ""


def _stub(symbol: str) -> str:
    name, rest = _name(symbol)
    return name if name.endswith("_stub") and rest == "E" else ""


def _called(symbol: str) -> str:
    """Return the stub of which a symbol is the default kernel, or nothing."""
    if not symbol.endswith(_DEFAULT_KERNEL):
        return ""
    before = symbol[: -len(_DEFAULT_KERNEL)]
    rest = len(_DEFAULT_KERNEL) - len("EE7DEFAULTE")
    names = (before[match.end() :] for match in re.finditer(r"\d+", before) if int(match.group()) >= rest)
    ends = (name for name in names if before.endswith(f"{len(name) + rest}{name}"))
    return next(ends, "")


def _targets(file: BinaryIO, segments: list[tuple[int, int, int]], begin: int, end: int) -> Iterator[int]:
    """Yield the addresses that instructions in a range may name: relative to the end of the four bytes that do."""
    for address, offset, size in segments:
        if address <= begin < address + size:
            file.seek(offset + begin - address)
            code = file.read(end - begin)
            for at in range(len(code) - 3):
                yield begin + at + 4 + int.from_bytes(code[at : at + 4], "little", signed=True)
