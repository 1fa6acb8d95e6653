"""The site's parts that need no MkDocs: its pages, their order, and what is generated. `make docs` builds the site."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml
from script_modules import module_of

from musa_build.cli import main
from musa_tools.cli import main as tools

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"
OFF_THE_MENU = re.compile(r"docs/decisions/\d|musa_build/explain/topics/")  # lists lead there


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return module_of(SITE / "build.py", "build_site")


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    return module_of(SITE / "hooks.py", "site_hooks")


def nav_pages(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
            yield from nav_pages(part)


def test_every_page_is_in_the_menu(build: ModuleType) -> None:
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = [*nav_pages(config["nav"])]
    pages = {page.relative_to(ROOT).as_posix() for page in build.all_pages()}
    generated = {"docs/commands.md", "docs/reference.md", "docs/decisions/README.md", "docs/gallery/README.md"}
    assert len(listed) == len(set(listed))
    placed = {build.placed(ROOT / page).relative_to(build.PAGES).as_posix() for page in pages}
    assert {*listed} - generated == {page for page in placed if not OFF_THE_MENU.match(page)}
    assert listed[:2] == ["README.md", "introduction.md"]
    assert [*config["nav"][-1]] == ["中文"]
    assert [*nav_pages(config["nav"][-1])][:2] == ["README.zh.md", "introduction.zh.md"]


def forget_help_options(*commands: click.Command) -> None:
    """Drop the help options that click keeps: a command that another test called without its group has no -h."""
    for command in commands:
        if getattr(command, "_help_option", None) is not None:
            vars(command)["_help_option"] = None
        forget_help_options(*getattr(command, "commands", {}).values())


def test_the_help_of_every_command_is_a_section(build: ModuleType) -> None:
    """The page has what the programs print, not what somebody composed of their parsers."""
    forget_help_options(main, tools)
    text = "\n".join(
        [*build.commands(main, "musa-build"), *build.commands(tools, "musa-tools"), *build.other_programs()]
    )
    assert "### musa-build sim\n" in text and "#### musa-build sim run\n" in text and "--report" in text
    for program, group in (("musa-build", main), ("musa-tools", tools)):
        assert all(f"### {program} {name}\n" in text for name, each in group.commands.items() if not each.hidden)
    sections = dict(re.findall(r"^#+ ([^\n]+)\n\n```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(sections) == text.count("```text") and all("-h, --help" in said for said in sections.values())
    for option in ("--cmake-dir", "--version"):
        assert option in sections["musa-build"]
    assert (
        "--textual" in sections["musa-tools convert"] and sections["musa-tools convert"] == sections["musa-converter"]
    )
    assert "libraries" in sections["python -m musa_sim"] and max(map(len, text.splitlines())) <= 82


def test_every_public_name_and_argument_is_described(build: ModuleType) -> None:
    """The Python reference is made of the docstrings, so each argument needs its line there."""
    page = "\n".join(build.python_reference())
    undescribed, methods = [], set()
    for module in build.PUBLIC.values():
        for name, value in build.public_objects(module).items():
            assert f"### {module}.{name}\n\n::: {value.__module__}.{value.__qualname__}\n" in page
            assert inspect.getdoc(value), name
            if inspect.isclass(value) and issubclass(value, Exception):
                continue
            undescribed += [f"{module}.{name}: {argument}" for argument in without_line(value, [value.__init__])]
            for method, function in build.public_methods(value):
                methods.add(method)
                assert inspect.getdoc(function), f"{name}.{method}"
                undescribed += [f"{module}.{name}.{method}: {argument}" for argument in without_line(function)]
    assert undescribed == []
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    plugin = next(each["mkdocstrings"] for each in config["plugins"] if "mkdocstrings" in each)
    assert {*plugin["handlers"]["python"]["options"]["members"]} == methods | {"step_num"}


def without_line(value: Any, others: Iterable[object] = ()) -> list[str]:
    """Return the arguments that the docstring of a class or a function, or of `others`, has no line for."""
    text = "\n".join(str(inspect.getdoc(each)) for each in (value, *others))
    named = set(re.findall(r"^ +\**(\w+): ", text, re.MULTILINE))
    return [name for name in inspect.signature(value).parameters if name not in {*named, "self", "cls"}]


def test_every_stable_name_is_in_the_reference(build: ModuleType) -> None:
    """The page of what is stable names functions, classes and modules of Python."""
    page = "\n".join(build.python_reference())
    stable = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    row = next(line for line in stable.splitlines() if line.startswith("| names of `musa_build` |"))
    names = re.findall(r"`([\w.]+)`", row)[1:]
    assert len(names) == 9 and "musa_build.errors" in names
    for name in names:
        assert f"\n### {name}." in page if name.startswith("musa_build.") else f"\n### musa_build.{name}\n" in page, (
            name
        )
    for module in ("compare_tool", *re.findall(r"musa_tools\.other_tools\.(\w+)", page)):
        names_of = importlib.import_module(
            f"musa_tools.{'' if module == 'compare_tool' else 'other_tools.'}{module}"
        ).__all__
        assert all(f".{module}.{name}\n" in page for name in names_of)


def test_the_figures_of_the_first_pages_are_those_of_their_sources() -> None:
    figures = module_of(SITE / "figures.py", "site_figures")
    values = figures.figures()
    assert {*figures.SENTENCES} == {"README.md", "README.zh.md", "docs/site/home.md", "docs/site/home.zh.md"}
    for page in figures.SENTENCES:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert figures.written(page, text, values) == text, "python docs/site/figures.py"
        bold = {*re.findall(r"\d+(?:\.\d+)?", " ".join(re.findall(r"\*\*(.+?)\*\*", text, re.DOTALL)))}
        assert bold and bold <= {*values.values()}, "each figure has a source"
        other = figures.written(page, text, {name: f"{index}7" for index, name in enumerate(values)})
        assert other != text and figures.written(page, other, values) == text
    assert values["hecbench.compile"] in (ROOT / "docs" / "hecbench.md").read_text(encoding="utf-8")
    with pytest.raises(LookupError, match="has no sentence"):
        figures.written("README.md", "nothing", values)


def test_the_charts_are_those_of_the_page() -> None:
    charts = module_of(SITE / "charts.py", "charts")
    text = charts.PAGE.read_text(encoding="utf-8")
    for chart in charts.CHARTS:
        assert len(charts.bars(chart, text)) >= 3
        assert charts.picture(chart).read_text(encoding="utf-8") == charts.draw(chart, text), (
            "python docs/site/charts.py"
        )
        assert f"](images/{charts.picture(chart).name})" in text


@pytest.mark.parametrize("word", ["install", "uninstall", "docker", "conda", "torchada", "libmusart.so.5"])
def test_what_newcomers_search_for_is_a_question(build: ModuleType, word: str) -> None:
    page = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert any(word in heading.lower() for heading in headings)
    assert "questions.md" in build.BOOST


def test_the_search_knows_the_terms_of_the_chinese_glossary(hooks: ModuleType) -> None:
    terms = hooks.chinese_terms(hooks.GLOSSARY.read_text(encoding="utf-8"))
    assert {"核函数", "线程块", "线程束", "共享内存", "全局内存", "数据竞争", "显卡", "架构"} <= {*terms}
    assert hooks.chinese_terms("核函数（kernel）、**拆分核函数**（split kernel）、显卡（中文）") == ["核函数"]
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    search = next(plugin["search"] for plugin in config["plugins"] if "search" in plugin)
    assert "zh" in search["lang"]
    cut = "静态\u200b共享内存\u200b，（数据竞争）"  # as jieba cuts, and the separator has to
    assert [word for word in re.split(search["separator"], cut) if word] == ["静态", "共享内存", "数据竞争"]


def test_the_search_reads_a_chinese_query_to_its_end(hooks: ModuleType) -> None:
    loop = "for(let o=s+1;o<t.length;o++)t.slice(s,o)in e&&(n[s]=o-s);"
    assert hooks.whole_queries(f"a;{loop}b") == f"a;{loop.replace('o<t', 'o<=t')}b"
    assert hooks.whole_queries("for(let o=s+1;o<t.length;o++)f(o)") == "for(let o=s+1;o<t.length;o++)f(o)"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js runs the site's search")
def test_a_search_that_does_not_find_is_an_error(build: ModuleType, tmp_path: Path) -> None:
    """The worker has the protocol of Material's: a setup, then queries."""
    worker = """addEventListener("message", async ({data: {type, data}}) => {
        if (type === 0) found = data.docs
        else postMessage({type: 3, data: {items: found.map((doc) => [doc])}})
    })
    let found"""
    (tmp_path / "assets/javascripts/workers").mkdir(parents=True)
    (tmp_path / "assets/javascripts/workers/search.0.min.js").write_text(worker, encoding="utf-8")
    (tmp_path / "search").mkdir()
    docs = [{"location": "zh/a.html#b", "title": "数据", "text": "共享\u200b内存"}]
    (tmp_path / "search/search_index.json").write_text(json.dumps({"docs": docs}), encoding="utf-8")
    assert build.search_misses(tmp_path, ["共享内存"]) == []
    assert build.not_first(tmp_path, {"x": "zh/a.html"}) == []
    assert build.not_first(tmp_path, {"x": "b.html"}) == ["x: the first result is 'zh/a.html#b', not on b.html"]
    missed = "竞争: 1 results, and these do not have it: ['zh/a.html#b']"
    assert build.search_misses(tmp_path, ["共享内存", "竞争"]) == [missed]
    docs[0]["location"] = "b.html"
    (tmp_path / "search/search_index.json").write_text(json.dumps({"docs": docs}), encoding="utf-8")
    assert build.search_misses(tmp_path, ["共享内存"]) == ["共享内存: 1 results, and these do not have it: []"]


