"""Build the site: copy the pages and what they link to, write the generated ones, run MkDocs with warnings as errors.

    python docs/site/build.py        # pages in build/site/pages, the site in build/site/html

The pages keep their positions relative to one another, so their links stay as they are.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent))
import gallery
import hooks

ROOT = Path(__file__).resolve().parents[2]
#: Heading of the Python reference -> the modules whose public names it lists
PUBLIC = {
    "Build and port": "musa_build",
    "Errors of a build": "musa_build.errors",
    "Find what goes wrong": "musa_tools.compare_tool",
    "Dumps, as msprobe makes them": "musa_tools.other_tools.msprobe",
    "Dumps, as ptdbg_ascend makes them": "musa_tools.other_tools.ptdbg_ascend",
    "Dumps, as torch_npu.hooks makes them": "musa_tools.other_tools.hooks",
}
#: Public methods that the tools themselves call
CALLED_BY_US = {"around"}
PAGES = ROOT / "build" / "site" / "pages"
SITE = ROOT / "build" / "site" / "html"
CONFIG = Path(__file__).with_name("mkdocs.yml")
#: The home pages and the READMEs -> their names in the site
MOVED = {
    ROOT / "docs" / "site" / "home.md": "README.md",
    ROOT / "docs" / "site" / "home.zh.md": "README.zh.md",
    ROOT / "README.md": "introduction.md",
    ROOT / "README.zh.md": "introduction.zh.md",
}
#: Pages that answer what newcomers search for, and a page that names everything -> the factor of their rank
BOOST = {"questions.md": 8, "errors.md": 2, "reference.md": 8, "commands.md": 2, "CHANGELOG.md": 0.2}
#: The factor of decisions: they tell developers why
BOOST_OF_DECISIONS = 0.2
#: Words that readers of English search for -> the page that the first result has to be on
QUERIES = {
    "API": "docs/reference.html",
    "install": "docs/questions.html",
    "uninstall": "docs/questions.html",
    "docker": "docs/questions.html",
    "torchada": "docs/questions.html",
}
LINK = re.compile(r"\]\(([^()\s#]+)(#[^()\s]*)?\)")
#: A link whose text is the name of the page that it leads to
NAMED = re.compile(r"\[(?:[\w-]+/)*([\w-]+(?:\.zh)?\.md)\]\((?=((?:[^()\s#]*/)?\1)(#[^()\s]*)?\))")
DECISIONS = "docs/decisions"
#: Words of the theme in English
ENGLISH_WORDS = ("Table of contents", "Back to top", "Previous", "Next", "Skip to content", "Copy to clipboard")
#: Words that readers of Chinese search for: the first results have to have them
CHINESE_QUERIES = ("共享内存", "数据竞争", "核函数", "线程块", "线程束", "缓存", "安装", "卸载", "移植", "越界")
#: A block's language, and a word after it for the tests of examples, which MkDocs does not accept
_FENCE = re.compile(r"^(```\w+) \w+$", re.MULTILINE)


def linked(page: Path) -> Iterator[Path]:
    """Yield the files and directories of the repository that a page links to."""
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        target = (page.parent / match[1]).resolve()
        if "://" not in match[1] and target.exists() and ROOT in target.parents:
            yield target


def all_pages() -> list[Path]:
    """Return the pages of the site: those at the top, those in docs, and all that these lead to."""
    found = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    for page in found:
        found += [target for target in dict.fromkeys(linked(page)) if target.suffix == ".md" and target not in found]
    return found


def placed(path: Path) -> Path:
    """Return the path of a page or file in the site: the home page is its own, the README follows it."""
    return PAGES / MOVED.get(path, str(path.relative_to(ROOT)))


def heading(page: Path, fragment: str) -> str:
    """Return the heading that a fragment ("#anchor") of a page leads to, or the page's title up to its colon."""
    headings = re.findall(r"^#+ +(.+)$", re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S), re.M)
    found = [text for text in headings if hooks.anchor(text) == fragment.lstrip("#")]
    return found[0] if found else re.split(": |\uff1a", headings[0])[0]


def with_titles(page: Path, text: str) -> str:
    """Return the text of a page, with the titles of other pages where links show the names of their files."""
    is_chinese = hooks.language_of(page.relative_to(ROOT).as_posix()) == "zh"

    def title(match: re.Match[str]) -> str:
        target = (page.parent / match[2]).resolve()
        if not target.is_file():
            return match[0]
        name = heading(target, match[3] or "")
        return f"[《{name}》](" if is_chinese else f"[{name}]("

    return NAMED.sub(title, text)


