"""The examples of README.md and docs/*.md run, in the order of their page, on the simulated device."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from doc_pages import Example, Page, TableError, examples, script
from doc_table import PAGES, RUN_BY

from musa_sim.sdk_root import cache_dir

ROOT = Path(__file__).resolve().parents[2]
FILES = Path(__file__).resolve().parent / "files"


def on_page(name: str) -> list[Example]:
    return examples((ROOT / name).read_text(encoding="utf-8"))


def run(page: Page, found: list[Example], folder: Path, environment: Mapping[str, str], checkout: Path = ROOT) -> None:
    """Run the examples of a page. What they need is copied, so that nothing is written into the checkout."""
    text, files = script(page, found)
    shutil.copytree(FILES, folder)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "page.sh").write_text(text, encoding="utf-8")
    sdks = {path for path in cache_dir().glob("musa-*/") if ".partial-" not in path.name}
    done = subprocess.run(
        ["bash", "-v", "page.sh"],
        cwd=folder,
        env={**environment, "CHECKOUT": str(checkout)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert all(sdk.exists() for sdk in sdks), "a page removed what is not its own"


def environment() -> dict[str, str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "MUSA_BUILD_SIMULATOR": "1", "MAX_JOBS": "2"}


def test_every_page_with_examples_is_run() -> None:
    pages = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
    assert {name for name in pages if any(example.language in ("sh", "python") for example in on_page(name))} == {
        *PAGES,
        *RUN_BY,
    }
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    reasons = " ".join(reason for page in PAGES.values() for reason in page.left_out.values())
    for test in (*RUN_BY.values(), *re.findall(r"\btest_\w+", reasons)):
        assert f"\ndef {test}(" in sources, test


@pytest.mark.parametrize("name", PAGES)
def test_the_table_fits_the_page(name: str) -> None:
    """A name in the table that the page does not have raises TableError."""
    program, _ = script(PAGES[name], on_page(name))
    assert program.startswith("set -euo pipefail\n")


QUICK = [name for name, page in PAGES.items() if not page.slow and len(page.left_out) < len(on_page(name))]


@pytest.mark.compiles
@pytest.mark.parametrize("name", QUICK)
def test_the_examples_of_a_page(name: str, tmp_path: Path) -> None:
    run(PAGES[name], on_page(name), tmp_path / "page", environment())


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.slow])
def test_the_examples_of_a_page_that_compiles(
    name: str, tmp_path: Path, sim_sdk_root: Path, request: pytest.FixtureRequest
) -> None:
    if PAGES[name].own_environment:
        fresh_environment: Callable[..., Mapping[str, str]] = request.getfixturevalue("fresh_environment")
        variables = fresh_environment(MUSA_BUILD_SIMULATOR="1")
        checkout = request.getfixturevalue("built_wheels")["musa_build"].parent / "copy"  # pip writes there
        run(PAGES[name], on_page(name), tmp_path / "page", variables, checkout)
    else:
        run(PAGES[name], on_page(name), tmp_path / "page", environment())


PAGE = """
```sh
mkdir made && cd made    # a comment
test -d nowhere && true
```
```python
number = 7
```
```python
raise ValueError(number)
```
"""


def test_an_example_that_does_not_run_is_found(tmp_path: Path) -> None:
    found = examples(PAGE)
    assert [example.text for example in found[:2]] == ["mkdir made && cd made", "test -d nowhere && true"]
    with pytest.raises(AssertionError, match="test -d nowhere"):
        run(Page(), found, tmp_path / "first", environment())
    nowhere = {"test -d nowhere": "there is no such folder"}
    with pytest.raises(AssertionError, match="ValueError: 7"):
        run(Page(left_out={**nowhere, "mkdir made": "no"}), found, tmp_path / "second", environment())
    stops = Page(left_out={**nowhere, "mkdir made": "no"}, fails={"raise": "ValueError: 7"})
    run(stops, found, tmp_path / "third", environment())


def test_an_example_that_does_not_stop_as_its_page_says_is_found(tmp_path: Path) -> None:
    fails = Page(fails={"true": "no such file", "x = 1": "KeyError"})
    for language, text, says in (("sh", "true", "it did not stop: true"), ("python", "x = 1", "KeyError was not said")):
        found = examples(f"```{language}\n{text}\n```")
        only = Page(fails={text: fails.fails[text]})
        with pytest.raises(AssertionError, match=says):
            run(only, found, tmp_path / language, environment())


def test_the_table_names_examples_that_exist() -> None:
    found = examples(PAGE)
    for page in (Page(left_out={"pip": "no"}), Page(saves={"pip": "file"}), Page(substitutes={"pip": "true"})):
        with pytest.raises(TableError):
            script(page, found)
