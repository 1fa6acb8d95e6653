"""The site's parts that need no MkDocs: its pages, their order, and what is generated. `make docs` builds the site."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
import yaml
from script_modules import module_of

from musa_build.cli import main

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"
OFF_THE_MENU = re.compile(r"docs/decisions/\d|musa_build/explain/topics/")  # lists lead there


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return module_of(SITE / "build.py", "build_site")


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


def test_the_help_of_every_command_is_a_section(build: ModuleType) -> None:
    text = "\n".join(build.commands(main, "musa-build"))
    assert "## musa-build sim\n" in text and "### musa-build sim run\n" in text and "--report" in text
    assert all(f"## musa-build {name}\n" in text for name, command in main.commands.items() if not command.hidden)
    assert isinstance(main, click.Group)


def test_every_public_name_and_argument_is_described(build: ModuleType) -> None:
    """The Python reference is made of the docstrings, so each argument needs its line there."""
    page = "\n".join(build.python_reference())
    undescribed = []
    for module in build.PUBLIC.values():
        for name, value in build.public_objects(module).items():
            assert f"### {module}.{name}\n\n::: " in page
            if inspect.isclass(value) and issubclass(value, Exception):
                continue
            text = f"{inspect.getdoc(value)}\n{inspect.getdoc(value.__init__)}"
            named = set(re.findall(r"^ +\**(\w+): ", text, re.MULTILINE))
            for argument in inspect.signature(value).parameters:
                if argument not in named:
                    undescribed.append(f"{module}.{name}: {argument}")
    assert undescribed == []


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


def test_a_fence_that_became_text_is_found(build: ModuleType) -> None:
    assert build.has_raw_fence("<p>```sh fails</p><pre>ls</pre>")
    assert not build.has_raw_fence('<p>a <code>```</code></p><pre class="x">\n```</pre>')


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


def test_the_report_of_the_corpus_has_every_package(build: ModuleType) -> None:
    page = build.gallery.report()
    states = re.findall(r'<details class="row (\w+)"', page)
    assert len(states) == len(build.gallery.packages()) and {"good", "unsure"} <= {*states}
    assert f"{states.count('good')} of {len(states)} packages run and agree" in page
    assert "<code>CovarianceReductionKernel</code>" in page and "://" not in page
