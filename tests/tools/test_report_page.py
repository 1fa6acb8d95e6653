"""The page of a comparison: it needs nothing else, and does what a person clicks, in a real browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from dumps import Made, network, write_msprobe

from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.report.content import as_content
from musa_tools.compare_dumps.report.files import compact, page, read_json, write_json, write_page
from musa_tools.compare_dumps.table import compare
from musa_tools.errors import ToolError

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")


def content_of(folder: Path, left: list[Made], right: list[Made], steps: int = 1) -> dict[str, Any]:
    paths = []
    for name, calls in (("a", left), ("b", right)):
        for step in range(steps):
            write_msprobe(folder / name / f"step{step}" / "rank0", calls if step == steps - 1 else right)
        paths.append(folder / name)
    return as_content(compare(read_dump(paths[0]), read_dump(paths[1])))


@pytest.fixture
def content(tmp_path: Path) -> dict[str, Any]:
    left, right = network(layers=6, wrong=2, noise=1e-7), network(layers=6)
    right.insert(3, right[2].but(number=77))
    return content_of(tmp_path, left, right)


def in_browser(folder: Path, content: dict[str, Any], address: str = "", script: str = "") -> str:
    """Open the page, run a script in it, and return the document that there is then."""
    if not BROWSER:
        pytest.skip("no Chromium on this machine")
    path = folder / "page.html"
    watch = "<script>window.onerror = (words) => document.body.append('JAVASCRIPT ERROR ' + words)</script>"
    text = page(content).replace("<head>", f"<head>{watch}", 1)
    path.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=2000", "--dump-dom"]
    run = subprocess.run([*command, f"file://{path}#{address}"], capture_output=True, text=True, timeout=120)
    assert "JAVASCRIPT ERROR" not in run.stdout.replace(watch, "").replace("'JAVASCRIPT ERROR '", ""), run.stdout[-300:]
    assert '<div id="rows"' in run.stdout, run.stderr[-2000:]
    return run.stdout


def shown_calls(document: str) -> list[int]:
    return [int(index) for index in re.findall(r'<div class="row [^"]*" data-call="(\d+)"', document)]


def text_of(document: str, element: str) -> str:
    found = re.search(rf'id="{element}"[^>]*>(.*?)</(?:p|h2|span|b|ul)>', document, re.DOTALL)
    assert found, element
    return re.sub(r"<[^>]*>", " ", found[1]).strip()


def test_the_page_loads_nothing_from_anywhere(content: dict[str, Any]) -> None:
    text = page(content)
    assert "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|https?://|fetch\(|XMLHttpRequest|innerHTML""", text)


def test_the_packed_content_is_small_and_complete(content: dict[str, Any]) -> None:
    packed = compact(content)
    assert len(json.dumps(packed)) < 0.5 * len(json.dumps(content))
    (section,) = packed["sections"]
    for call, known in zip(section["calls"], content["sections"][0]["calls"]):
        assert call[0] == known.get("name") and len(call[9]) == len(known["rows"])
        assert packed["texts"][call[4]] == known["mark"] and packed["texts"][call[3]] == known["module"]


def test_the_verdict_and_the_tree(content: dict[str, Any], tmp_path: Path) -> None:
    document = in_browser(tmp_path, content)
    assert text_of(document, "culprit") == "Functional.linear.2.forward"
    assert text_of(document, "crumbs") == "in layers \u203a 2 \u203a fc"
    assert '<body class="made">' in document and "First divergence" in text_of(document, "eyebrow")
    (marked,) = re.findall(r'<[^>]*first-bad[^>]*data-path="([^"]*)"|data-path="([^"]*)"[^>]*first-bad', document)
    assert "layers.2.fc" in marked
    for opened in ("layers", "layers.2"):
        assert re.search(rf'<details open=""><summary[^>]*data-path="{opened}"', document), f"{opened} is folded"
    assert not re.search(r'<details open=""><summary[^>]*data-path="layers.5"', document)
    bad = content["sections"][0]["divergence"]["call"]
    assert bad in shown_calls(document), "the table has moved to the first bad call"
    assert f'class="row error first-bad" data-call="{bad}"' in document
    assert "line 12" in document, "its code is shown"


# The steps of a person; after each, the page's state is noted.
STEPS = """
const $$ = (query) => document.querySelector(query), seen = {};
const step = (name, act) => {
  act();
  const rows = [...document.querySelectorAll('#rows .row')].map((row) => +row.dataset.call);
  seen[name] = {rows, shown: $$('#shown').textContent, detail: $$('#detail h4')?.textContent};
};
const filter = (text) => { $$('#filter').value = text; $$('#filter').oninput({target: $$('#filter')}); };
const branch = () => $$('[data-path="layers.2"]');
const click = (element, x) => {
  const clientX = element.getBoundingClientRect().left + x;
  element.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, clientX}));
};
step('worst first', () => $$('#head [data-key=result]').click());
step('best first', () => $$('#head [data-key=result]').click());
step('in order', () => $$('#head [data-key=""]').click());
step('only relu', () => filter('RELU'));
step('everything', () => filter(''));
step('only errors', () => { for (const mark of ['pass', 'warning', 'unmatched']) $$(`[data-mark=${mark}]`).click(); });
step('all marks', () => { for (const mark of ['pass', 'warning', 'unmatched']) $$(`[data-mark=${mark}]`).click(); });
step('one layer', () => click(branch(), 40));
step('all layers', () => click(branch(), 40));
step('chosen', () => $$('[data-call="4"]').click());
document.body.append(Object.assign(document.createElement('pre'), {id: 'seen', textContent: JSON.stringify(seen)}));
"""


