"""MkDocs calls these functions while it builds the site."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from musa_build import __version__

GLOSSARY = Path(__file__).resolve().parents[1] / "zh" / "glossary.md"
#: The site's first page in each language
HOMES = {"en": "README.md", "zh": "README.zh.md"}
#: The name of each language, as the menu has it
LANGUAGES = {"en": "English", "zh": "中文"}
#: Names of the buttons for the dark and the light paper
_TOGGLES = {"en": ("Dark", "Light"), "zh": ("深色", "浅色")}
_TAGS = r"(?:</?(?:a|b|code|del|em|i|kbd|span|strong|sub|sup)\b[^<>]*>)*"  # in a line
_HAN = r"\u3400-\u9fff"
_WIDE = r"\u3000-\u303f\uff00-\uffef\u2018-\u201d\u2026"  # punctuation of Chinese, which has its own space
#: A line break that shows as a gap: between two characters of Chinese, or beside its punctuation
_GAP = re.compile(rf"(?<=[{_HAN}])({_TAGS})\n({_TAGS})(?=[{_HAN}])|(?<=[{_WIDE}])({_TAGS})\n|\n({_TAGS})(?=[{_WIDE}])")
_AS_IT_IS = re.compile(r"(<(pre|script|style|svg|textarea)\b.*?</\2>)", re.DOTALL)
#: A loop of Material's search that looks for the words of a query in Chinese, and never at a query's last character
_CUTS_THE_LAST = re.compile(r"(for\(let (\w+)=(\w+)\+1;\2)<((\w+)\.length;\2\+\+\)\5\.slice\(\3,\2\)in )")


def anchor(heading: str, separator: str = "-") -> str:
    """Return the anchor of a heading as code hosts make it. MkDocs' own drops Chinese."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", separator)


def chinese_terms(glossary: str) -> list[str]:
    """Return the Chinese terms of the glossary, which name their English ones: `核函数（kernel）`.

    Longer ones are left out: they hold shorter ones, which the search would not find in them.
    """
    return [*dict.fromkeys(re.findall(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff]{2,4})\**（(?=[A-Za-z])", glossary))]


def whole_queries(worker: str) -> str:
    """Return the program of Material's search with one mistake mended: it reads a query in Chinese to its end."""
    return _CUTS_THE_LAST.sub(r"\1<=\4", worker)


def language_of(page: str) -> str:
    """Return the language of a page by its path in the site."""
    return "zh" if page.startswith("docs/zh/") or page.endswith(".zh.md") else "en"


def in_language(page: str, language: str) -> str:
    """Return the path that a page has, or would have, in a language."""
    if page in ("introduction.md", HOMES["zh"]):
        return {"en": "introduction.md", "zh": HOMES["zh"]}[language]
    english = page.replace("docs/zh/", "docs/", 1).replace(".zh.md", ".md")
    if language == "en":
        return english
    return english.replace("docs/", "docs/zh/", 1) if page.startswith("docs/") else english.replace(".md", ".zh.md")


def without_gaps(html: str) -> str:
    """Return HTML without the line breaks that browsers show as spaces in Chinese text. Blocks of code stay."""
    parts = _AS_IT_IS.split(html)  # text, block, name of its tag, text, ...
    parts[::3] = [_GAP.sub(lambda match: "".join(filter(None, match.groups())), part) for part in parts[::3]]
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)


def let_search_know(terms: Iterable[str]) -> None:
    """Add words to the ones that the search takes for one. The plugin cuts Chinese by jieba, which knows no 核函数."""
    import jieba

    for term in terms:
        jieba.add_word(term)


def on_config(config: Any) -> Any:
    """Let the headings of the site have the anchors that links to a checkout's pages use, and searches our terms."""
    config["mdx_configs"]["toc"]["slugify"] = anchor
    config["copyright"] = f"musa_build {__version__}"
    config["repo_url"] = os.environ.get("ADDRESS", "")  # as in `make release`: the public repository
    let_search_know(chinese_terms(GLOSSARY.read_text(encoding="utf-8")))
    return config


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Join the lines of Chinese text."""
    return without_gaps(html) if language_of(page.file.src_uri) == "zh" else html


def on_nav(nav: Any, config: Any, files: Any) -> Any:
    """Part the menu by language. Each has a link to the other, and "previous" and "next" stay in one language."""
    from mkdocs.structure.nav import Link, Navigation, Section

    (chinese,) = (item for item in nav.items if isinstance(item, Section) and item.title == LANGUAGES["zh"])
    home = {language: files.get_file_from_path(page).url for language, page in HOMES.items()}
    items = {"zh": chinese.children, "en": [item for item in nav.items if item is not chinese]}
    for item in chinese.children:
        item.parent = None
    pages = {language: [page for page in nav.pages if language_of(page.file.src_uri) == language] for language in HOMES}
    for group in pages.values():
        for page, before, after in zip(group, [None, *group], [*group[1:], None]):
            page.previous_page, page.next_page = before, after
    menus = {}
    for language, other in (("en", "zh"), ("zh", "en")):
        menus[language] = Navigation([*items[language], Link(LANGUAGES[other], home[other])], pages[language])
        menus[language].homepage = nav.homepage
    config["extra"].update(menus=menus, homes=home, addresses={file.src_uri: file.url for file in files})
    return nav


def on_page_context(context: Any, page: Any, config: Any, **_: Any) -> Any:
    """Give a page the theme, the menu and the home of its language, and a switch to the same page in the other."""
    extra, own = config["extra"], page.file.src_uri
    language = language_of(own)
    config["theme"]["language"] = language
    for option, name in zip(config["theme"]["palette"], _TOGGLES[language]):
        option["toggle"]["name"] = name
    extra["homepage"] = extra["homes"][language]
    extra["alternate"] = [
        {"lang": code, "name": name, "link": extra["addresses"].get(in_language(own, code), extra["homes"][code])}
        for code, name in LANGUAGES.items()
    ]
    context["nav"] = extra["menus"][language]
    return context


def on_post_build(config: Any) -> None:
    """Mend the search of the built site. `build.py` asks it afterwards."""
    for worker in Path(config["site_dir"], "assets", "javascripts", "workers").glob("search.*.js"):
        worker.write_text(whole_queries(worker.read_text(encoding="utf-8")), encoding="utf-8")
