"""Short texts of commands in other languages: a table of templates, `texts.zh.json`, and its one reader.

Commands compose their texts in English and print them through a translator. It finds the template that fits, and
translates the parts between its words in turn. A text without a row stays English.

A slot of a template takes any text, unless it names a kind: `{path:word}`. Templates with few words of their own need
such slots: they would fit texts of other programs, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Optional

from . import ENGLISH

_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
#: Kind of a slot -> a pattern for its text. The text of a `row` or `name` is itself in the table; a name may be a word.
_KINDS: Mapping[Optional[str], str] = {
    None: ".*?",
    "word": r"[^\s;,:]+",
    "path": r"\S*/\S*",
    "archs": r"mp_\d+(?: mp_\d+)*",
    "row": ".+?",
    "name": ".+?",
}
#: The parts of an error, as musa_build.errors joins them
_PARTS = re.compile(r"; (?=(?:found|wanted|hint|see): )")


@cache
def table(language: str) -> Mapping[str, str]:
    """Return English template -> the same in a language. `{name}` is any text, `{name:kind}` one of a kind."""
    path = Path(__file__).with_name(f"texts.{language}.json")
    if not path.exists():
        return {}
    rows: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def parts_of(text: str) -> list[str]:
    """Return the parts of an error that str() joined: what went wrong, then the others with their labels."""
    return _PARTS.split(text)


def _pattern(template: str) -> re.Pattern[str]:
    parts = _SLOT.split(template)  # text, name, kind, text, ...
    slots = [f"(?P<{name}>{_KINDS[kind]})" for name, kind in zip(parts[1::3], parts[2::3])]
    texts = [re.escape(text) for text in parts[::3]]
    return re.compile("".join(text + slot for text, slot in zip(texts, [*slots, ""])), re.DOTALL)


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], Mapping[str, str], str], ...]:
    """Return the templates with slots, the most particular first: those with the longest text of their own.

    A template is its pattern, the kinds of its slots, and its translation.
    """
    rows = [(key, value) for key, value in table(language).items() if _SLOT.search(key)]
    rows.sort(key=lambda row: -len(_SLOT.sub("", row[0])))
    return tuple((_pattern(key), dict(_SLOT.findall(key)), value) for key, value in rows)


def translated(text: str, language: str) -> str:
    """Return a text in a language, or as it is where the table has no row for it."""
    whole = table(language).get(text)
    if whole is not None:
        return whole
    what, *others = parts_of(text)
    if others:
        labels = (other.partition(": ") for other in others)
        parts = [translated(f"{label}: ", language) + translated(part, language) for label, _, part in labels]
        return "\uff1b".join([translated(what, language), *parts])
    for pattern, kinds, template in _patterns(language):
        match = pattern.fullmatch(text)
        if match:
            slots = {name: translated(part, language) for name, part in match.groupdict().items()}
            if all(_fits(kinds[name], match[name], slots[name]) for name in slots):
                return template.format(**slots)
    return text


def _fits(kind: str, text: str, translation: str) -> bool:
    """Return whether the text of a slot is of its kind, so far as its pattern does not say it."""
    if kind == "name" and re.fullmatch(_KINDS["word"], text):
        return True
    return kind not in ("row", "name") or translation != text


def translator(language: str) -> Callable[[str], str]:
    """Return the function that translates to a language."""
    return (lambda text: text) if language == ENGLISH else (lambda text: translated(text, language))
