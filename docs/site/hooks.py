"""MkDocs calls these functions while it builds the site."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from musa_build import __version__

GLOSSARY = Path(__file__).resolve().parents[1] / "zh" / "glossary.md"
#: The site's first page in each language
HOMES = {"en": "README.md", "zh": "README.zh.md"}
#: The name of each language, as the menu has it
LANGUAGES = {"en": "English", "zh": "中文"}
#: Chinese names of the pages that are in English alone, for the Chinese menu
UNTRANSLATED = {
    "examples/freqencoder/README.md": "示例 freqencoder",
    "docs/simulator-undefined.md": "C++ 未定义的行为",
    "backend/README.md": "模拟器的 torch_musa",
    "docs/reference.md": "Python 接口",
    "docs/commands.md": "命令",
    "docs/supported-versions.md": "支持的版本",
    "docs/simulator-stdlib.md": "核函数里的 C++ 标准库",
    "docs/simulator-absent.md": "模拟 SDK 没有的名字",
    "docs/simulator-functions.md": "模拟 SDK 的函数",
    "simulator/musa_sim/runtime/README.md": "libmusart 的源码",
    "docs/gallery/README.md": "试过的软件包",
    "docs/known.md": "公开资料里的 MUSA",
    "docs/moore-threads-programs.md": "摩尔线程的程序",
    "docs/cuda-samples.md": "NVIDIA 的示例程序",
    "docs/hecbench.md": "HeCBench",
    "docs/benchmarks.md": "性能数据",
    "docs/profiles.md": "时间花在哪里",
    "docs/corpus.md": "试过的软件包的全部记录",
    "docs/wall.md": "没有见过的软件包",
    "docs/mmcv.md": "mmcv",
    "docs/porting-torch-headers.md": "移植 PyTorch 的头文件",
    "docs/peer-tests.md": "torch_musa 的测试",
    "docs/peer-operator-tests.md": "torch_musa 的算子测试",
    "docs/peer-kernels.md": "torch_musa 的核函数",
    "docs/tools-op-db.md": "PyTorch 算子库上的工具",
    "ARCHITECTURE.md": "架构",
    "docs/decisions/README.md": "设计决策",
    "CONTRIBUTING.md": "参与开发",
    "CHANGELOG.md": "更新日志",
}
#: The end of such a name
IN_ENGLISH = "（英文）"
#: Groups of the English menu -> those of the Chinese one
GROUPS = {
    "Start": "开始",
    "Build": "构建",
    "Port": "移植",
    "Run and test": "运行与测试",
    "Find what goes wrong": "定位问题",
    "Reference": "参考",
    "Results": "结果",
    "Design": "设计",
}
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


def untranslated(pages: Iterable[str], known: Container[str]) -> list[tuple[str, str]]:
    """Return the names in the Chinese menu, and the paths, of those pages that have no Chinese page among `known`.

    Raises KeyError for a page without a name in UNTRANSLATED.
    """
    return [(f"{UNTRANSLATED[page]}{IN_ENGLISH}", page) for page in pages if in_language(page, "zh") not in known]


def _with_english_pages(chinese: Any, english: Iterable[Any], files: Any) -> list[Any]:
    """Return the groups of the Chinese menu, each with links to the English pages of its group that have no other."""
    from mkdocs.structure.nav import Link, Section

    groups = {group.title: group for group in chinese.children}
    known = {file.src_uri for file in files}
    for group in (item for item in english if isinstance(item, Section)):
        own = groups.setdefault(GROUPS[group.title], Section(GROUPS[group.title], []))
        pages = [page.file.src_uri for page in group.children]
        for name, page in untranslated(pages, known):
            own.children.append(Link(name, files.get_file_from_path(page).url))
    return [*groups.values()]


def on_nav(nav: Any, config: Any, files: Any) -> Any:
    """Part the menu by language. Each has a link to the other, and "previous" and "next" stay in one language."""
    from mkdocs.structure.nav import Link, Navigation, Section

    (chinese,) = (item for item in nav.items if isinstance(item, Section) and item.title == LANGUAGES["zh"])
    home = {language: files.get_file_from_path(page).url for language, page in HOMES.items()}
    english = [item for item in nav.items if item is not chinese]
    items = {"zh": _with_english_pages(chinese, english, files), "en": english}
    for item in items["zh"]:
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
