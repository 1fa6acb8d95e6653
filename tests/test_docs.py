"""The documentation names files, sections, tests and settings that exist."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from musa_build.environment.settings import DECLARED, Setting

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("backend", "benchmarks", "docs", "examples", "musa_build", "release", "simulator", "tests", "tools")
GENERATED = {"__pycache__", "src_musa"}


def project_files() -> Iterator[str]:
    for path in (*ROOT.iterdir(), *(path for folder in SOURCES for path in (ROOT / folder).rglob("*"))):
        relative = path.relative_to(ROOT)
        if path.is_file() and not GENERATED.intersection(relative.parts):
            yield relative.as_posix()


FILES = frozenset(project_files())
PAGES = sorted(name for name in FILES if name.endswith(".md") and not name.startswith("tests/"))
# Pages about the code, which shorten paths: `incremental.py`.
ABOUT_THE_CODE = [
    name for name in PAGES if name in ("CONTRIBUTING.md", "ARCHITECTURE.md") or name.startswith("docs/decisions/")
]
# Code includes the simulator's headers as <musa_sim/...>, so pages may name them like that.
BASES = (ROOT, ROOT / "simulator" / "musa_sim" / "include")

_FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_PATH = re.compile(rf"(?<![\w./~-])(?:{'|'.join(SOURCES)})/[\w./*-]*[\w/*]")
_SHORT_PATH = re.compile(r"(?<![\w./~<-])[\w/-]+\.py\b")
_TEST = re.compile(r"(?<!\w)test_\w+(?![\w.*/])")


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def prose(page: str) -> str:
    return _FENCE.sub("", text(page))


def anchors(page: str) -> set[str]:
    """Return the anchors of the headings, as code hosts make them."""
    headings = re.findall(r"^#+ +(.+?) *$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: str) -> list[str]:
    return [target for target in _LINK.findall(prose(page)) if "://" not in target and not target.startswith("mailto:")]


def resolved(page: str, target: str) -> Path:
    return (ROOT / page).parent / target if target else ROOT / page


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str) -> None:
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = resolved(page, target)
        assert path.exists(), f"{page} links to {target}, which does not exist"
        if anchor:
            name = path.resolve().relative_to(ROOT).as_posix()
            assert anchor in anchors(name), f"{page} links to {link}, but {name} has no such heading"


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_paths_of_the_repository_exist(page: str) -> None:
    # The change log names files as they were.
    for path in _PATH.findall(text(page)):
        assert any(any(base.glob(path.rstrip("/"))) for base in BASES), f"{page} names {path}, which does not exist"


@pytest.mark.parametrize("page", ABOUT_THE_CODE)
def test_shortened_paths_exist(page: str) -> None:
    for path in _SHORT_PATH.findall(prose(page)):
        found = any(f"/{name}".endswith(f"/{path}") for name in FILES)
        assert found, f"{page} names {path}, but no file has this name"


def test_tests_that_pages_name_exist() -> None:
    modules = [ROOT / name for name in FILES if name.startswith("tests/") and name.endswith(".py")]
    defined = {name for module in modules for name in re.findall(r"def (test_\w+)", module.read_text(encoding="utf-8"))}
    defined |= {module.stem for module in modules}
    for page in PAGES:
        named = {name for code in _CODE.findall(prose(page)) for name in _TEST.findall(code)}
        assert named <= defined, f"{page} names tests that do not exist: {sorted(named - defined)}"


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {resolved("docs/README.md", link.partition("#")[0]).resolve() for link in links("docs/README.md")}
    pages = {path.resolve() for path in (ROOT / "docs").glob("*.md")} - {index}
    assert sorted(path.name for path in pages - listed) == [], "docs/README.md does not list these pages"


@pytest.mark.parametrize("setting", DECLARED, ids=lambda setting: setting.key)
def test_settings_have_a_row_in_the_page_about_building(setting: Setting) -> None:
    rows = [row for row in text("docs/building.md").splitlines() if row.startswith("|")]
    names = [setting.key, *setting.variables]
    assert any(all(f"`{name}`" in row for name in names) for row in rows), f"docs/building.md has no row with {names}"


#: The hosts that the README and the documentation name, and how an address there begins. Tests use no network, so a new
#: host is opened by hand once, and added here.
HOSTS = {
    "github.com": r"/[\w.-]+/[\w.-]+(?:/(?:issues|pull|tree|blob|releases|actions)\b\S*)?",
    "download.pytorch.org": r"/whl/cpu",
    "mirrors.tuna.tsinghua.edu.cn": r"/\S+",
    "mirrors.aliyun.com": r"/\S+",
    "ui.perfetto.dev": r"/?",
    "HOST": r"/OWNER/NAME",  # of examples
}
_ADDRESS = re.compile(r"\bhttps?://[^\s)>\"'`\]|\uff09]+")


def test_addresses_of_others_have_a_known_host_and_form() -> None:
    pages = [name for name in PAGES if name.startswith(("README", "docs/"))]
    found = [(page, address.rstrip(".,;:\u3002\uff0c")) for page in pages for address in _ADDRESS.findall(text(page))]
    hosts = {address.split("/")[2] for _, address in found}
    assert len(found) > 50 and hosts == HOSTS.keys(), "each host is used"
    wrong = [
        (page, address)
        for page, address in found
        if not re.fullmatch(rf"https://{re.escape(address.split('/')[2])}{HOSTS[address.split('/')[2]]}", address)
    ]
    assert wrong == []


#: Blocks of code, with their language
_CODE_BLOCK = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
#: Lists for tests, which have a line for each module
_LISTS = {"imports", "libraries", "text"}


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


@pytest.mark.parametrize("page", PAGES)
def test_code_fits_the_page(page: str) -> None:
    """The site shows 100 columns at a width of 1280 pixels. Comments have lines of their own; output is wrapped."""
    blocks = [body for _, language, body in _CODE_BLOCK.findall(text(page)) if language not in _LISTS]
    assert [line for body in blocks for line in body.splitlines() if columns(line) > 100] == []
