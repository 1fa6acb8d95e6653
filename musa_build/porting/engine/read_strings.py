"""String literals that name CUDA and are read at run time, other than by a look-up of names.

A compiler reads kernels, PTX and options. A loader reads files of machine code. Python, a shell and the environment
read texts of their own. The text alone is judged here (`named_strings.is_harmless` asks whether it is only printed).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional

from .string_words import CARDS, PREFIXES, TOOLS, VARIABLES, environment_variable, has_same_value

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

Lookup = Callable[[str], Optional[str]]
NAME, CODE = "name-in-string", "code-in-string"
BEGINS, COMPARED = "begins", "compared"


class Reading(NamedTuple):
    """The meaning of a text that names CUDA: the finding's `code`, and the `message`.

    `use` limits this to a text that BEGINS a longer one, or that is COMPARED with another.
    """

    code: str
    message: str
    use: str = ""


class Literal(NamedTuple):
    """The text `content` that `text[start:end]` spells; its first quotation mark is at `quote`."""

    quote: int
    start: int
    end: int
    content: str


# A text without any of these has no reading: a quick look at all literals of a file.
_HINT = re.compile(
    r"(?i)cu(?!r[rvst]|st|t)|nv|nccl|ptx|sm_|compute_|nsys|fatbin|-arch\b|gpu-|\basm\b|sanitizer|\b(?:"
    + "|".join(sorted(CARDS))
    + r")\b"
)
# A match of it has one of these in small letters: plain searches are fast, and long texts of PTX are many.
_MARKS = (
    *("cu", "nv", "nccl", "ptx", "sm_", "compute_", "nsys", "fatbin", "-arch", "gpu-", "asm", "sanitizer"),
    *(card.lower() for card in CARDS),
)
_WORD = re.compile(r"[A-Za-z_]\w*")
INCLUDED = re.compile(r"#[ \t]*include[ \t]*(?:<|\\?\")([\w./+-]+)")
_KERNEL = re.compile(r"\b__(?:global|device|shared|constant)__\b")
_STATEMENT = re.compile(r"\b(?:[A-Za-z_]\w*::)*([A-Za-z_]\w*)(?:<<<[^>]*>>>)?\s*\([^;\"]*\)\s*;")
_ASSEMBLY = re.compile(r"\basm\b\s*(?:volatile\b\s*)?\(")
_PTX = re.compile(r"\.target[ \t]+sm_|\.visible[ \t]+\.(?:entry|func)\b|\.address_size[ \t]+\d|\.version[ \t]+\d\.\d")
_MACHINE_CODE = re.compile(r"[^\s\"]*\.(?:cubin|ptx|fatbin)")
_SOURCE_FILE = re.compile(r"[\w./%{}-]*\w\.(cu|cuh)")
_ARCHITECTURE = re.compile(r"(?:^|[\s=,:;\"'\[\\(])(?:arch=|code=)?(?:sm|compute|lto)_(?:\d|%|\{|\$|\Z)")
_SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,}")
_OPTION = re.compile(
    r"(?:^|\s)(?:-arch|-code|--gpu-architecture|--gpu-code|-gencode|--generate-code)(?:[\s=]|\Z)"
    r"|(?:^|\s)-x ?cu(?:da)?(?!\S)"
)
_FOLDER = re.compile(r"/usr/local/cuda\b|/opt/cuda\b|\bNVIDIA GPU Computing Toolkit\b")
_TOOL = "|".join(map(re.escape, sorted(TOOLS, key=len, reverse=True)))
_COMMAND = re.compile(
    rf"(?:^|[|;&`(\n]|\b(?:which|where|exec|sudo|command -v|-c)\s)[\s'\"\\]*(?:[A-Z_]\w*=\S*\s+)*"
    rf"(?:[^\s\"'|;&]*[/\\])?({_TOOL})(?:\.exe)?(?=\Z|[\s'\"\\|;&>])"
)
_ASSIGNED = re.compile(r"(?:^|[\s;&])([A-Z][A-Z0-9_]*)(?==)")
_PYTHON = re.compile(r"\btorch\.cuda\b|\.cuda\(\)|\bimport\s+(?:cupy|pycuda)\b|\bnumba\.cuda\b")
_PYTHON_DEVICE = re.compile(
    r"\b(?:\w*device|map_location|torch\.device|to)(?:\s*(?:=|\()\s*|['\"]\s*:\s*)\\?['\"]cuda(?::\d+)?\\?['\"]"
    r"|(?m:^\s*-?\s*(?:\w*_)?device:[ \t]+cuda(?::\d+)?[ \t]*(?:#.*)?$)"
)
_DEVICE_FILE = re.compile(r"/dev/nvidia|/proc/driver/nvidia")
_ERROR = re.compile(
    r"(?i)\b(?:CUDA|CUDNN|CUBLAS|NCCL)[ _](?:runtime |driver |kernel |internal )?(?:out of memory|errors?\b)"
)
_CARD = re.compile(rf"(?:.*\W)?(?:{'|'.join(sorted(CARDS))}|NVIDIA|Tesla)\b.*")
_VARIABLE_BEGIN = re.compile(r"(?:CUDA|NCCL|CUDNN|CUBLAS|NVIDIA)_(?:[A-Z]+_?)*")
_MEMBERS = {"is_cuda": "is_musa"}
_PREFIX = re.compile(
    rf"({'|'.join(sorted(PREFIXES, key=len, reverse=True))})(?:(?!_)[A-Za-z0-9]*(?:%s|\{{\w*\}}|\$\{{?\w+\}}?)\w*)?"
)

_ARCHITECTURES = "MUSA's architectures are mp_21, mp_22 and mp_31, and its compilers have other options for them"


def reading_of(content: str, lookup: Lookup, header: Lookup) -> Optional[Reading]:
    """Return the reading of a literal's text; None if nothing about CUDA is seen in it.

    `lookup` and `header` give the new names of identifiers and headers.
    """
    lower = content.lower()
    if not any(mark in lower for mark in _MARKS) or _HINT.search(content) is None:
        return None
    source = _source(content, lookup, header)
    if source is not None:
        return Reading(CODE, f"this text is code, and {source}: --strings ports the names in it, or port it by hand")
    if _PTX.search(content):
        return Reading(CODE, "this text is PTX, and MUSA has none: compile the kernel's source for MUSA")
    if _MACHINE_CODE.fullmatch(content):
        return Reading(CODE, f'"{content}" is a file of code for NVIDIA\'s cards: mcc makes those for MUSA')
    file = _SOURCE_FILE.fullmatch(content)
    if file is not None:
        new = content[: -len(file[1])] + file[1].replace("cu", "mu")
        return Reading(NAME, f'"{content}" is a source file, which is "{new}" in the port')
    is_sentence = _SENTENCE.search(content) is not None and not content.lstrip().startswith("-")
    if not is_sentence and (_ARCHITECTURE.search(content) or _OPTION.search(content)):
        return Reading(CODE, f'"{_short(content)}" is an option or an architecture of NVIDIA\'s: {_ARCHITECTURES}')
    python = _PYTHON.search(content) or _PYTHON_DEVICE.search(content)
    if python is not None:
        message = f'{python[0]} in this text is CUDA\'s for Python: on MUSA the module is torch.musa, the device "musa"'
        return Reading(CODE, message)
    command = _COMMAND.search(content)
    if command is not None:
        return Reading(CODE, f"{command[1]} is a program of NVIDIA's: {TOOLS[command[1]]}")
    return _variable(content) or _folder(content) or _prefix(content) or _where_compared(content)


def _short(content: str) -> str:
    return content if len(content) <= 60 and "\n" not in content else f"{content[:57].splitlines()[0]}..."


def _source(content: str, lookup: Lookup, header: Lookup) -> Optional[str]:
    """Return a word about the part of a text that porting would change, if it is a source: a kernel, an #include."""
    included = next((path for path in INCLUDED.findall(content) if header(path) is not None), None)
    if included is not None:
        return f"it includes {included}, which is {header(included)} on MUSA"
    words: Iterator[str] = iter(())
    if _KERNEL.search(content):
        if _ASSEMBLY.search(content):
            return "it has inline PTX, which MUSA does not have"
        words = iter(_WORD.findall(content))
    elif ";" in content:
        words = (call[1] for call in _STATEMENT.finditer(content))
    renamed = next((word for word in words if lookup(word) is not None), None)
    return None if renamed is None else f"it names {renamed}, which is {lookup(renamed)} on MUSA"