def copy(page: Path) -> None:
    """Copy a page, and the other files that it links to. A link to a directory leads to that directory's page."""
    target_page = placed(page)
    target_page.parent.mkdir(parents=True, exist_ok=True)

    def in_site(match: re.Match[str]) -> str:
        target = (page.parent / match[1]).resolve()
        if "://" in match[1] or not target.exists() or ROOT not in target.parents:
            return match[0]
        target = placed(target / "README.md" if target.is_dir() else target)
        return f"]({os.path.relpath(target, target_page.parent)}{match[2] or ''})"

    text = _FENCE.sub(r"\1", with_titles(page, page.read_text(encoding="utf-8")))
    target_page.write_text(_boosted(page.name) + LINK.sub(in_site, text), encoding="utf-8")
    for target in linked(page):
        if target.is_file() and target.suffix != ".md":
            other = placed(target)
            other.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, other)


def _boosted(page: str) -> str:
    """Return the front matter of a page that the search ranks higher or lower, or ""."""
    factor = BOOST_OF_DECISIONS if re.match(r"\d{4}-", page) else BOOST.get(page)
    return f"---\nsearch: {{boost: {factor}}}\n---\n\n" if factor else ""


def said(program: click.Command, name: str, *words: str) -> str:
    """Return the answer of a program of click to `--help`, as Markdown."""
    run = CliRunner(env={"COLUMNS": "82", "MUSA_BUILD_LANG": "en"}).invoke(program, [*words, "--help"], prog_name=name)
    if run.exit_code:
        raise SystemExit(f"{name} {' '.join(words)} --help ends with {run.exit_code}: {run.output}")
    return f"```text\n{run.output.rstrip()}\n```\n"


def commands(program: click.Group, name: str) -> Iterator[str]:
    """Yield the help of a program, of each of its commands, and of theirs, as Markdown."""
    yield f"## {name}\n"
    yield said(program, name)
    yield from _commands_of(program, program, name)


def _commands_of(group: click.Group, program: click.Group, name: str, *words: str) -> Iterator[str]:
    for word, command in sorted(group.commands.items()):
        if command.hidden:
            continue
        path = (*words, word)
        yield f"{'#' * (2 + len(path))} {' '.join([name, *path])}\n"
        yield said(program, name, *path)
        if isinstance(command, click.Group):
            yield from _commands_of(command, program, name, *path)


def other_programs() -> Iterator[str]:
    """Yield the help of the programs that click does not write."""
    for name, module in (("musa-converter", "musa_tools.convert.program"), ("python -m musa_sim", "musa_sim.__main__")):
        command = [sys.executable, "-c", f"import sys; from {module} import main; sys.exit(main())", "--help"]
        done = subprocess.run(command, env={**os.environ, "COLUMNS": "82"}, capture_output=True, text=True, check=True)
        yield f"## {name}\n"
        yield f"```text\n{done.stdout.rstrip()}\n```\n"


def has_raw_fence(html: str) -> bool:
    """Return whether the text of an HTML page has ``` outside of code."""
    return "```" in re.sub(r"<(pre|code|script)\b.*?</\1>", "", html, flags=re.DOTALL)


def language_faults(page: str, html: str) -> list[str]:
    """Return a line for each thing of a built page that is in another language than its text."""
    language = hooks.language_of(page.replace(".html", ".md"))
    found = [] if f'<html lang="{language}"' in html else [f'{page} is not <html lang="{language}">']
    if language == "zh":
        shown = re.sub(r"<(pre|code|script)\b.*?</\1>", "", html, flags=re.DOTALL)
        found += [f"{page}: {word}" for word in ENGLISH_WORDS if re.search(rf">\s*{word}\b|=\"{word}\b", shown)]
        text = re.search(r"<article\b.*</article>", html, re.DOTALL)  # the theme's menus have lines of their own
        if text and hooks.without_gaps(text[0]) != text[0]:
            found.append(f"{page} has line breaks that show as gaps")
    return found


def search_results(site: Path, queries: Iterable[str]) -> dict[str, list[str]]:
    """Return the addresses that the site's own search finds, best first. Node.js runs it."""
    command = ["node", str(CONFIG.with_name("search.js")), str(site), *queries]
    found: dict[str, list[str]] = json.loads(
        subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    )
    return found


def not_first(site: Path, wanted: Mapping[str, str] = QUERIES) -> list[str]:
    """Return a line for each query whose first result is on another page than `wanted` says."""
    first = {query: (found or [""])[0] for query, found in search_results(site, wanted).items()}
    return [
        f"{query}: the first result is {first[query]!r}, not on {page}"
        for query, page in wanted.items()
        if first[query].partition("#")[0] != page
    ]