def test_a_fence_that_became_text_is_found(build: ModuleType) -> None:
    assert build.has_raw_fence("<p>```sh fails</p><pre>ls</pre>")
    assert not build.has_raw_fence('<p>a <code>```</code></p><pre class="x">\n```</pre>')


def test_the_menu_of_chinese_has_the_groups_of_the_english_one(hooks: ModuleType) -> None:
    """Page for page, in one order; English has groups without translations."""
    nav = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    groups = [next(iter(group.values())) for group in nav]
    chinese = [[*nav_pages(group)] for group in groups[-1]]
    assert chinese[0].pop(0) == hooks.HOMES["zh"]
    translated = {page for group in chinese for page in group}
    english = [[hooks.in_language(page, "zh") for page in group] for group in groups[1:-1]]
    assert chinese == [kept for group in english if (kept := [page for page in group if page in translated])]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("README.md", "README.zh.md"),
        ("introduction.md", "introduction.zh.md"),
        ("docs/tutorial.md", "docs/zh/tutorial.md"),
        ("docs/README.md", "docs/zh/README.md"),
        ("musa_build/explain/topics/checks/race.md", "musa_build/explain/topics/checks/race.zh.md"),
    ],
)
def test_the_switch_of_the_language_leads_to_the_same_page(hooks: ModuleType, english: str, chinese: str) -> None:
    for page in (english, chinese):
        assert [hooks.in_language(page, language) for language in hooks.LANGUAGES] == [english, chinese]
    assert [hooks.language_of(page) for page in (english, chinese)] == ["en", "zh"]


