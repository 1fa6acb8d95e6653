"""MkDocs calls these functions while it builds the site."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from musa_build import __version__

GLOSSARY = Path(__file__).resolve().parents[1] / "zh" / "glossary.md"
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


def on_post_build(config: Any) -> None:
    """Mend the search of the built site. `build.py` asks it afterwards."""
    for worker in Path(config["site_dir"], "assets", "javascripts", "workers").glob("search.*.js"):
        worker.write_text(whole_queries(worker.read_text(encoding="utf-8")), encoding="utf-8")
