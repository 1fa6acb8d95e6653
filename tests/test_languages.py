"""MUSA_BUILD_LANG and the locale choose the language of explanations; Chinese has all that English has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from module_texts import messages

from musa_build import explain
from musa_build.cli import doctor, main
from musa_build.explain import as_text, columns, topics
from musa_build.explain.language import language_of
from musa_build.explain.texts import table, translated, translator

TABLE = table("zh")
ROOT = Path(__file__).resolve().parents[1]
SLOT = re.compile(r"\{\w*(?::\w+)?\}")
NAME = re.compile(r"\{(\w+)")


@pytest.mark.parametrize(
    ("environment", "encoding", "language"),
    [
        ({}, "utf-8", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "utf-8", "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "utf-8", "en"),
        ({"LANG": "de_DE.UTF-8", "MUSA_BUILD_LANG": "zh"}, "utf-8", "zh"),
        ({"LANG": "zh_CN.UTF-8", "MUSA_BUILD_LANG": "en"}, "utf-8", "en"),
        ({"MUSA_BUILD_LANG": "zh-Hans"}, "gbk", "zh"),
        ({"MUSA_BUILD_LANG": "zh"}, "ascii", "en"),
        ({"MUSA_BUILD_LANG": "fr"}, "utf-8", "en"),
    ],
)
def test_the_language(environment: dict[str, str], encoding: str, language: str) -> None:
    assert language_of(environment, encoding) == language


def test_every_topic_is_translated() -> None:
    missing = [code for code, topic in topics("zh").items() if topic.language != "zh"]
    assert missing == [], "musa_build/explain/topics has no .zh.md of these"
    assert [*topics("zh")] == [*topics()]


@pytest.mark.parametrize("family", ["errors", "porting"])
def test_the_chinese_pages_list_the_topics_with_their_titles(family: str) -> None:
    page = Path(__file__).parents[1] / "docs" / "zh" / ("errors.md" if family == "errors" else "porting-findings.md")
    link = re.compile(rf"\| \[([\w-]+)\]\(\.\./\.\./musa_build/explain/topics/{family}/\1\.zh\.md\) \| ([^|]+) \|")
    rows = dict(link.findall(page.read_text(encoding="utf-8")))
    assert rows == {topic.code: topic.title for topic in topics("zh").values() if topic.family == family}


def test_a_topic_without_translation_is_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "errors").mkdir()
    page = "# MB1: a title\n\n## Cause\n\nThis.\n\n## Cure\n\nThat.\n\n## Example\n\n```sh\nls\n```\n"
    (tmp_path / "errors" / "MB1.md").write_text(page, encoding="utf-8")
    monkeypatch.setattr(explain, "TOPICS", tmp_path)
    assert topics.__wrapped__("zh")["MB1"].title == "a title"


def test_every_text_of_doctor_is_translated() -> None:
    known = "\n".join(SLOT.sub("{}", key) for key in TABLE)  # a template may have parts of a row
    left = set()
    for template in messages(Path(doctor.__file__)):
        for text in re.split(r"; (?:found|wanted|hint|see): ", template):
            words = SLOT.sub("", text)
            text = re.sub(r"(\{\})+$", "{}", text)
            is_prose = " " in words.strip() and re.search("[a-z]{2}", words) and "--" not in words.split("#")[0]
            if is_prose and "pip install" not in text and text not in known:
                left.add(text)
    assert left == set(), "musa_build/explain/texts.zh.json has no rows for these"


def test_a_row_has_the_slots_of_its_template() -> None:
    assert [key for key, value in TABLE.items() if {*NAME.findall(key)} != {*NAME.findall(value)}] == []


def test_a_template_of_few_words_says_what_its_slots_are() -> None:
    loose = [key for key in TABLE if "{" in key and len(SLOT.sub("", key)) < 17 and not re.search(r"\{\w+:", key)]
    assert loose == [], "such templates fit texts of others"


def test_texts_of_others_stay_as_they_are() -> None:
    """The lines of the documentation are none of doctor's texts, and have like words. Rows and errors are left out."""
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "musa_build" / "explain" / "topics").rglob("*[0-9a-z].md")]
    lines = {line.strip("-#| ") for path in pages for line in path.read_text(encoding="utf-8").splitlines()}
    lines -= {*TABLE, *(line for line in lines if re.search("; (?:found|wanted|hint|see): ", line))}
    lines |= {
        "torch_musa was compiled for musa-build 1.0.0rc1",
        "a text for C++",
        "libfoo.so: cannot open (from PATH)",
        "no library",
        "no module named x",
        "this library, version 3 of it",
        "the program does not run",
        "a release of 2.13 or newer",
        "work: a lot",
        "two boats, not used",
    }
    assert len(lines) > 5000
    assert {line: said for line in lines if (said := translated(line, "zh")) != line} == {}


def test_translating_a_text_and_its_parts() -> None:
    speak = translator("zh")
    from_default = TABLE["{value:archs} (from {origin:name})"].format(value="mp_22", origin=TABLE["the default"])
    assert speak("mp_22 (from the default)") == from_default
    assert speak("ccache for C++ and MUSA") == TABLE["{command} for C++ and MUSA"].format(command="ccache")
    assert speak("mp_22 (from TORCH_MUSA_ARCH_LIST)").startswith("mp_22\uff08")
    error = (
        "there is no MUSA SDK here; wanted: a directory with bin/mcc; "
        "hint: pip install x; see: musa-build explain MB101"
    )
    found = speak(error)
    assert TABLE["there is no MUSA SDK here"] in found and TABLE["a directory with bin/mcc"] in found
    assert found.endswith("musa-build explain MB101") and "pip install x" in found and "wanted" not in found
    assert speak("a text without a row") == "a text without a row" == translated("a text without a row", "fr")
    assert translator("en")(error) == error


def test_doctor_and_explain_speak_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSA_BUILD_LANG", "zh")
    done = CliRunner().invoke(main, ["explain", "race", "warp-width"])
    assert f"\n{explain.HEADINGS['zh'][0]}\n" in done.output and "\nCause\n" not in done.output
    assert translator("zh")("work: medium") in done.output
    assert translator("zh")("Errors") in CliRunner().invoke(main, ["explain"]).output
    finding = doctor.Finding("jobs", True, "2 at once (2 cores, 12 GiB of free memory)")
    assert "at once" not in finding.line(translator("zh")) and str(finding).startswith("ok      jobs: 2 at once")


def test_an_error_is_explained_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSA_HOME", "/nowhere")
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", "0")
    monkeypatch.setenv("MUSA_BUILD_LANG", "zh")
    output = CliRunner().invoke(main, ["env"]).output
    assert "error: MUSA_HOME does not point to a MUSA SDK" in output
    assert f"\nMB101: {topics('zh')['MB101'].title}\n" in output


@pytest.mark.parametrize("width", [40, 72])
def test_lines_of_chinese_fit_a_terminal(width: int) -> None:
    for topic in topics("zh").values():
        prose = as_text(topic, width=width).partition(f"\n{explain.HEADINGS[topic.language][2]}\n")[0].splitlines()[1:]
        for line in prose:
            assert columns(line) <= width + 2 or len(line.split()) == 1 or columns(max(line.split(), key=len)) > 20, (
                line
            )
            assert not re.match("[\uff0c\u3002\uff1b\uff1a\u3001\uff09\u201d]", line), line