@pytest.mark.parametrize(
    ("html", "joined"),
    [
        ("<p>累加，\n请用原子操作</p>", "<p>累加，请用原子操作</p>"),
        ("<p>一个\n线程</p>", "<p>一个线程</p>"),
        ("<p>累加，\n<code>x</code>\n。</p>", "<p>累加，<code>x</code>。</p>"),
        ("见<a href='x'>教程\n</a><em>下面</em>", "见<a href='x'>教程</a><em>下面</em>"),
        ("<p>用\nmcc 编译</p>", "<p>用\nmcc 编译</p>"),
        ("<p>用 <code>mcc</code>\n编译</p>", "<p>用 <code>mcc</code>\n编译</p>"),
        ("<pre>一，\n二</pre>\n<p>三。</p>\n<p>四</p>", "<pre>一，\n二</pre>\n<p>三。</p>\n<p>四</p>"),
    ],
)
def test_lines_of_chinese_join_without_a_gap(hooks: ModuleType, html: str, joined: str) -> None:
    assert hooks.without_gaps(html) == joined


def test_a_page_in_two_languages_is_found(build: ModuleType) -> None:
    page = '<html lang="zh"><nav aria-label="目录">目录。\n</nav><article>一，二<pre>Next\n，</pre></article>'
    assert build.language_faults("docs/zh/a.html", page) == []
    assert build.language_faults("docs/a.html", page) == ['docs/a.html is not <html lang="en">']
    mixed = page.replace("目录", "Table of contents").replace("一，", "一，\n")
    found = build.language_faults("docs/zh/a.html", mixed)
    assert found == ["docs/zh/a.html: Table of contents", "docs/zh/a.html has line breaks that show as gaps"]