def _variable(content: str) -> Optional[Reading]:
    names = [content] if content in VARIABLES else _ASSIGNED.findall(content)
    for name in names:
        new = environment_variable(name)
        if new is not None:
            hint = f"MUSA reads {new}" if new else "MUSA is not known to read it, or a variable in its place"
            return Reading(NAME, f"{name} is a variable of the environment for CUDA: {hint}")
    return None


def _folder(content: str) -> Optional[Reading]:
    if content in _MEMBERS:
        return Reading(NAME, f'"{content}" is false for tensors on MUSA: ask for "{_MEMBERS[content]}"')
    if _DEVICE_FILE.search(content):
        return Reading(NAME, f"\"{_short(content)}\" is made by NVIDIA's driver: no card of Moore Threads' is there")
    if _FOLDER.search(content) is None:
        return None
    return Reading(NAME, f'"{_short(content)}" is a folder of NVIDIA\'s toolkit: the MUSA SDK is in /usr/local/musa')


def _prefix(content: str) -> Optional[Reading]:
    prefix = _PREFIX.fullmatch(content)
    if prefix is None:
        return None
    new = PREFIXES[prefix[1]]
    message = f'"{content}" begins a name that is put together at run time: a name of CUDA begins with "{new}" on MUSA'
    return Reading(NAME, message, BEGINS if prefix[1] == content else "")


