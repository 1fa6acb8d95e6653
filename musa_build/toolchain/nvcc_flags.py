"""Translate nvcc's flags to mcc's. This module is pure.

nvcc_translations.py has the translation of each flag: it is replaced, dropped with a note, or refused. All other flags
are clang's and pass through.
Not verified on MUSA hardware.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..errors import SettingError
from ..system.host_machine import word_size_flags
from .nvcc_translations import NVCC_FLAGS, PER_THREAD_STREAM, WORD_SIZE, NvccFlag, Takes

# The names of these macros in MUSA's headers differ in one word.
_RENAMED_MACRO = re.compile(r"-[DU]__CUDA_NO_(?:HALF2?|BFLOAT16|BFLOAT162)_(?:OPERATORS|CONVERSIONS)__(?:=.*)?")
_PER_THREAD_MACRO = re.compile(PER_THREAD_STREAM + r"(?:=.*)?")

# nvcc passes these to the host compiler only; mcc would change the results of kernels.
_HOST_MATH = re.compile(
    r"-ffast-math|-Ofast|-funsafe-math-optimizations|-ffinite-math-only|-fassociative-math|-freciprocal-math"
    r"|-fno-signed-zeros|-fno-honor-(?:nans|infinities)|-fapprox-func|-ffp-model=(?:fast|aggressive)"
    r"|-mrecip(?:=.*)?|-fcx-limited-range"
)

#: nvcc, as g++, warns of a variable that braces narrow, `float x{a_double}`, and of the storage class `register` in
#: C++17, and takes a constexpr function that calls log() or the like. clang refuses all three. nvcc's device code reads
#: again after every write, whatever the types of both: kernels that look at a number through a pointer of another type
#: count on it. nvcc reads a kernel for the device alone: a function that has __device__ only where __CUDA_ARCH__ is
#: defined may be called (Random123).
AS_NVCC_FLAGS = (
    *("-Wno-c++11-narrowing", "-Wno-register", "-Wno-invalid-constexpr", "-fno-strict-aliasing"),
    "-fgpu-defer-diag",
)

# One-letter flags whose value may follow without a space. -t needs digits, because clang has -target.
_JOINED = re.compile(r"(-[DUIlLO])(.+)|(-t)(\d+)", re.DOTALL)
# Not a value: `--time -` and `-maxrregcount -1` have one.
_FLAG = re.compile(r"-[^\d]")
_LIST_ITEM = re.compile(r"""((?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^,])*)(?:,|$)""", re.DOTALL)


def _spelling(name: str) -> str:
    """Return a name without dashes: one dash or two, hyphens and underscores are equal. One letter keeps a dash."""
    bare = name.lstrip("-")
    return f"-{bare}" if len(bare) == 1 else bare.replace("_", "-")


def _by_key() -> tuple[dict[str, tuple[NvccFlag, ...]], dict[str, str]]:
    """Return the rows of each key, and the key of each spelling: that of the long name."""
    rows: dict[str, tuple[NvccFlag, ...]] = {}
    keys: dict[str, str] = {}
    for flag in NVCC_FLAGS:
        long = ""
        for name in flag.names.split():
            long = name if name.startswith("--") or not long else long
            key = keys.setdefault(_spelling(name), _spelling(long))
            if flag not in rows.get(key, ()):
                rows[key] = (*rows.get(key, ()), flag)
    return rows, keys


_ROWS, _KEYS = _by_key()


def _spellings() -> Iterator[str]:
    """Yield the names as nvcc takes them. One with two dashes is also taken with one, unless a shorter one follows."""
    for flag in NVCC_FLAGS:
        names = flag.names.split()
        for name, following in zip(names, [*names[1:], "--"]):
            yield name
            if name.startswith("--") and following.startswith("--"):
                yield name[1:]


_SPELLINGS = frozenset(_spellings())


def _key(name: str) -> str:
    """Return the key of a flag, which all its names share; "" if it is not nvcc's."""
    return _KEYS.get(_spelling(name), "") if name.startswith("-") else ""