def test_links_show_titles_and_not_names_of_files(build: ModuleType) -> None:
    said = build.with_titles(ROOT / "README.zh.md", "见 [docs/zh/tutorial.md](docs/zh/tutorial.md)。")
    assert said == "见 [《教程》](docs/zh/tutorial.md)。"
    said = build.with_titles(ROOT / "docs" / "a.md", "[cmake.md](cmake.md#commands), [x](cmake.md), [a.md](cmake.md)")
    assert said == "[Commands](cmake.md#commands), [x](cmake.md), [a.md](cmake.md)"
    for page in build.all_pages():
        assert not build.NAMED.search(build.with_titles(page, page.read_text(encoding="utf-8"))), page


def test_links_to_directories_lead_to_their_pages(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "PAGES", tmp_path)
    build.copy(ROOT / "docs" / "README.md")
    copied = (tmp_path / "docs" / "README.md").read_text(encoding="utf-8")
    assert "](decisions/README.md)" in copied and "](building.md)" in copied
    build.copy(ROOT / "docs" / "tutorial.md")  # which has commands that fail
    assert (
        re.findall(r"^```\w+ .*", (tmp_path / "docs" / "tutorial.md").read_text(encoding="utf-8"), re.MULTILINE) == []
    )


def test_the_gallery_has_a_page_for_each_package_with_what_is_recorded(build: ModuleType, tmp_path: Path) -> None:
    build.gallery.write(tmp_path)
    pages = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.md")}
    tested = {requirement.partition("==")[0] for requirement in build.gallery.forced()}
    assert {"README", "mmcv", "monai", "torch-scatter", "flash-attn"} <= pages.keys()
    assert tested <= pages.keys()
    for name in tested:
        assert "\nFORCE_MUSA=1 pip install --no-build-isolation --no-deps " in pages[name], name
        assert "`tests/corpus/check_" in pages[name]
    assert "| CPU time of mcc, of nvcc | 1.5 s, 2.2 s (`gmm_cuda.cu`) |" in pages["monai"]
    assert "| ported | 7 files, 110 edits, 1 warning |" in pages["causal-conv1d"]
    assert "| warps of 128 | agrees |" in pages["causal-conv1d"]
    assert "- race: " in pages["spatial-correlation-sampler"] and "403 source files" in pages["mmcv"]
    assert (
        "CovarianceReductionKernel" in pages["monai"] and "| found by the checks | reads past the end" in pages["monai"]
    )
    assert "| CPU time of mcc, of nvcc | not recorded |" in pages["mmcv"]  # nothing is made up
    assert "FORCE_MUSA" not in pages["natten"] and "what stops it" in pages["natten"]
    assert all(f"({name}.md)" in pages["README"] for name in pages if name != "README")