def _where_compared(content: str) -> Optional[Reading]:
    if _VARIABLE_BEGIN.fullmatch(content):
        message = f'"{content}" begins the names of variables of the environment for CUDA: MUSA\'s have others'
        return Reading(NAME, message, BEGINS)
    if _ERROR.search(content):
        return Reading(NAME, f'"{_short(content)}" is compared here: the errors on MUSA have other texts', COMPARED)
    if _CARD.fullmatch(content):
        return Reading(
            NAME, f'"{_short(content)}" is compared here: the names of MUSA\'s cards begin with MTT', COMPARED
        )
    return None


# A function of the environment that is given the name of a variable first.
_OF_ENVIRONMENT = re.compile(r"\b(?i:\w*(?:get|set|put|has|check)_?env(?:ironmentvariable)?(?:_s|[aw])?)\s*\(\s*L?\"\Z")


def variables_of_environment(
    layout: Layout, identifiers: frozenset[str], index: IdentifierIndex
) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the names of variables in calls of the environment's functions."""
    for name in filter(has_same_value, identifiers):
        for at in index.offsets(name):
            end = at + len(name)
            is_whole = layout.text.startswith(name, at) and layout.text[end : end + 1] in ('"', "=")
            if is_whole and _OF_ENVIRONMENT.search(layout.code, max(0, at - 80), at):
                yield at, end, environment_variable(name) or name


_NEAR = 2000  # characters in which a variable's use is searched
# Where a literal is a part of a longer text.
_ADDED = re.compile(r"\s*(?:s|sv)?\s*[)}]*\s*(?:\+(?!\+)|<<|\.\s*append\b)")
_ADDED_TO = re.compile(r"(?<!\+)\+\s*(?:[\w:]*\(\s*)?\Z")
_JOINING = re.compile(
    r"\b(?:\w*(?:[cC]at|[cC]oncat|[aA]ppend|[jJ]oin)|strn?cpy|push_back|insert)\s*\(\s*(?:[^;()]*,)?\s*\Z"
)
_NAMED = re.compile(r"\b(\w+)\s*(?:=\s*(?:[\w:]+\s*[({]\s*)?|[({]\s*)\Z")