def test_the_table_is_sorted_and_filtered(content: dict[str, Any], tmp_path: Path) -> None:
    calls = content["sections"][0]["calls"]
    found = re.search(r'<pre id="seen">(.*?)</pre>', in_browser(tmp_path, content, "call=0", STEPS), re.DOTALL)
    assert found
    seen = json.loads(html.unescape(found[1]))
    everything = list(range(len(calls)))[: len(seen["in order"]["rows"])]

    def of(step: str, key: str) -> list[Any]:
        return [calls[index].get(key, -1) for index in seen[step]["rows"]]

    worst, best = of("worst first", "result"), of("best first", "result")
    assert worst == sorted(worst, reverse=True) and best == sorted(best) and worst[0] > worst[-1]
    assert seen["in order"]["rows"] == seen["everything"]["rows"] == seen["all marks"]["rows"] == everything
    assert seen["all layers"]["rows"] == everything and len(everything) > 15
    names = [calls[index].get("name", calls[index]["other"]) for index in seen["only relu"]["rows"]]
    assert {name.split(".")[1] for name in names} == {"relu"}
    assert seen["only relu"]["shown"] == f"7 of {len(calls)} calls"
    assert set(of("only errors", "mark")) == {"error"}
    assert set(of("one layer", "module")) == {"layers.2", "layers.2.fc"}
    assert seen["chosen"]["detail"] == calls[4]["name"]


def test_the_page_and_the_terminal_count_alike(content: dict[str, Any], tmp_path: Path) -> None:
    """Calls by their worst row, and rows: both numbers are in both."""
    document = in_browser(tmp_path, content)
    facts = content["sections"][0]["facts"]
    for mark in ("error", "warning"):
        assert re.findall(rf'data-mark="{mark}"[^>]*><span class="dot {mark}"></span>{mark} (\d+, \d+)<', document) == [
            facts[f"{mark} calls, rows"]
        ]
    calls = [call["mark"] for call in content["sections"][0]["calls"]]
    rows = [row["mark"] for call in content["sections"][0]["calls"] for row in call["rows"]]
    assert facts["error calls, rows"] == f"{calls.count('error')}, {rows.count('error')}" != "0, 0"


def test_a_view_can_be_shared_by_its_address(content: dict[str, Any], tmp_path: Path) -> None:
    document = in_browser(tmp_path, content, "text=linear&direction=backward&sort=inputs&down=1&call=20")
    calls = content["sections"][0]["calls"]
    shown = shown_calls(document)
    assert shown and all(calls[i]["direction"] == "backward" and "linear" in calls[i]["name"] for i in shown)
    assert '<span class="sorted down" data-key="inputs"' in document


def test_steps_have_tabs_and_the_first_bad_one_is_open(tmp_path: Path) -> None:
    content = content_of(tmp_path, network(wrong=1), network(), steps=3)
    document = in_browser(tmp_path, content)
    assert re.findall(r"<button(?: class=\"(on)\")?><span class=\"dot (\w+)\"></span>(step \d), rank 0", document) == [
        ("", "pass", "step 0"),
        ("", "pass", "step 1"),
        ("on", "error", "step 2"),
    ]
    first = "document.querySelector('#sections button').click();"
    assert text_of(in_browser(tmp_path, content, script=first), "culprit") == "The runs agree"


def test_names_in_a_dump_are_text(tmp_path: Path) -> None:
    evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">&amp;"
    x = torch.ones(2)
    calls = [Made(f"Torch.{evil}", (x, evil), (y,), stack=(evil,), parent=evil) for y in (x, x * 2)]
    content = content_of(tmp_path, calls[:1], calls[1:])
    assert "<img" not in page(content) and page(content).count("</script>") == 2
    document = in_browser(tmp_path, content)
    assert "<title>owned" not in document and not re.search(r"<img", document)
    assert "&lt;/script&gt;" in text_of(document, "culprit")


def test_runs_that_agree_have_a_page_too(tmp_path: Path) -> None:
    content = content_of(tmp_path, network(), network())
    document = in_browser(tmp_path, content)
    assert text_of(document, "culprit") == "The runs agree" and len(shown_calls(document)) == 16


@pytest.mark.slow
def test_a_long_run_shows_only_rows_in_sight(tmp_path: Path) -> None:
    x = torch.ones(1)
    calls = [Made("Torch.f", (x,), (x,), number=index) for index in range(20_000)]
    down = "document.getElementById('scroll').scrollTop = 10000 * 28; document.getElementById('scroll').onscroll();"
    shown = shown_calls(in_browser(tmp_path, content_of(tmp_path, calls, calls), script=down))
    assert 10_000 in shown and 20 <= len(shown) <= 40


def test_json_is_written_and_read(content: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_json(path, content)
    assert read_json(path) == content and "Infinity" not in path.read_text() and "NaN" not in path.read_text()
    for text, words in (("{", "is no JSON"), ("{}", "is no comparison")):
        path.write_text(text)
        with pytest.raises(ToolError, match=words):
            read_json(path)


def test_a_page_is_written_whole_or_not_at_all(content: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no such folder"):
        write_page(tmp_path / "nowhere" / "page.html", content)
    write_page(tmp_path / "page.html", content)
    assert [path.name for path in tmp_path.glob("page*")] == ["page.html"]
