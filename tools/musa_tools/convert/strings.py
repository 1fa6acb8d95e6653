"""Strings that mean a device, a backend, an environment variable, or a command with such words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from .candidates import is_candidate
from .edits import LEFT, UNCLEAR, UNSUPPORTED, Findings
from .extension import EXTENSION_KEYWORDS
from .folding import Part, parts_of
from .literals import Field, LiteralError, Text, parse_field, parts
from .meanings import DEVICE_TEXT, INDEXED_TEXT, Meaning, meaning_of_name
from .source import Offsets
from .vocabulary import (
    OTHER_TOOLS,
    OTHER_VALUES,
    OTHER_VARIABLE,
    dispatch_key,
    environment_variable,
    musa_path,
    profiler_column,
)

if TYPE_CHECKING:
    from .scopes import Scope

_BACKEND_TEXT = re.compile(r"nccl|NCCL|(?:\w+:\w+,)*cuda:nccl(?:,\w+:\w+)*")
_TORCH_TEXT = re.compile(r"torch\.cuda((?:\.\w+)*)")
_MESSAGE_WORDS = re.compile(r"(?<![\w./-])(?:CUDA|cuda|NCCL|nccl)(?![\w/-]|\.\w)")
_ERROR_TEXT = re.compile(r"\b(?:CUDA|cuDNN|CUDNN|CUBLAS|NCCL) (?:out of memory|error)")
_VARIABLE = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]*(?![A-Za-z0-9_])")
_OPTION_AND_VALUE = re.compile(
    r"(?<![\w-])--?([A-Za-z][\w.-]*)(?:\s*=\s*|\s+(?:\\\r?\n\s*)?)[\"']?(cuda|nccl)(?![\w/.-])"
)
_INDEXED_WORD = re.compile(r"(?<![\w/.:-])cuda(?=:(?:\d|%|\{|$))")
_OPTION = re.compile(r"--?[\w-]+=\S*")
_PROVIDER = "CUDAExecutionProvider"
_DEVICE_PATTERN = re.compile(r"\^?cuda(?:[:*$\\(\[|][^\s/]*)?")
_CODE = re.compile(r"\btorch\.cuda\.\w|\.cuda\(\)")
_GIVES_DEVICE = re.compile(r"(?m)(?:^|[\s{,.\"'+])\w*device[\"']?\s*[:=]\s*[\"']?cuda(?::\d+)?(?![\w.:])")
_SEPARATOR = re.compile(r"\s*[,;|/ ]\s*")
_OTHER_DEVICES = frozenset(
    ["cpu", "gpu", "mps", "xpu", "npu", "hpu", "mlu", "tpu", "xla", "meta", "auto", "gloo", "mpi", "ucc"]
)
MUSA = {"cuda": "musa", "CUDA": "MUSA", "nccl": "mccl", "NCCL": "MCCL"}


def converted(text: str, meaning: Meaning) -> Optional[tuple[str, str]]:
    """Return the replacement of a string with this meaning, and the name of the rule; None if nothing changes."""
    if meaning & Meaning.MESSAGE:
        new = _MESSAGE_WORDS.sub(lambda found: MUSA[found.group()], text)
        return (new, "message") if new != text else None
    if (meaning & Meaning.DEVICE and DEVICE_TEXT.fullmatch(text)) or (
        meaning & Meaning.INDEXED and INDEXED_TEXT.fullmatch(text)
    ):
        return "musa" + text[4:], "device string"
    if meaning & Meaning.BACKEND and _BACKEND_TEXT.fullmatch(text):
        return text.replace("cuda", "musa").replace("nccl", "mccl").replace("NCCL", "MCCL"), "backend string"
    if meaning & Meaning.ENVIRONMENT:
        variable = environment_variable(text)
        return (variable, "environment variable") if variable else None
    key = dispatch_key(text) if meaning & Meaning.DISPATCH else None
    if key:
        return key, "dispatch key"
    column = profiler_column(text) if meaning else None
    if column:
        return column, "profiler column"
    found = _TORCH_TEXT.fullmatch(text) if meaning else None
    path = musa_path(found.group(1)[1:]) if found else None
    if path is not None:
        return (f"torch.musa.{path}" if path else "torch.musa"), "torch.cuda in a string"
    return None


def may_be_device(text: str) -> bool:
    """Whether a string in an unknown context may still mean devices or backends: "cuda", "cpu,cuda:0"."""
    if _DEVICE_PATTERN.fullmatch(text) or dispatch_key(text):
        return True
    words = _SEPARATOR.split(text)
    named = [bool(DEVICE_TEXT.fullmatch(each)) or each in ("nccl", "NCCL") for each in words]
    return any(named) and all(is_named or each in _OTHER_DEVICES for is_named, each in zip(named, words))


@dataclass(frozen=True)
class Word:
    """A word of a command that MUSA calls otherwise. `start` and `end` are offsets in the text."""

    start: int
    end: int
    new: str
    rule: str


def words_of_command(text: str) -> list[Word]:
    """Return the words to change in a command, or in a part of one."""
    found = {word.start: word for word in _words(text)}
    return [found[start] for start in sorted(found)]


def _words(text: str) -> Iterator[Word]:
    for each in _VARIABLE.finditer(text):
        variable = environment_variable(each.group())
        if variable:
            yield Word(*each.span(), variable, "environment variable")
    for each in _INDEXED_WORD.finditer(text):
        yield Word(*each.span(), "musa", "device string")
    for each in _OPTION_AND_VALUE.finditer(text):
        wanted = Meaning.BACKEND if each.group(2) == "nccl" else Meaning.DEVICE
        if meaning_of_name(each.group(1)) & wanted:
            rule = "backend string" if wanted is Meaning.BACKEND else "device string"
            yield Word(*each.span(2), MUSA[each.group(2)], rule)


def names_of_cuda(command: str) -> list[str]:
    """Return the words of a command that may mean the device, or a variable of CUDA's."""
    variables = [each for each in _VARIABLE.findall(command) if OTHER_VARIABLE.fullmatch(each)]
    return list(dict.fromkeys([*variables, *_MESSAGE_WORDS.findall(command)]))