def search_misses(site: Path, queries: Sequence[str] = CHINESE_QUERIES, best: int = 5) -> list[str]:
    """Return a line for each query whose best results do not have it."""
    results = search_results(site, queries)
    sections = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    pages: dict[str, str] = {}
    for section in sections:
        address = section["location"].partition("#")[0]
        pages[address] = pages.get(address, "") + f"{section['title']} {section['text']}".replace("\u200b", "")
    found = []
    for query in queries:
        addresses = results[query][:best]
        wrong = [address for address in addresses if query not in pages[address.partition("#")[0]]]
        if wrong or not any("zh" in address for address in addresses):
            found.append(f"{query}: {len(addresses)} results, and these do not have it: {wrong}")
    return found


def public_objects(module: str) -> dict[str, Any]:
    """Return the public objects of a module: those of its list, or the classes of a module that has none.

    An object that is neither a class nor a function is described by its class.
    """
    loaded = importlib.import_module(module)
    own = [name for name, value in vars(loaded).items() if inspect.isclass(value) and value.__module__ == module]
    objects = {name: getattr(loaded, name) for name in getattr(loaded, "__all__", own)}
    is_described = {name: inspect.isclass(value) or inspect.isfunction(value) for name, value in objects.items()}
    return {name: value if is_described[name] else type(value) for name, value in objects.items()}


def public_methods(value: object) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the public methods of a class that its users call. The methods that setuptools calls are none of them."""
    if not inspect.isclass(value):
        return
    protocol = {*dir(build_ext), *CALLED_BY_US} if issubclass(value, build_ext) else CALLED_BY_US
    for name, member in vars(value).items():
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if inspect.isfunction(function) and not name.startswith("_") and name not in protocol:
            yield name, function


def python_reference() -> Iterator[str]:
    """Yield the page of the Python interface: mkdocstrings reads the docstrings."""
    yield f"{_boosted('reference.md')}# Python API reference\n"
    yield "Public names, and what their docstrings say. [What is stable](stability.md) lists what stays as it is.\n"
    for heading, module in PUBLIC.items():
        yield f"## {heading}\n"
        for name, value in public_objects(module).items():
            yield f"### {module}.{name}\n\n::: {value.__module__}.{value.__qualname__}\n"


def write_generated() -> None:
    """Write what is no page of the repository: commands, Python reference, list of decisions, gallery, style."""
    from musa_build.cli import main as musa_build
    from musa_tools.cli import main as musa_tools

    parts = [f"{_boosted('commands.md')}# Commands\n", "Each command prints this with `-h` or `--help`.\n"]
    parts += [*commands(musa_build, "musa-build"), *commands(musa_tools, "musa-tools"), *other_programs()]
    (PAGES / "docs" / "commands.md").write_text("\n".join(parts), encoding="utf-8")
    (PAGES / "docs" / "reference.md").write_text("\n".join(python_reference()), encoding="utf-8")
    rows = ["# Decisions\n"]
    for record in sorted((ROOT / DECISIONS).glob("[0-9]*.md")):
        title = record.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        rows.append(f"- [{title}]({record.name})")
    (PAGES / DECISIONS / "README.md").write_text("\n".join(rows) + "\n", encoding="utf-8")
    gallery.write(PAGES / "docs" / "gallery")
    shutil.copyfile(CONFIG.with_name("site.css"), PAGES / "site.css")


def main() -> int:
    """Build the site. Return MkDocs' exit status, or 1 if a page shows the fence of a block or a language is wrong."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for page in all_pages():
        copy(page)
    write_generated()
    # --quiet would hide warnings, and --strict would not count them
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(CONFIG)]
    status = subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False).returncode
    broken = [page for page in sorted(SITE.rglob("*.html")) if has_raw_fence(page.read_text(encoding="utf-8"))]
    for page in broken:
        print(f"error: {page.relative_to(SITE)} shows ``` as text: MkDocs did not take it for a block", file=sys.stderr)
    pages = {page.relative_to(SITE).as_posix(): page.read_text(encoding="utf-8") for page in SITE.rglob("*.html")}
    faults = [fault for page, html in sorted(pages.items()) for fault in language_faults(page, html)]
    for fault in faults:
        print(f"error: a page in two languages: {fault}", file=sys.stderr)
    has_node = shutil.which("node") is not None
    if not has_node:
        print("warning: the site's search was not tried: there is no node on PATH", file=sys.stderr)
    misses = [*search_misses(SITE), *not_first(SITE)] if has_node else []
    for miss in misses:
        print(f"error: the site's search for {miss}", file=sys.stderr)
    return status or len(broken) + len(faults) + len(misses) > 0


if __name__ == "__main__":
    sys.exit(main())