def test_the_gallery_draws_what_is_recorded_and_says_why_it_does_not(build: ModuleType, tmp_path: Path) -> None:
    build.gallery.write(tmp_path)
    svg = "{http://www.w3.org/2000/svg}"
    for path in tmp_path.glob("*.md"):
        text, picture = path.read_text(encoding="utf-8"), path.with_suffix(".svg")
        if picture.exists():
            root = ET.fromstring(picture.read_text(encoding="utf-8"))
            about = root.findtext(f"{svg}desc")
            assert f"![{about}]({picture.name})" in text and root.get("role") == "img"
            assert root.findtext(f"{svg}title") == text.splitlines()[0].lstrip("# ")
            addresses = re.findall(r"\w+://[^\"]+", picture.read_text(encoding="utf-8"))
            assert addresses == ["http://www.w3.org/2000/svg"], "a picture fetches nothing"
        elif path.stem != "README":
            assert "\nNo picture: " in text, path.stem
    drawn = ET.fromstring((tmp_path / "monai.svg").read_text(encoding="utf-8"))
    widths = [float(str(each.get("width"))) for each in drawn.iter(f"{svg}rect") if each.get("x") == "250"]
    assert widths[:2] == [round(1.5 / 2.5 * 380, 1), round(2.2 / 2.5 * 380, 1)]  # its axis ends at 2.5 s
    assert widths[2:] == [380.0, 0.0, 0.0, 0.0]  # one finding, of memory
    assert "files ported: 3; " in (tmp_path / "torch-discounted-cumsum.md").read_text(encoding="utf-8")
    without = {path.stem for path in tmp_path.glob("*.md")} - {path.stem for path in tmp_path.glob("*.svg")}
    stopped = {
        name for name, each in build.gallery.packages().items() if any("what stops it" in row for _, row in each.rows)
    }
    assert without - {"README"} <= stopped, "only what does not build has no picture"


@pytest.mark.parametrize(
    ("high", "marks"),
    [(1, [0, 1]), (6, [0, 2, 4, 6]), (2.2, [0, 0.5, 1, 1.5, 2, 2.5]), (215, [0, 50, 100, 150, 200, 250])],
)
def test_an_axis_has_round_marks(build: ModuleType, high: float, marks: list[float]) -> None:
    assert build.gallery.gallery_pictures.ticks(high) == marks


def test_the_report_of_the_corpus_has_every_package(build: ModuleType) -> None:
    page = build.gallery.report()
    states = re.findall(r'<details class="row (\w+)"', page)
    assert len(states) == len(build.gallery.packages()) and {"good", "unsure"} <= {*states}
    assert f"{states.count('good')} of {len(states)} packages run and agree" in page
    assert "<code>CovarianceReductionKernel</code>" in page and "://" not in page


def test_the_chinese_menu_names_the_pages_that_are_in_english(build: ModuleType, hooks: ModuleType) -> None:
    nav = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    groups = {title: pages for group in nav[1:-1] for title, pages in group.items()}
    assert [*groups] == [*hooks.GROUPS]
    chinese = [title for group in nav[-1]["中文"] for title in group]
    assert {*chinese} <= {*hooks.GROUPS.values()}
    known = {build.placed(page).relative_to(build.PAGES).as_posix() for page in build.all_pages()}
    named = [pair for pages in groups.values() for pair in hooks.untranslated(pages, known)]
    assert [page for _, page in named] == [*hooks.UNTRANSLATED], "in the order of the menu"
    assert all(name.endswith("（英文）") for name, _ in named) and len({name for name, _ in named}) == len(named)
