"""Explain the codes of errors, findings and checks: a page each, with cause, cure and example.

The pages are the files of `topics/`. `musa-build explain`, the reports and the site show these and no others.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Optional

TOPICS = Path(__file__).with_name("topics")
FAMILIES: Mapping[str, str] = {
    "errors": "Errors",
    "porting": "Findings of musa-build port",
    "checks": "Checks of the simulator",
}
_ALIASES = {"leak": "leaks"}  # the runtime's name for a finding
_PAGE = re.compile(
    r"# (?P<code>[^\n:]+): (?P<title>[^\n]+)\n\n"
    r"## Cause\n\n(?P<cause>.+?)\n\n## Cure\n\n(?P<cure>.+?)\n\n## Example\n\n(?P<example>.+)\n",
    re.DOTALL,
)
_LINK = re.compile(r"\[([^]]+)\]\((?:\.\./)*([^)]+)\)")
_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Topic:
    """One page. The texts are Markdown."""

    code: str
    family: str
    title: str
    cause: str
    cure: str
    example: str

    @property
    def code_of_example(self) -> str:
        """The example without the marks around it."""
        return "\n".join(match[2].rstrip() for match in _FENCE.finditer(self.example))


@cache
def topics() -> Mapping[str, Topic]:
    """Return all topics by their codes, in the order of the families."""
    found = {}
    for family in FAMILIES:
        for path in sorted((TOPICS / family).glob("*.md")):
            match = _PAGE.fullmatch(path.read_text(encoding="utf-8"))
            if match is None or match["code"] != path.stem:
                raise ValueError(f"{path} is no page of a topic: a title, then Cause, Cure and Example")
            found[path.stem] = Topic(family=family, **match.groupdict())
    return found


def find(code: str) -> Optional[Topic]:
    """Return the topic of a code, however its letters are written; None if there is none."""
    wanted = _ALIASES.get(code.lower(), code.lower())
    return next((topic for name, topic in topics().items() if name.lower() == wanted), None)


def without_links(text: str) -> str:
    """Return Markdown for a terminal: a link becomes its text, and the page that it leads to in brackets."""
    return _LINK.sub(lambda match: match[1] if match[2].endswith(match[1]) else f"{match[1]} ({match[2]})", text)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of Markdown, each in one line and without links. The items of a list are paragraphs."""
    blocks = re.split(r"\n\n+|\n(?=- )", without_links(text))
    return [" ".join(block.split()) for block in blocks if block.strip()]


def _wrapped(text: str, width: int) -> str:
    found = paragraphs(text)
    lines = [textwrap.fill(part, width, subsequent_indent="  " if part.startswith("- ") else "") for part in found]
    return "\n".join(lines)


def as_text(topic: Topic, *facts: str, width: int = 100) -> str:
    """Return a page for a terminal. `facts` follow its title."""
    sections = {"Cause": topic.cause, "Cure": topic.cure}
    example = "\n".join(f"    {line}".rstrip() for line in topic.code_of_example.splitlines())
    parts = ["\n".join([f"{topic.code}: {without_links(topic.title)}", *facts])]
    parts += [f"{name}\n{_wrapped(text, width)}" for name, text in sections.items()]
    return "\n\n".join([*parts, f"Example\n{example}"]) + "\n"
