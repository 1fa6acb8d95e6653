"""Strings in places that mean a device, a backend, or an environment variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .edits import LEFT, UNSUPPORTED, Findings
from .kinds import Kind, converted, may_be_device
from .literals import Field, LiteralError, Text, parts
from .source import Places


@dataclass(frozen=True)
class Strings:
    """Changes string literals of one file."""

    findings: Findings

    def constant(self, node: ast.Constant, kind: Kind, places: Places) -> None:
        """Change a literal if its text means something in a place of this kind."""
        value = node.value
        assert isinstance(value, str)
        start = places.start(node)
        change = converted(value, kind)
        if change is None:
            if not kind & Kind.MESSAGE and may_be_device(value):
                self.findings.note(start, LEFT, f"nothing here says that {value!r} means the device")
            return
        new, rule = change
        texts = [part for part in self._parts(start, places.end(node)) if isinstance(part, Text)]
        raw = [self.findings.code[text.start : text.end] for text in texts]
        if rule == "message":
            for text in texts:
                self._message(text)
        elif raw == [value.encode()]:
            self.findings.span(texts[0].start, texts[0].end, new.encode(), rule)
        elif raw and b"".join(raw) == value.encode() and new[4:] == value[4:] and len(raw[0]) >= 4:
            self.findings.replace(texts[0].start, raw[0][:4], new[:4].encode(), rule)
        else:
            self.findings.note(start, UNSUPPORTED, f"{value!r} is written with escapes or in parts: change it by hand")

    def formatted(self, node: ast.JoinedStr, kind: Kind, places: Places) -> Iterator[Field]:
        """Change the text of an f-string. Yield its fields, whose expressions the caller converts."""
        start = places.start(node)
        found = [part for part in self._parts(start, places.end(node)) if part.end > part.start]
        texts = [part for part in found if isinstance(part, Text)]
        if kind & Kind.MESSAGE:
            for text in texts:
                self._message(text)
        elif found and texts == found[:1]:  # f"cuda:{...}"
            text = texts[0]
            value = self.findings.code[text.start : text.end].decode()
            change = converted(value, kind)
            if change and change[1] == "device string":
                self.findings.span(text.start, text.end, change[0].encode(), change[1])
            elif value == "cuda:":
                self.findings.note(start, LEFT, "nothing here says that this means the device")
        yield from (part for part in found if isinstance(part, Field))

    def _message(self, text: Text) -> None:
        old = self.findings.code[text.start : text.end].decode()
        change = converted(old, Kind.MESSAGE)
        if change:
            self.findings.span(text.start, text.end, change[0].encode(), change[1])

    def _parts(self, start: int, end: int) -> list[Text | Field]:
        try:
            return list(parts(self.findings.code, start, end))
        except (LiteralError, ValueError):
            self.findings.note(start, UNSUPPORTED, "this string could not be read: change it by hand")
            return []
