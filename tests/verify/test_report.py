"""The report: what programs read, and the page that people read, in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from musa_build.verify import report
from musa_build.verify.assumptions import Assumption
from musa_build.verify.run import ProbeResult
from musa_build.verify.verdict import Verdict, confirmed, refuted, undecided

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
EVIL = '</script><script>document.title = "caught"</script>'


def answer(name: str, verdict: Verdict, group: str = "assumption") -> ProbeResult:
    return ProbeResult(
        Assumption(name, group, f"question of {name}", "an assumption", lambda context: verdict), verdict, 1.25
    )


def content(*answers: ProbeResult) -> dict[str, Any]:
    return report.content(answers, {"card": "MTT S4000", "sdk": "4.3.6"}, "1.0", True)


THREE = (
    answer("one", confirmed("as it should be")),
    answer("two", refuted(f"it is {EVIL}")),
    answer("three", undecided("nobody knows"), "porting"),
)


def test_the_file_for_programs(tmp_path: Path) -> None:
    as_json, _ = report.write(tmp_path / "new", content(*THREE))
    read = json.loads(as_json.read_text(encoding="utf-8"))
    assert list(read) == ["musa_build", "made", "complete", "machine", "summary", "rows"]
    assert read["summary"] == {"confirmed": 1, "refuted": 1, "not decided": 1}
    assert read["rows"][0] == {
        "id": "one",
        "group": "assumption",
        "question": "question of one",
        "assumed": "an assumption",
        "state": "confirmed",
        "seen": "as it should be",
        "seconds": 1.2,
    }


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        (THREE, "1 thing that we assume is otherwise on this machine. 1 could not be decided here."),
        (THREE[:1], "All that was decided is as we assume."),
        ((THREE[1], THREE[1]), "2 things that we assume are otherwise on this machine."),
    ],
)
def test_the_result_in_one_sentence(answers: tuple[ProbeResult, ...], wanted: str) -> None:
    assert report.headline(content(*answers)["summary"]) == wanted
    assert wanted in report.page(content(*answers))


def test_the_page_loads_nothing_and_runs_nothing_that_a_compiler_said() -> None:
    text = report.page(content(*THREE))
    assert "default-src 'none'" in text and EVIL not in text and "&lt;/script&gt;" in text
    visible = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", text, flags=re.DOTALL)
    assert "No row fits" in text and "No row fits" not in visible  # a text browser shows hidden elements
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|https?://|fetch\(|XMLHttpRequest|innerHTML""", text)


STEPS = """{
const seen = [], rows = () => [...document.querySelectorAll('.row:not([hidden])')].map((row) => row.id).join(' ');
const step = (act) => { act(); seen.push(rows()); };
const button = (state) => document.querySelector(`[data-state=${state}]`);
const field = document.getElementById('filter');
const filter = (text) => { field.value = text; field.oninput(); };
step(() => {});
step(() => button('good').click());
step(() => button('unsure').click());
step(() => { button('good').click(); button('unsure').click(); filter('NOBODY'); });
step(() => filter('no such words'));
const said = document.getElementById('nothing');
seen.push(said.hidden ? 'silent' : said.textContent.slice(0, 11), document.title, location.hash);
document.body.dataset.seen = JSON.stringify(seen);
}"""


@pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")
def test_what_a_person_clicks(tmp_path: Path) -> None:
    path = tmp_path / "verify.html"
    page = report.page(content(*THREE)).replace("</body>", f"<script>{STEPS}</script></body>")
    path.write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    run = subprocess.run(
        [*command, "--dump-dom", f"file://{path}"], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r'data-seen="([^"]*)"', run.stdout)
    assert found, run.stderr[-2000:]
    seen = json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&"))
    title = "1 refuted: musa-build verify on MTT S4000"
    assert seen == ["one two three", "two three", "two", "three", "", "No row fits", title, "#text=no+such+words"]
