"""Chinese pages follow their English ones: each pair has one structure, and what is stale is named."""

from __future__ import annotations

import re

import pytest
from page_pairs import CHINESE, ROOT, differences, english_of, gaps, pairs, prose, sections, targets, text

PAIRS = pairs()
PAGES = [page for page in PAIRS if not page.startswith("musa_build/")]


@pytest.mark.parametrize("page", PAIRS)
def test_a_chinese_page_has_the_structure_of_its_english_one(page: str) -> None:
    english = PAIRS[page]
    assert (ROOT / english).is_file(), f"{page} translates {english}, which does not exist"
    stale = differences(page, text(english), text(page))
    assert stale == [], f"{page} is stale:\n" + "\n".join(stale)


@pytest.mark.parametrize("page", PAGES)
def test_pages_in_two_languages_lead_to_each_other(page: str) -> None:
    assert PAIRS[page] in targets(page, text(page)), f"{page} does not lead to {PAIRS[page]}"
    assert page in targets(PAIRS[page], text(PAIRS[page])), f"{PAIRS[page]} does not lead to {page}"


@pytest.mark.parametrize("page", PAIRS)
def test_a_chinese_page_leads_to_chinese_pages(page: str) -> None:
    translated = {english: chinese for chinese, english in PAIRS.items() if chinese != page}
    english = [target for target in targets(page, text(page)) if target in translated]
    assert english == [], f"{page}: these are in Chinese: {[translated[target] for target in english]}"


@pytest.mark.parametrize("page", PAIRS)
def test_every_paragraph_of_a_chinese_page_is_chinese(page: str) -> None:
    body = re.sub(r"`[^`\n]+`|\]\([^)]*\)", "", prose(text(page)))
    left = [part for part in re.split(r"\n\s*\n", body) if not CHINESE.search(part) and len(part.split()) > 8]
    assert left == []


#: Words that a Chinese page does not use -> the ones that it uses, as docs/zh/glossary.md has them
RETIRED = {
    r"未经同步|缺少的?同步|在同步[之处]|[、或]同步[、或和]|同步(?:、|或 ?)shuffle|再同步|没有同步": "屏障",
    r"(?<![\w.])fence(?![\w.])": "内存栅栏",
    r"(?<!没)有发现(?!问题)|[条个]\*{0,2}发现|移植发现|发现(?:的代码|的含义)": "问题",
}


@pytest.mark.parametrize("page", PAIRS)
def test_a_chinese_page_uses_the_words_of_the_glossary(page: str) -> None:
    body = re.sub(r"`[^`\n]+`|\]\([^)]*\)|（[a-z ]+）", "", prose(text(page)))
    assert {found[0]: word for pattern, word in RETIRED.items() if (found := re.search(pattern, body))} == {}


@pytest.mark.parametrize(
    ("old", "word"), [("带同步或 shuffle", "屏障"), ("vote 和 fence 不能", "内存栅栏"), ("检查有发现", "问题")]
)
def test_retired_words_are_found(old: str, word: str) -> None:
    assert [new for pattern, new in RETIRED.items() if re.search(pattern, old)] == [word]


ENGLISH = """# Title

Some words, 30 of them, and `code`.

## Second

- one ([more](more.md))

```sh
run this   # a comment
```
"""
TRANSLATION = """# 标题

一些词 30 `code`。

## 第二节

- 一项 [更多](more.md)

```sh
run this   # 注释
```
"""


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("## Second", "# Second", "headings: "),
        ("30 of", "31 of", "section 'Title' (标题): figures ('31',), in Chinese ('30',)"),
        ("- one", "- one\n- two", "section 'Second' (第二节): list items 2, in Chinese 1"),
        ("`code`.", "`code`.\n\nAnother paragraph.", "section 'Title' (标题): paragraphs 2, in Chinese 1"),
        ("run this", "run that", "block 1: 'run that', in Chinese 'run this'"),
        ("more.md", "other.md", "links that are missing: ['docs/other.md']"),
        ("`code`", "`codes`", "words in the type of code that are missing: ['codes']"),
    ],
)
def test_what_is_stale_is_named(old: str, new: str, named: str) -> None:
    assert differences("docs/zh/page.md", ENGLISH, TRANSLATION.replace("more.md", "../more.md")) == []
    found = differences("docs/zh/page.md", ENGLISH.replace(old, new), TRANSLATION.replace("more.md", "../more.md"))
    assert any(line.startswith(named) for line in found), found


@pytest.mark.parametrize("page", PAIRS)
def test_lines_of_chinese_end_where_a_blank_is(page: str) -> None:
    assert gaps((ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "has_gap"),
    [
        ("一个\n线程", True),
        ("累加，\n`x`", True),
        ("`x`\n（中文）", True),
        ("- 一个**线**\n  程", True),
        ("> 一个\n> 线程", True),
        ("用 mcc\n编译", False),
        ("一个\n\n线程", False),
        ("- 一个\n- 线程", False),
        ("```\n一\n二\n```", False),
        ("# 一个\n线程", False),
        ("| 一 |\n| 二 |", False),
    ],
)
def test_a_gap_is_found(text: str, has_gap: bool) -> None:
    assert bool(gaps(text)) == has_gap


def test_the_names_of_pairs() -> None:
    assert PAIRS["README.zh.md"] == "README.md"
    assert [english_of(f"docs/{name}") for name in ("zh/tutorial.md", "tutorial.md")] == ["docs/tutorial.md"] * 2
    assert [section.title for section in sections(ENGLISH)] == ["Title", "Second"]
