"""Explain the codes of errors, findings and checks: a page each, with cause, cure and example.

The pages are the files of `topics/`. `musa-build explain`, the reports and the site show these and no others. The
Chinese page is beside the English one: `MB101.zh.md`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Optional

ENGLISH, CHINESE = "en", "zh"
TOPICS = Path(__file__).with_name("topics")
FAMILIES: Mapping[str, str] = {
    "errors": "Errors",
    "porting": "Findings of musa-build port",
    "checks": "Checks of the simulator",
}
_ALIASES = {"leak": "leaks"}  # the runtime's name for a finding
#: The headings of a page: cause, cure, example
HEADINGS: Mapping[str, tuple[str, str, str]] = {
    ENGLISH: ("Cause", "Cure", "Example"),
    CHINESE: ("原因", "处理办法", "示例"),
}
_PAGE = (
    r"# (?P<code>[^\n:]+): (?P<title>[^\n]+)\n\n"
    r"## {}\n\n(?P<cause>.+?)\n\n## {}\n\n(?P<cure>.+?)\n\n## {}\n\n(?P<example>.+)\n"
)
#: Messages of other programs -> the code whose page has the cure
_MESSAGES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"lib(torch_musa|musa_python)\.so\S* cannot open shared object file"), "MB103"),
    (re.compile(r"No module named '?torch_musa\b"), "MB103"),
)
#: How our own messages name a code: at the end of the first line, or as the command
_NAMED = re.compile(r"\[(MB\d{3})\]|musa-build explain ([\w-]+)")
_LINK = re.compile(r"\[([^]]+)\]\((?:\.\./)*([^)]+)\)")
_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
#: A line of Chinese may end after each character, but not before these: the closing marks.
_CLOSING = "\uff0c\u3002\uff1b\uff1a\u3001\uff09\u300b\u300d\u201d\uff01\uff1f"
_OPENING = "\uff08\u300a\u300c\u201c"
_WIDE = "\u2e80-\u9fff"
_PIECE = re.compile(
    rf"(?P<space>\s*)(?P<word>[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPENING}{_CLOSING}]+)?[{_CLOSING}]*)", re.DOTALL
)


@dataclass(frozen=True)
class Topic:
    """One page. The texts are Markdown."""

    code: str
    family: str
    title: str
    cause: str
    cure: str
    example: str
    language: str = ENGLISH

    @property
    def code_of_example(self) -> str:
        """The example without the marks around it."""
        return "\n".join(match[2].rstrip() for match in _FENCE.finditer(self.example))


def _read(path: Path, family: str, language: str) -> Topic:
    code = path.name.partition(".")[0]
    match = re.fullmatch(_PAGE.format(*HEADINGS[language]), path.read_text(encoding="utf-8"), re.DOTALL)
    if match is None or match["code"] != code:
        raise ValueError(f"{path} is no page of a topic: a title, then {', '.join(HEADINGS[language])}")
    return Topic(family=family, language=language, **match.groupdict())


@cache
def topics(language: str = ENGLISH) -> Mapping[str, Topic]:
    """Return all topics by their codes, in the order of the families. Those without translation are English."""
    found = {}
    for family in FAMILIES:
        for path in sorted(each for each in (TOPICS / family).glob("*.md") if "." not in each.stem):
            other = path.with_suffix(f".{language}.md")
            has_other = language != ENGLISH and other.exists()
            found[path.stem] = _read(other, family, language) if has_other else _read(path, family, ENGLISH)
    return found


def find(code: str, language: str = ENGLISH) -> Optional[Topic]:
    """Return the topic of a code, however its letters are written; None if there is none."""
    wanted = _ALIASES.get(code.lower(), code.lower())
    return next((topic for name, topic in topics(language).items() if name.lower() == wanted), None)


def of_message(text: str, language: str = ENGLISH) -> Optional[Topic]:
    """Return the topic of a message as a terminal shows it: one of ours, or one that leads to us; else None."""
    named = _NAMED.search(text)
    if named:
        return find(named[1] or named[2], language)
    return next((find(code, language) for pattern, code in _MESSAGES if pattern.search(" ".join(text.split()))), None)


def without_links(text: str, language: str = ENGLISH) -> str:
    """Return Markdown for a terminal: a link becomes its text, and says where a page of the documentation is.

    The page of another code needs no address: `musa-build explain` prints it.
    """

    from .documentation import where

    named = False

    def plain(match: re.Match[str]) -> str:
        nonlocal named
        if "://" in match[2]:
            return f"{match[1]} ({match[2]})"
        if not match[2].startswith("docs/"):
            return match[1]
        before, named = named, True
        return where(match[2], match[1], language, named=before)

    return _LINK.sub(plain, text).replace("\uff09 ", "\uff09")  # the blank was for the link, not for a bracket


def paragraphs(text: str, language: str = ENGLISH) -> list[str]:
    """Return the paragraphs of Markdown, each in one line and without links. The items of a list are paragraphs."""
    blocks = re.split(r"\n\n+|\n(?=- )", without_links(text, language))
    return [_joined(block) for block in blocks if block.strip()]


def _joined(block: str) -> str:
    """Return the lines of a paragraph as one, with a blank between two lines but where one of them is Chinese there."""
    between = rf"(?<=[{_WIDE}])\n *(?=[{_WIDE}])|(?<=[{_CLOSING}])\n *|\n *(?=[{_OPENING}])"
    joined = re.sub(between, "", block)
    return " ".join(joined.split())


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def lines(text: str, width: int, indent: str) -> Iterator[str]:
    """Yield the lines of a paragraph. They end at blanks, and at characters of Chinese."""
    line = ""
    for piece in _PIECE.finditer(text):
        longer = line + piece[0] if line.strip() else line + piece["word"]
        if line.strip() and columns(longer) > width:
            yield line
            longer = indent + piece["word"]
        line = longer
    yield line


def _wrapped(text: str, width: int, language: str) -> str:
    parts = paragraphs(text, language)
    return "\n".join(
        line.rstrip() for part in parts for line in lines(part, width, "  " if part.startswith("- ") else "")
    )


def as_text(topic: Topic, *facts: str, width: int = 100) -> str:
    """Return a page for a terminal. `facts` follow its title."""
    cause, cure, example = HEADINGS[topic.language]
    code = "\n".join(f"    {line}".rstrip() for line in topic.code_of_example.splitlines())
    parts = ["\n".join([f"{topic.code}: {without_links(topic.title, topic.language)}", *facts])]
    texts = ((cause, topic.cause), (cure, topic.cure))
    parts += [f"{heading}\n{_wrapped(text, width, topic.language)}" for heading, text in texts]
    return "\n\n".join([*parts, f"{example}\n{code}"]) + "\n"
