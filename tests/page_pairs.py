"""Pairs of an English page and its Chinese translation, and the differences that make a translation stale.

A translation is held against the structure of its page: what does not depend on the language has to be the same.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHINESE = re.compile(r"[\u4e00-\u9fff]")
_FENCE = re.compile(r"^( *)```.*?\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_COMMENT = re.compile(r"\s*(?<!\S)(?:#|//)(?!include|pragma|if|end|define).*")
#: Figures of two digits and more; "three" may be 3 in Chinese
_FIGURE = re.compile(r"(?<![\w.])\d[\d,.]*\d(?![\w])")
_FIRST_CELL = re.compile(r"^\| *`([^`|]+)` *\|", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:-|\d+\.) ")
_HAN = r"\u3400-\u9fff"
_WIDE = r"\u3000-\u303f\uff00-\uffef\u2018-\u201d\u2026"  # punctuation of Chinese, which has its own space
_MARKS = r"[*_\[\]]*"  # of Markdown, which a browser does not show
#: A line break that a browser shows as a space where Chinese has none. Chromium 156 measures it so at all of these.
_GAP = re.compile(rf"[{_HAN}]{_MARKS}\n{_MARKS}[{_HAN}]|[{_WIDE}]{_MARKS}\n|\n{_MARKS}[{_WIDE}]")
_NO_TEXT = ("#", "|", "<")


@dataclass(frozen=True)
class Section:
    """The parts of a section that both languages have: the level of its heading, and the things after it."""

    title: str
    level: int
    rows: int
    items: int
    paragraphs: int
    figures: tuple[str, ...]
    names: tuple[str, ...]  # in the type of code, the first cells of its tables

    @property
    def shape(self) -> dict[str, object]:
        """The parts that translations share, by their names in messages."""
        counts = {"table rows": self.rows, "list items": self.items, "paragraphs": self.paragraphs}
        return {"level": self.level, **counts, "figures": self.figures, "names in tables": self.names}


def english_of(chinese: str) -> str:
    """Return the English page of a Chinese one, by its name."""
    if chinese.startswith("docs/zh/"):
        return chinese.replace("/zh/", "/", 1)
    return chinese.replace(".zh.md", ".md")


def gaps(page: str) -> list[str]:
    """Return the lines of a Chinese page whose end shows as a gap on a code host. The site joins its lines itself."""
    lines = _FENCE.sub("\n", page).splitlines()
    found = []
    for line, following in zip(lines, lines[1:]):
        is_text = line.strip() and following.strip() and not line.lstrip().startswith(_NO_TEXT)
        is_new = _ITEM.match(following) or following.lstrip().startswith(_NO_TEXT)
        rest = following.removeprefix(">") if line.startswith(">") else following
        if is_text and not is_new and _GAP.search(f"{line.rstrip()}\n{rest.lstrip()}"):
            found.append(line)
    return found


def pairs() -> Mapping[str, str]:
    """Return Chinese page -> English page. A page that is in docs/zh or has the suffix .zh.md is Chinese."""
    folders = ("docs/zh", "musa_build/explain/topics")
    homes = [ROOT / "README.zh.md", ROOT / "docs" / "site" / "home.zh.md"]
    found = [*homes, *(path for folder in folders for path in sorted((ROOT / folder).rglob("*.md")))]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return {name: english_of(name) for name in names if name != english_of(name)}


def text(page: str) -> str:
    """Return the content of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def prose(content: str) -> str:
    """Return a page without its blocks of code."""
    return _FENCE.sub("", content)


def blocks(content: str) -> list[list[str]]:
    """Return the lines of each block of code, without comments, which are translated."""
    found = [match[2] for match in _FENCE.finditer(content)]
    return [[_COMMENT.sub("", line).rstrip() for line in block.splitlines()] for block in found]


def codes(content: str) -> Counter[str]:
    """Return how often a page has each word in the type of code."""
    return Counter(" ".join(code.split()) for code in _CODE.findall(prose(content)))


def figures(content: str) -> tuple[str, ...]:
    """Return the figures of a text outside of code and links, in order of their size."""
    plain = _CODE.sub("", re.sub(r"\]\([^)]*\)", "]", content))
    return tuple(sorted(_FIGURE.findall(plain)))


def sections(content: str) -> Iterator[Section]:
    """Yield the sections of a page in order."""
    parts = re.split(r"^(#+) +(.+)$", prose(content), flags=re.MULTILINE)
    for marks, title, body in zip(parts[1::3], parts[2::3], parts[3::3]):
        lines = body.splitlines()
        rows = sum(line.startswith("|") for line in lines)
        items = sum(bool(_ITEM.match(line)) for line in lines)
        chunks = [chunk for chunk in re.split(r"\n\s*\n", body) if chunk.strip()]
        paragraphs = sum(not chunk.lstrip().startswith("|") and not _ITEM.match(chunk.lstrip("\n")) for chunk in chunks)
        names = tuple(_FIRST_CELL.findall(body))
        yield Section(title, len(marks), rows, items, paragraphs, figures(body), names)


def targets(page: str, content: str) -> list[str]:
    """Return the pages and files of the repository that a page links to, seen from the top of the repository."""
    found = [link.partition("#")[0] for link in _LINK.findall(prose(content)) if "://" not in link]
    return [os.path.normpath(Path(page).parent / link) if link else page for link in found]


def links(page: str, content: str) -> Counter[str]:
    """Return the files that a page links to, other pages by their English names, without the other language's page."""
    own = english_of(page)
    found = Counter(english_of(target) for target in targets(page, content))
    del found[own]
    return found


def _missing(kind: str, english: Counter[str], chinese: Counter[str]) -> Iterator[str]:
    if english - chinese:
        yield f"{kind} that are missing: {sorted((english - chinese).elements())}"
    if chinese - english:
        yield f"{kind} that the English page does not have: {sorted((chinese - english).elements())}"


def _sections_differ(english: Iterable[Section], chinese: Iterable[Section]) -> Iterator[str]:
    left, right = list(english), list(chinese)
    if [each.level for each in left] != [each.level for each in right]:
        yield f"headings: {[each.title for each in left]}, in Chinese {[each.title for each in right]}"
        return
    for one, other in zip(left, right):
        for name, value in one.shape.items():
            if value != other.shape[name]:
                yield f"section {one.title!r} ({other.title}): {name} {value}, in Chinese {other.shape[name]}"


def differences(chinese_page: str, english_text: str, chinese_text: str) -> list[str]:
    """Return a line for each difference that makes a translation stale. It names the position."""
    found = [*_sections_differ(sections(english_text), sections(chinese_text))]
    left, right = blocks(english_text), blocks(chinese_text)
    if len(left) != len(right):
        found.append(f"blocks of code: {len(left)}, in Chinese {len(right)}")
    for number, (one, other) in enumerate(zip(left, right), 1):
        for line, same in zip((*one, "the end"), (*other, "the end")):
            if line != same:
                found.append(f"block {number}: {line!r}, in Chinese {same!r}")
                break
    english_page = english_of(chinese_page)
    found += _missing("links", links(english_page, english_text), links(chinese_page, chinese_text))
    found += _missing("words in the type of code", codes(english_text), codes(chinese_text))
    return found
