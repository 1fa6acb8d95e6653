"""Pure: nvcc's flags as mcc's.

Each flag in nvcc_table.py is translated, dropped with a note, or refused. Flags that are not nvcc's own are clang's and
pass through. Not verified on MUSA hardware.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from ..errors import SettingError
from .nvcc_table import NO_PER_THREAD_STREAM, NVCC_FLAGS, STREAM_REMEDY, NvccFlag, Takes

# What PyTorch tells nvcc before the extension's own flags. CUDA code relies on it: "a == b" of two c10::Half would be
# ambiguous if __half had operators too. Code that wants those passes the -U.
TORCH_NVCC_FLAGS = (
    "-D__MUSA_NO_HALF_OPERATORS__",
    "-D__MUSA_NO_HALF_CONVERSIONS__",
    "-D__MUSA_NO_BFLOAT16_CONVERSIONS__",
    "-D__MUSA_NO_HALF2_OPERATORS__",
)

# The names of these macros in MUSA's headers differ in one word.
_RENAMED_MACRO = re.compile(r"-[DU]__CUDA_NO_(?:HALF2?|BFLOAT16|BFLOAT162)_(?:OPERATORS|CONVERSIONS)__(?:=.*)?")
_PER_THREAD_MACRO = re.compile(r"-DCUDA_API_PER_THREAD_DEFAULT_STREAM(?:=.*)?")

# nvcc gives these to the host compiler alone; mcc would change the results of kernels.
_HOST_MATH = re.compile(
    r"-ffast-math|-Ofast|-funsafe-math-optimizations|-ffinite-math-only|-fassociative-math|-freciprocal-math"
    r"|-fno-signed-zeros|-fno-honor-(?:nans|infinities)|-fapprox-func|-ffp-model=(?:fast|aggressive)"
    r"|-mrecip(?:=.*)?|-fcx-limited-range"
)

# Flags of one letter whose value may follow without a space. -t is here with digits only: clang has -target.
_JOINED = re.compile(r"(-[DUIlLO])(.+)|(-t)(\d+)", re.DOTALL)
_LIST_ITEM = re.compile(r"""((?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^,])*)(?:,|$)""", re.DOTALL)


def _key(name: str) -> str:
    """What `name` is looked up by: with one dash or two, with hyphens or underscores. Letters alone are exact."""
    bare = name.lstrip("-")
    return name if len(bare) < 2 else bare.replace("_", "-")


def _by_key() -> dict[str, tuple[NvccFlag, ...]]:
    rows: dict[str, tuple[NvccFlag, ...]] = {}
    for flag in NVCC_FLAGS:
        for name in flag.names.split():
            rows[_key(name)] = (*rows.get(_key(name), ()), flag)
    return rows


_ROWS = _by_key()


class _Given(NamedTuple):
    """One flag as it was given. `key` is empty where it is not nvcc's."""

    words: tuple[str, ...]
    key: str = ""
    value: str = ""

    @property
    def written(self) -> str:
        return " ".join(self.words)


def is_decided(name: str) -> bool:
    """Whether the table knows nvcc's flag `name`."""
    return _key(name) in _ROWS