_COMPARING = re.compile(
    r"(?:[=!]=\s*|\b(?:\w*[fF]ind\w*|strn?(?:case)?(?:str|cmp)|\w*[cC]ompare\w*|\w*[cC]ontains\w*|starts_?with|StartsWith"
    r"|HasSubstr|HasPrefix|ends_?with|\w*regex\w*|\w*[mM]atch\w*|\w*_(?:STR)?(?:CASE)?(?:EQ|NE))\s*(?:\w+\s*)?[({][^;{}]*)\Z"
)
_COMPARED_BEHIND = re.compile(r"\s*s?\s*\)*\s*[=!]=")
_BEGINNING = re.compile(r"\b(?:strn(?:case)?cmp|starts_?with|StartsWith|HasPrefix|rfind|\w*[cC]ompare)\s*\([^;{}]*\Z")


def is_used_so(use: str, code: str, quote: int, end: int) -> bool:
    """Return whether the literal `code[quote:end]` has this `use` of a reading."""
    before = code[max(0, quote - 120) : quote]
    if use == COMPARED:
        return _COMPARING.search(before) is not None or _COMPARED_BEHIND.match(code, end) is not None
    return not use or _BEGINNING.search(before) is not None or is_joined(code, quote, end)


def is_joined(code: str, quote: int, end: int) -> bool:
    """Return whether the literal `code[quote:end]` becomes a part of a longer text, also by its variable."""
    before = code[max(0, quote - 120) : quote]
    if _ADDED.match(code, end) or _ADDED_TO.search(before) or _JOINING.search(before):
        return True
    named = _NAMED.search(before)
    if named is None or named[1] not in code[end : end + _NEAR]:
        return False
    use = rf"\b{named[1]}\s*(?:\+=|\+(?!\+)|\.\s*(?:append|insert|push_back)\b)|(?<!\+)\+\s*{named[1]}\b"
    return re.compile(use).search(code, end, end + _NEAR) is not None


def literals(layout: Layout, identifiers: frozenset[str], index: IdentifierIndex) -> Iterator[Literal]:
    """Yield the literals with one of the `identifiers`, in order; joined literals are one text, without escapes.

    All joined ones are yielded: they may only be a name together.
    """
    text = layout.text
    last = 0
    named = {at for identifier in identifiers for at in index.offsets(identifier)}
    for at in sorted(named.union(layout.joined_literals)):
        pieces = layout.literals_at(at) if at >= last else ()
        if not pieces:
            continue
        last = pieces[-1][1]
        contents = [content_of(text, *piece) for piece in pieces]
        content = "".join(value_of(text, *piece) for piece in pieces)
        yield Literal(pieces[0][0], contents[0][0], contents[-1][1], content)


def value_of(text: str, start: int, end: int) -> str:
    """Return the value of the literal `text[start:end]`."""
    content = text[slice(*content_of(text, start, end))]
    return content if text[start - 1 : start] == "R" else without_escapes(content)


_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]+)|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|(\r?\n)|(.))")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "b": "\b", "e": "\x1b"}


def without_escapes(spelling: str) -> str:
    """Return the value of a literal with this `spelling`."""
    return _ESCAPE.sub(_character, spelling) if "\\" in spelling else spelling


def _character(escape: re.Match[str]) -> str:
    if escape[6] is not None:
        return _LETTERS.get(escape[6], escape[6])
    if escape[5] is not None:
        return ""
    hexadecimal = escape[1] or escape[2] or escape[3]
    code = int(escape[4], 8) if hexadecimal is None else int(hexadecimal, 16)
    return chr(code) if code < 256 else "?"  # the other literals are bytes, too


def with_escapes(text: str) -> str:
    """Return a spelling of `text` for a literal."""
    escapes = {mark: f"\\{letter}" for letter, mark in _LETTERS.items() if letter != "e"}
    return "".join(escapes.get(mark, f"\\{ord(mark):03o}" if mark < " " else mark) for mark in text)


def content_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the content of the literal `text[start:end]` is."""
    if text[start - 1 : start] == "R":
        opening = text.index("(", start)
        return opening + 1, max(opening + 1, end - (opening - start) - 1)
    return start + 1, end - 1