class ParsedFlag(NamedTuple):
    """One flag with its value. `key` is its long name without dashes; empty if the flag is not nvcc's."""

    arguments: tuple[str, ...]
    key: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.arguments)

    @property
    def name(self) -> str:
        """The name as it was given, with a joined value: "--std", "-O3"."""
        return self.arguments[0].partition("=")[0]

    @property
    def is_spelled_as_in_nvcc(self) -> bool:
        """Whether nvcc takes the name with these dashes and hyphens."""
        return self.name in _SPELLINGS or _JOINED.fullmatch(self.name) is not None


def with_variables(flags: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Return `flags` between those of the variables that nvcc reads: NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS.

    Raises:
        SettingError: A variable is not text of a shell.
    """
    before, after = of_variables(environment)
    return [*before, *flags, *after]


def of_variables(environment: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the flags of NVCC_PREPEND_FLAGS and of NVCC_APPEND_FLAGS. Raises SettingError, as with_variables."""
    return _of_variable("NVCC_PREPEND_FLAGS", environment), _of_variable("NVCC_APPEND_FLAGS", environment)


def _of_variable(name: str, environment: Mapping[str, str]) -> list[str]:
    text = environment.get(name, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SettingError(f"{name} is not text of a shell", found=f"{text!r}: {error}") from error


def translate_nvcc_flags(
    flags: Sequence[str], extension: str = "", mcc_version: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Translate nvcc's `flags` to mcc's.

    Args:
        flags: The flags of nvcc.
        extension: The name to show in errors.
        mcc_version: The release of the SDK; "" for an unknown one, which gets no flag that older releases lack.

    Returns:
        The flags of mcc, and a line for each flag that changed, with its translation and the reason.

    Raises:
        SettingError: A flag cannot be translated and must not be dropped.
    """
    return translate_parsed(parse_nvcc_flags(flags, extension), extension, mcc_version)


def translate_parsed(
    parsed: Sequence[ParsedFlag], extension: str = "", mcc_version: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Translate flags that parse_nvcc_flags returned; see translate_nvcc_flags."""
    keys = {flag.key for flag in parsed}
    streams = [index for index, flag in enumerate(parsed) if flag.key == "default-stream"]
    translated: list[str] = []
    notes: list[str] = []
    for index, flag in enumerate(parsed):
        result, reason = _translate(flag, keys, extension, mcc_version)
        if index in streams[:-1]:
            result, reason = (), "nvcc takes the last one"
        if result == (WORD_SIZE,):
            result = word_size_flags()
        translated.extend(result)
        if "".join(result) != "".join(flag.arguments):
            notes.append(f"{flag.text}: {' '.join(result) or 'dropped'} ({reason})")
    return tuple(translated), tuple(notes)


def parse_nvcc_flags(flags: Sequence[str], extension: str = "") -> tuple[ParsedFlag, ...]:
    """Return each flag with its value. Raises SettingError if a value is missing."""
    return tuple(_parse(flags, extension))


def _parse(flags: Sequence[str], extension: str) -> Iterator[ParsedFlag]:
    arguments = list(flags)
    while arguments:
        argument = arguments.pop(0)
        name, equals, value = argument.partition("=")
        key = _key(argument) or _key(name)
        joined = _JOINED.fullmatch(argument)
        if not key and joined:
            letter, value = (group for group in joined.groups() if group)
            yield ParsedFlag((argument,), _key(letter), value.removeprefix("="))
        elif not key or (equals and _ROWS[key][0].takes is Takes.NOTHING):
            yield ParsedFlag((argument,))
        elif equals or _ROWS[key][0].takes is Takes.NOTHING:
            yield ParsedFlag((argument,), key, value)
        elif arguments and (_ROWS[key][0].takes is Takes.OPTIONS or not _FLAG.match(arguments[0])):
            value = arguments.pop(0)
            yield ParsedFlag((argument, value), key, value)
        elif key == "Werror":
            yield ParsedFlag((argument,))  # clang's, which takes no value
        else:
            raise _refusal(argument, extension, "it needs a value", f"write {argument}=VALUE")


def _translate(
    flag: ParsedFlag, keys: Collection[str], extension: str, mcc_version: str
) -> tuple[tuple[str, ...], str]:
    """Return mcc's flags for one of nvcc's, and the reason. `keys` are those of all flags of the command."""
    if not flag.key:
        return flag.arguments, ""
    result: list[str] = []
    reasons: list[str] = []
    for value in _values(flag, extension):
        rows = (row for row in _ROWS[flag.key] if row.when in (None, value))
        row = next((row for row in rows if _is_for(row, keys, mcc_version)), None)
        if row is None:
            allowed = [row.when or "" for row in _ROWS[flag.key]]
            raise _refusal(flag.text, extension, f"its value is not one of {', '.join(allowed)}", "write one of those")
        if row.remedy:
            raise _refusal(flag.text, extension, row.reason, row.remedy)
        for item in row.becomes:
            adapted, reason = _adapted(item.replace("{}", value), flag, extension)
            result += adapted
            reasons.append(reason or row.reason)
        if not row.becomes:
            reasons.append(row.reason)
        implied = [other for other in row.implies if _key(other.partition("=")[0]) not in keys]
        result += translate_nvcc_flags(implied, extension, mcc_version)[0]
    return tuple(result), "; ".join(dict.fromkeys(reasons))


def _is_for(row: NvccFlag, keys: Collection[str], mcc_version: str) -> bool:
    """Return whether this release of mcc has the flags of `row`, and no other flag overrules a part of them."""
    overruled = any(_key(flag.partition("=")[0]) in keys for flag in row.covers)
    return not (row.since and overruled) and _at_least(mcc_version, row.since)


def _at_least(version: str, since: str) -> bool:
    """Return whether a release of mcc is `since` or newer. An unknown one ("") is not, nor is a candidate."""
    if not since:
        return True
    release = re.match(r"(\d+(?:\.\d+)*)([-_.]?(?:a|b|c|rc|alpha|beta|pre|dev)\d*)?", version)
    if release is None:
        return False
    numbers = [[int(number) for number in text.split(".")] for text in (release[1], since)]
    return numbers[0] > numbers[1] or (numbers[0] == numbers[1] and not release[2])


def _values(flag: ParsedFlag, extension: str) -> list[str]:
    takes = _ROWS[flag.key][0].takes
    if takes in (Takes.NOTHING, Takes.VALUE):
        return [flag.value]
    parts = split_list(flag.value)
    if takes is Takes.LIST:
        return parts
    try:
        return [option for part in parts for option in shlex.split(part)]  # nvcc's shell removes the quotes
    except ValueError as error:
        raise _refusal(flag.text, extension, f"a shell cannot read it ({error})", "balance its quotes") from error


def split_list(text: str) -> list[str]:
    r"""Split at commas as nvcc does: not in quotes, and not at `\,`, which means a comma."""
    return [part.strip().replace("\\,", ",") for part in _LIST_ITEM.findall(text) if part.strip()]


def _adapted(translated: str, flag: ParsedFlag, extension: str) -> tuple[tuple[str, ...], str]:
    """Return a translated flag, changed where its text needs it, and the reason if it changed.

    Macros get MUSA's names. Host-only options for faster arithmetic are dropped.
    """
    if _PER_THREAD_MACRO.fullmatch(translated):
        # CUDA's name stays for sources that ask for it
        both = (translated, translated.replace("-DCUDA_", "-DMUSA_", 1), "-fgpu-default-stream=per-thread")
        return both, "MUSA's macro for the API, clang's flag for launches"
    if _RENAMED_MACRO.fullmatch(translated):
        return (translated.replace("__CUDA_", "__MUSA_", 1),), "the name in MUSA's headers"
    if _ROWS[flag.key][0].takes is Takes.OPTIONS and _HOST_MATH.fullmatch(translated):
        kept = ("-O3",) if translated == "-Ofast" else ()
        return kept, "nvcc passes it to host code only; mcc would change the results of kernels"
    return (translated,), ""


def _refusal(flag: str, extension: str, reason: str, remedy: str) -> SettingError:
    return SettingError(
        f"{extension + ': ' if extension else ''}nvcc's flag {flag} cannot be used for MUSA: {reason}", hint=remedy
    )