def translate_nvcc_flags(
    flags: Sequence[str], where: str = "", mcc_version: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return nvcc's `flags` as mcc's, and one line per flag that changed, saying what became of it and why.

    `mcc_version` is the release of the SDK; "" for an unknown one, which gets no flag that older releases lack. Raise
    SettingError, which names `where`, for a flag that cannot be translated and must not be dropped.
    """
    given = list(_read(flags, where))
    keys = {each.key for each in given}
    translated: list[str] = []
    notes: list[str] = []
    for each in given:
        becomes, reason = _translate(each, keys, where, mcc_version)
        translated.extend(becomes)
        if "".join(becomes) != "".join(each.words):
            notes.append(f"{each.written}: {' '.join(becomes) or 'dropped'} ({reason})")
    return tuple(translated), tuple(notes)


def _read(flags: Sequence[str], where: str) -> Iterator[_Given]:
    """Put each flag and its value together."""
    words = list(flags)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        key = next((each for each in (_key(word), _key(name)) if each in _ROWS and word.startswith("-")), "")
        joined = _JOINED.fullmatch(word)
        if not key and joined:
            letter, value = (group for group in joined.groups() if group)
            yield _Given((word,), letter, value.removeprefix("="))
        elif not key or (equals and _ROWS[key][0].takes is Takes.NOTHING):
            yield _Given((word,))
        elif equals or _ROWS[key][0].takes is Takes.NOTHING:
            yield _Given((word,), key, value)
        elif words and (_ROWS[key][0].takes is Takes.OPTIONS or not words[0].startswith("-")):
            value = words.pop(0)
            yield _Given((word, value), key, value)
        elif key == "Werror":
            yield _Given((word,))  # clang's, which takes no value
        else:
            raise _refusal(word, where, "it needs a value", f"write {word}=VALUE")


def _translate(
    given: _Given, keys: Collection[str], where: str, mcc_version: str
) -> tuple[tuple[str, ...], str]:
    """Return mcc's flags for one of nvcc's, and why they are these. `keys` are those of all flags that were given."""
    if not given.key:
        return given.words, ""
    becomes: list[str] = []
    reasons: list[str] = []
    for value in _values(given, where):
        rows = (row for row in _ROWS[given.key] if row.when in (None, value))
        row = next((row for row in rows if _is_for(row, keys, mcc_version)), None)
        if row is None:
            allowed = [row.when or "" for row in _ROWS[given.key]]
            raise _refusal(given.written, where, f"its value is not one of {', '.join(allowed)}", "write one of those")
        if row.remedy:
            raise _refusal(given.written, where, row.reason, row.remedy)
        for flag in (item.replace("{}", value) for item in row.becomes):
            renamed, reason = _adapted(flag, given, where)
            becomes += renamed
            reasons.append(reason or row.reason)
        if not row.becomes:
            reasons.append(row.reason)
        implied = [flag for flag in row.implies if _key(flag.partition("=")[0]) not in keys]
        becomes += translate_nvcc_flags(implied, where, mcc_version)[0]
    return tuple(becomes), "; ".join(dict.fromkeys(reasons))


def _is_for(row: NvccFlag, keys: Collection[str], mcc_version: str) -> bool:
    """Return whether this release of mcc has what `row` says, and no flag that was given overrules a part of it."""
    overruled = any(_key(flag.partition("=")[0]) in keys for flag in row.covers)
    return not (row.since and overruled) and _at_least(mcc_version, row.since)


def _at_least(version: str, since: str) -> bool:
    if not since:
        return True
    try:
        return Version(version) >= Version(since)
    except InvalidVersion:
        return False


def _values(given: _Given, where: str) -> list[str]:
    takes = _ROWS[given.key][0].takes
    if takes in (Takes.NOTHING, Takes.VALUE):
        return [given.value]
    parts = _split_list(given.value)
    if takes is Takes.LIST:
        return parts
    try:
        return [word for part in parts for word in shlex.split(part)]  # nvcc's shell takes off quotation marks
    except ValueError as error:
        raise _refusal(given.written, where, f"a shell cannot read it ({error})", "balance its quotes") from error


def _split_list(text: str) -> list[str]:
    r"""Split at commas as nvcc does: not in quotes, and not at `\,`, which stands for a comma."""
    return [part.replace("\\,", ",") for part in _LIST_ITEM.findall(text) if part]


def _adapted(flag: str, given: _Given, where: str) -> tuple[tuple[str, ...], str]:
    """Return a translated flag with what its text means to MUSA taken into account, and the reason if it changed."""
    if _PER_THREAD_MACRO.fullmatch(flag):
        raise _refusal(given.written, where, NO_PER_THREAD_STREAM, STREAM_REMEDY)
    if _RENAMED_MACRO.fullmatch(flag):
        return (flag.replace("__CUDA_", "__MUSA_", 1),), "the name in MUSA's headers"
    if _ROWS[given.key][0].takes is Takes.OPTIONS and _HOST_MATH.fullmatch(flag):
        kept = ("-O3",) if flag == "-Ofast" else ()
        return kept, "nvcc gives it to host code alone; mcc would change the results of kernels"
    return (flag,), ""


def _refusal(written: str, where: str, reason: str, remedy: str) -> SettingError:
    return SettingError(
        f"{where + ': ' if where else ''}nvcc's flag {written} cannot be used for MUSA: {reason}", hint=remedy
    )
