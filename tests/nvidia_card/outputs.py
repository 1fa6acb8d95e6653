"""The output of a run, and whether two runs agree.

Numbers of known type agree within a tolerance; text agrees word by word, numbers in it within one; bytes of unknown
meaning agree exactly, or as floating-point numbers.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

#: bytes that are an element where the type is not known (run_cases.py)
PIECE = 64
#: names of errors are the vendor's
_VENDOR = re.compile(r"cuda(?=[A-Z])|CUDA(?=_)")
_HEXADECIMAL = re.compile(r"-?0x[0-9a-f.]+p[-+]?\d+")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Tolerance:
    """How far apart two floating-point numbers may be: `relative` to their size, or to the largest of the array."""

    relative: float | None = None
    absolute: float | None = None
    dtype: str = ""  # how to read bytes: those of other types are integers here, or of unknown meaning

    def of(self, dtype: np.dtype[Any]) -> tuple[float, float]:
        """The default is some units in the last place: cards approximate functions, and sum in other orders."""
        size = np.dtype(dtype.type(0).real.dtype).itemsize
        default = {2: 4e-3, 4: 2e-5, 8: 1e-11}[size]
        relative = default if self.relative is None else self.relative
        return relative, relative if self.absolute is None else self.absolute


@dataclass(frozen=True)
class Output:
    """A run's exit status and stdout; of a long array every `stride`-th element."""

    status: int
    stdout: bytes
    dtype: str = ""
    stride: int = 1

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Output:
        stdout = zlib.decompress(base64.b64decode(value["stdout"]))
        return cls(value["status"], stdout, value.get("dtype", ""), value.get("stride", 1))


def difference(ours: Output, theirs: Output, tolerance: Tolerance) -> str:
    """Describe the first difference; empty if there is none."""
    if ours.status != theirs.status:
        return f"exit status {theirs.status}, here {ours.status}"
    if theirs.stride > 1:
        size = np.dtype(theirs.dtype).itemsize if theirs.dtype else PIECE
        ours = replace(ours, stdout=_thinned(ours.stdout, size, theirs.stride))
    if theirs.dtype or tolerance.dtype:
        return _of_arrays(ours, replace(theirs, dtype=tolerance.dtype or theirs.dtype), tolerance)
    texts = [_as_text(output.stdout) for output in (ours, theirs)]
    if texts[0] is not None and texts[1] is not None:
        return _of_texts(texts[0], texts[1], tolerance)
    return _of_bytes(ours.stdout, theirs.stdout, tolerance)


def _thinned(content: bytes, size: int, stride: int) -> bytes:
    """Every n-th element, as run_cases.py keeps it."""
    return b"".join(content[at : at + size] for at in range(0, len(content), size * stride))


def _of_arrays(ours: Output, theirs: Output, tolerance: Tolerance) -> str:
    a = np.frombuffer(ours.stdout, theirs.dtype)
    b = np.frombuffer(theirs.stdout, theirs.dtype)
    if a.shape != b.shape:
        return f"{b.size} elements, here {a.size}"
    wrong = ~_agree(a, b, tolerance)
    if not wrong.any():
        return ""
    first = int(np.flatnonzero(wrong)[0])
    where = f"element {first * theirs.stride}"
    return f"{int(wrong.sum())} of {b.size} elements differ; {where} is {b[first]}, here {a[first]}"


def _agree(a: np.ndarray, b: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    if a.dtype.kind not in "fc":
        return np.asarray(a == b)
    relative, of_largest = tolerance.of(a.dtype)
    finite = np.abs(b[np.isfinite(b)])
    absolute = of_largest * float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)) | np.isclose(a, b, relative, absolute))


def _as_text(content: bytes) -> str | None:
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError:
        return None
    return None if any(char < " " and char not in "\n\t\r" for char in text) else text


def _of_texts(a: str, b: str, tolerance: Tolerance) -> str:
    lines_a, lines_b = (_HEXADECIMAL.sub(_decimal, _VENDOR.sub(_musas, text)).splitlines() for text in (a, b))
    if len(lines_a) != len(lines_b):
        return f"{len(lines_b)} lines, here {len(lines_a)}"
    for number, (ours, theirs) in enumerate(zip(lines_a, lines_b), 1):
        if not _lines_agree(ours, theirs, tolerance):
            return f"line {number} is {theirs!r}, here {ours!r}"
    return ""


def _musas(match: re.Match[str]) -> str:
    return "musa" if match[0] == "cuda" else "MUSA"


def _decimal(match: re.Match[str]) -> str:
    return repr(float.fromhex(match[0]))


def records_difference(ours: bytes, theirs: bytes, tolerance: Tolerance, skipped: Callable[[str], bool]) -> str:
    """Compare two records of idioms (idiom.h): lines that announce a value, and its bytes.

    Values whose names are `skipped` are not compared.
    """
    a, b = _entries(ours), _entries(theirs)
    if a.keys() != b.keys():
        return f"only one of them has {sorted(a.keys() ^ b.keys())}"
    for name, (dtype, content) in b.items():
        if skipped(name):
            continue
        wrong = _of_arrays(Output(0, a[name][1], dtype), Output(0, content, dtype), tolerance)
        if wrong:
            return f"{name}: {wrong}"
    return ""


def _entries(content: bytes) -> dict[str, tuple[str, bytes]]:
    found = {}
    while content:
        line, content = content.split(b"\n", 1)
        name, _, counted = line.decode().rpartition(" ")
        name, _, dtype = name.rpartition(" ")
        size = np.dtype(dtype).itemsize * int(counted)
        found[name], content = (dtype, content[:size]), content[size:]
    return found


def with_the_same_lines(ours: bytes, theirs: bytes) -> bytes:
    """Of our lines those whose first two words begin a line of theirs, too."""
    kept = {tuple(line.split()[:2]) for line in theirs.splitlines()}
    return b"".join(line for line in ours.splitlines(keepends=True) if tuple(line.split()[:2]) in kept)


def _lines_agree(a: str, b: str, tolerance: Tolerance) -> bool:
    if a == b:
        return True
    if _NUMBER.sub("#", a) != _NUMBER.sub("#", b):
        return False
    relative = 2e-5 if tolerance.relative is None else tolerance.relative
    pairs = zip(_NUMBER.findall(a), _NUMBER.findall(b))
    # integers agree exactly: only what is written as a fraction was rounded
    return all(x == y or ("." in x + y and np.isclose(float(x), float(y), relative, 0)) for x, y in pairs)


def _of_bytes(a: bytes, b: bytes, tolerance: Tolerance) -> str:
    if len(a) != len(b):
        return f"{len(b)} bytes, here {len(a)}"
    wrong = np.frombuffer(a, np.uint8) != np.frombuffer(b, np.uint8)
    for dtype in ("<f4", "<f8"):
        size = np.dtype(dtype).itemsize
        whole = len(a) // size * size
        agree = _floats_agree(np.frombuffer(a[:whole], dtype), np.frombuffer(b[:whole], dtype), tolerance)
        wrong[:whole] &= ~np.repeat(agree, size)
    return f"byte {int(np.flatnonzero(wrong)[0])} and {int(wrong.sum()) - 1} others differ" if wrong.any() else ""


def _floats_agree(a: np.ndarray, b: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Whether two words, read as floating point, are near; small integers read so are denormal, and never are."""
    relative, _ = tolerance.of(a.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        normal = (np.abs(a) > np.finfo(a.dtype).tiny) & (np.abs(b) > np.finfo(b.dtype).tiny)
        return np.asarray(normal & np.isclose(a, b, relative, 0))