def tools_of_nvidia(text: str) -> list[str]:
    """Return a remark for each program, library or architecture of NVIDIA's that a text names."""
    return [remark for pattern, remark in OTHER_TOOLS if pattern.search(text)]


def _says_something(text: str) -> bool:
    """Return whether a text has a command for CUDA, gives a device, or has code for one."""
    return bool(words_of_command(text) or _GIVES_DEVICE.search(text) or _CODE.search(text))


@dataclass(frozen=True)
class Strings:
    """Changes string literals of one file."""

    findings: Findings

    def _command(self, texts: list[Text]) -> bool:
        """Change the words of a command, and note those that are left.

        Return whether something changed or was noted.
        """
        found = False
        for text in texts:
            rest = self.findings.code[text.start : text.end].decode("latin-1")  # a character is a byte
            words = words_of_command(rest)
            for word in reversed(words):
                self.findings.span(text.start + word.start, text.start + word.end, word.new.encode(), word.rule)
                rest = rest[: word.start] + rest[word.end :]
            left = names_of_cuda(rest)
            if left:
                self.findings.note(text.start, UNCLEAR, f"this command still says {', '.join(left)}")
            found |= bool(words or left)
        return found

    def _leftover(self, start: int, value: str, meaning: Meaning) -> None:
        """Note the possible meaning of a string that is left."""
        if meaning & Meaning.SHOWN:
            if meaning & Meaning.WRITTEN and "\n" in value and _says_something(value):
                self.findings.note(start, UNCLEAR, "nothing here says whether this text is for people or for a program")
            return
        tool = next(iter(tools_of_nvidia(value)), None)
        if meaning & Meaning.COMPARED and _ERROR_TEXT.search(value):
            self.findings.note(start, UNSUPPORTED, f"{value!r}: the errors of torch_musa say MUSA, not CUDA")
        elif meaning & Meaning.COMPARED and meaning & Meaning.DEVICE and _MESSAGE_WORDS.search(value):
            self.findings.note(start, UNSUPPORTED, f"{value!r} is compared with a device: change it by hand")
        elif may_be_device(value) and meaning & Meaning.LOCATION:
            message = f"{value!r}, in a function for map_location, may mean the device: change it by hand"
            self.findings.note(start, UNSUPPORTED, message)
        elif may_be_device(value):
            message = f"nothing here says that {value!r} means a device; if it does, change it by hand"
            self.findings.note(start, UNCLEAR, message)
        elif environment_variable(value):
            self.findings.note(start, UNCLEAR, f"nothing here says that {value!r} is a variable of the environment")
        elif value in OTHER_VALUES:
            self.findings.note(start, UNCLEAR, f"{value} {OTHER_VALUES[value]}")
        elif meaning & Meaning.ENVIRONMENT and OTHER_VARIABLE.fullmatch(value):
            self.findings.note(start, UNCLEAR, f"torch_musa is not known to read {value}, or a variable in its place")
        elif value in EXTENSION_KEYWORDS:
            self.findings.note(start, UNCLEAR, f"torch_musa's functions call {value} {EXTENSION_KEYWORDS[value]}")
        elif _PROVIDER in value:
            self.findings.note(start, LEFT, f"{_PROVIDER} is ONNX Runtime's name for CUDA")
        elif tool:
            self.findings.note(start, UNCLEAR, tool)
        elif _CODE.search(value):
            self.findings.note(start, UNCLEAR, "nothing here says whether this text is code: look at it")
        elif words_of_command(value):
            self.findings.note(start, UNCLEAR, "nothing here says whether this text is a command or for people")
        elif _GIVES_DEVICE.search(value):
            self.findings.note(start, UNCLEAR, "this text may give a device to what reads it: change it by hand")
        elif _MESSAGE_WORDS.search(value):
            self.findings.note(start, LEFT, "this text names the device")

    def constant(self, node: ast.Constant, meaning: Meaning, offsets: Offsets) -> None:
        """Change a literal if its text means something in this way."""
        value = node.value
        assert isinstance(value, str)
        start = offsets.start(node)
        change = converted(value, meaning)
        texts = [part for part in self._parts(start, offsets.end(node)) if isinstance(part, Text)]
        if change is None:
            is_command = meaning & Meaning.COMMAND or _OPTION.fullmatch(value)
            if not (is_command and self._command(texts)) and not meaning & Meaning.MESSAGE:
                self._leftover(start, value, meaning)
            return
        new, rule = change
        raw = [self.findings.code[text.start : text.end] for text in texts]
        if rule == "message":
            for text in texts:
                self._message(text)
        elif raw == [value.encode()]:
            self.findings.span(texts[0].start, texts[0].end, new.encode(), rule)
        elif b"".join(raw) == value.encode() and len(new) == len(value):
            self._spread([(text.start, text.end) for text in texts], new, rule)
        else:
            self.findings.note(start, UNSUPPORTED, f"{value!r} is written with escapes or in parts: change it by hand")

    def _spread(self, ranges: Iterable[tuple[int, int]], new: str, rule: str) -> None:
        """Write a new text over the parts of the old one, which have as many characters."""
        position = 0
        for start, end in ranges:
            part = new[position : position + end - start]
            self.findings.span(start, end, part.encode(), rule)
            position += end - start

    def parts(self, node: ast.expr, scope: Scope) -> Optional[list[Part]]:
        """Return the parts of which an expression makes a text, as far as the file says."""
        return parts_of(node, scope)

    def joined(self, literals: Sequence[ast.Constant], meaning: Meaning, offsets: Offsets) -> bool:
        """Change the sum of some literals if its text means something in this way. Return whether it was changed."""
        value = "".join(str(literal.value) for literal in literals)
        change = None if meaning & Meaning.MESSAGE else converted(value, meaning)
        if change is None:
            return False
        parts = [part for each in literals for part in self._parts(offsets.start(each), offsets.end(each))]
        raw = b"".join(self.findings.code[part.start : part.end] for part in parts)
        if raw == value.encode() and len(change[0]) == len(value):
            self._spread([(part.start, part.end) for part in parts], *change)
        else:
            self.composed(offsets.start(literals[0]), value, meaning)
        return True

    def composed(self, start: int, value: str, meaning: Meaning) -> None:
        """Note a text that an expression puts together, and that no literal of it shows."""
        if not meaning & Meaning.MESSAGE and converted(value, meaning):
            self.findings.note(start, UNSUPPORTED, f"{value!r} is put together here: change it by hand")
        elif not meaning & Meaning.MESSAGE:
            self._leftover(start, value, meaning)

    def formatted(self, node: ast.JoinedStr, meaning: Meaning, offsets: Offsets) -> Iterator[tuple[ast.expr, Offsets]]:
        """Change the text of an f-string. Yield its expressions, parsed alone, so that their positions are right."""
        start = offsets.start(node)
        found = [part for part in self._parts(start, offsets.end(node)) if part.end > part.start]
        texts = [part for part in found if isinstance(part, Text)]
        first = self.findings.code[texts[0].start : texts[0].end].decode() if texts else ""
        before = self.size
        if meaning & Meaning.MESSAGE:
            for text in texts:
                self._message(text)
        elif meaning & Meaning.COMMAND or _OPTION.fullmatch(first):
            self._command(texts)
        elif found and texts == found[:1]:  # f"cuda:{...}"
            text = texts[0]
            value = self.findings.code[text.start : text.end].decode()
            change = converted(value, meaning)
            if change and change[1] == "device string":
                self.findings.span(text.start, text.end, change[0].encode(), change[1])
            elif value == "cuda:" and not meaning & Meaning.SHOWN:
                self.findings.note(
                    start, UNCLEAR, "nothing here says that this means a device; if it does, change it by hand"
                )
        if self.size == before and not meaning & Meaning.MESSAGE:
            self._left_in(node, start, meaning)
        for part in found:
            if isinstance(part, Field) and is_candidate(self.findings.code[part.start : part.end], messages=True):
                expression = parse_field(self.findings.code, part)
                if expression is not None:
                    yield expression, Offsets.of_field(self.findings.code, part.start, part.end)

    @property
    def size(self) -> int:
        """The number of edits and notes so far."""
        return len(self.findings.edits) + len(self.findings.notes)

    def _left_in(self, node: ast.JoinedStr, start: int, meaning: Meaning) -> None:
        """Note the possible meaning of the texts between an f-string's expressions, which are left."""
        values = [part.value for part in node.values if isinstance(part, ast.Constant)]
        for value in values:
            if not may_be_device(str(value)):  # it is a part of something else here
                self._leftover(start, str(value), meaning)

    def _message(self, text: Text) -> None:
        old = self.findings.code[text.start : text.end].decode()
        change = converted(old, Meaning.MESSAGE)
        if change:
            self.findings.span(text.start, text.end, change[0].encode(), change[1])

    def _parts(self, start: int, end: int) -> list[Text | Field]:
        try:
            return list(parts(self.findings.code, start, end))
        except (LiteralError, ValueError):
            self.findings.note(start, UNSUPPORTED, "this string could not be read: change it by hand")
            return []
