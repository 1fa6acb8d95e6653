"""`musa-build explain`: a page for every code, and no page for none; the documentation lists them."""

from __future__ import annotations

import email.message
import importlib.metadata
import re
from pathlib import Path

import pytest
from checkout_names import of_a_checkout
from click.testing import CliRunner
from script_modules import module_of

from musa_build import errors
from musa_build.cli import main
from musa_build.cli.sim import CHECKS
from musa_build.errors import MusaBuildError
from musa_build.explain import HEADINGS, TOPICS, as_text, documentation, find, of_message, paragraphs, topics
from musa_build.porting.engine.finding_codes import KINDS
from musa_build.system import process

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"errors": "errors.md", "porting": "porting-findings.md", "checks": "simulator-checks.md"}
CHECKED = [topic.code for topic in topics().values() if topic.family == "checks"]


def codes(family: str) -> set[str]:
    return {topic.code for topic in topics().values() if topic.family == family}


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, MusaBuildError)]
    assert codes("errors") == {kind.code for kind in kinds} - {MusaBuildError.code}
    assert codes("porting") == set(KINDS)
    assert codes("checks") == set(CHECKS)
    assert all(topics()[code].title == kind.title for code, kind in KINDS.items())


@pytest.mark.parametrize("family", PAGES)
def test_the_documentation_lists_the_pages_with_their_titles(family: str) -> None:
    text = (ROOT / "docs" / PAGES[family]).read_text(encoding="utf-8")
    link = re.compile(rf"\| \[`?([\w-]+)`?\]\(\.\./musa_build/explain/topics/{family}/([\w-]+)\.md\) \| ([^|]+) \|(.*)")
    rows = {match[1]: match for match in link.finditer(text)}
    assert rows.keys() == codes(family)
    for code, row in rows.items():
        assert row[2] == code
        if family != "checks":
            assert row[3] == topics()[code].title
        if family == "porting":
            assert row[4] == f" {KINDS[code].effort.value} |"


def test_links_of_pages_lead_somewhere() -> None:
    for path in TOPICS.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).is_file(), f"{path} links to {target}"


def test_the_command_prints_pages() -> None:
    done = CliRunner().invoke(main, ["explain", "mb202", "leak", "arch-guard"])
    assert done.exit_code == 0
    assert done.output.startswith("MB202: a name is not a MUSA architecture") and "\nleaks: " in done.output
    assert "arch-guard: " in done.output and "\nwork: low\n" in done.output
    assert "](" not in done.output and max(map(len, done.output.splitlines())) <= 110


def test_the_command_lists_all_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(main, ["explain"])
    listed = [line for line in done.output.splitlines() if line.startswith("  ") and line[2] != " "]
    assert [line.split()[0] for line in listed] == [*topics()]
    assert " ".join(done.output.split()).count(topics()["MB501"].title) == 1
    assert max(map(len, done.output.splitlines())) <= 80


def test_a_code_that_is_none_names_the_nearest() -> None:
    done = CliRunner().invoke(main, ["explain", "MB209"])
    assert done.exit_code == 2 and "'MB209' is not a code; did you mean MB20" in done.output
    assert find("MB000") is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["ImportError: libmusa_python.so: cannot open shared object file: No such file or directory"], "MB103"),
        (["libtorch_musa.so:", "cannot", "open", "shared", "object", "file"], "MB103"),
        (["ModuleNotFoundError: No module named 'torch_musa'"], "MB103"),
        ([f"error: {errors.ArchError('wrong', found='mp_99').block}"], "MB202"),
        (["  see:    musa-build explain MB101"], "MB101"),
    ],
)
def test_a_message_leads_to_its_page(words: list[str], code: str) -> None:
    done = CliRunner().invoke(main, ["explain", *words])
    assert done.exit_code == 0 and done.output.startswith(f"{code}: ")


@pytest.mark.parametrize("text", ["ImportError: libz.so: cannot open shared object file", "No module named 'torch'"])
def test_a_message_of_others_has_no_page(text: str) -> None:
    assert of_message(text) is None
    assert CliRunner().invoke(main, ["explain", text]).exit_code == 2


def test_an_error_names_its_page() -> None:
    assert str(errors.ArchError("wrong", found="mp_99")).endswith("; see: musa-build explain MB202 [MB202]")


def test_paragraphs_of_lists_and_links() -> None:
    text = "One [page](../other.md)\nand `more`.\n\n- a\n  b\n- [c](https://example.org/c)"
    assert paragraphs(text) == ["One page and `more`.", "- a b", "- c (https://example.org/c)"]


def test_a_page_of_the_documentation_is_named_for_people_without_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "See [building.md](../../../../docs/building.md#settings)."
    monkeypatch.setattr(documentation, "_base", str)
    assert paragraphs(text) == ["See building.md (in musa_build's documentation)."]
    assert paragraphs(text, "zh") == ["See building.md（musa_build 文档）."]
    links = "The [toolkit](../docs/cuda-toolkit.md) of musa_build, [a.md](../docs/a.md), [b](../docs/b.md#c)."
    assert paragraphs(links) == [
        "The toolkit (cuda-toolkit.md in musa_build's documentation) of musa_build, a.md, b (b.md)."
    ]
    monkeypatch.setattr(documentation, "_base", lambda: "https://example.org/musa_build/blob/main/")
    assert paragraphs(text) == ["See building.md (https://example.org/musa_build/blob/main/docs/building.md#settings)."]


#: Words (or four characters of Chinese and more) that come twice in a row, or a word in between; brackets in brackets
DOUBLED = re.compile(
    r"\b([\w'-]+(?: [\w'-]+)+),? (?:of |the |and |for )?\1\b|([\u4e00-\u9fff]{4,})的?\2|musa_build (?:的|of) musa_build"
)
NESTED = re.compile(r"[(\uff08][^)\uff09]*[(\uff08]")
DOCUMENTATION = re.compile("musa_build's documentation|musa_build 文档")


@pytest.mark.parametrize("address", ["", "https://example.org/"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_link_makes_nonsense_of_its_sentence(language: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A remark in brackets after the text of a link names the page, and once in a text the documentation."""
    monkeypatch.setattr(documentation, "_base", lambda: address)
    links = 0
    for topic in topics(language).values():
        for text in (topic.cause, topic.cure):
            shown = " ".join(paragraphs(text, topic.language))
            prose = re.sub("`[^`]*`", "x", shown)
            found = DOUBLED.search(prose) or NESTED.search(prose)
            assert found is None, f"{topic.code}: {found and found[0]}"
            assert len(DOCUMENTATION.findall(shown)) <= 1, shown
            for link in re.findall(r"\[([^]]+)\]\([./]*docs/", text):
                links += 1
                assert re.search(re.escape(link) + r"(?: \(|\uff08|[\s,.\u3002\uff0c]|$)", shown), f"{link} in {shown}"
    assert links > 10


@pytest.mark.parametrize(
    "text",
    [
        "Python for CUDA is for musa-converter of musa_build's documentation of musa_build's documentation",
        "build with the CUDA toolkit of musa_build's documentation, musa_build's documentation",
        "或者用 musa_build 的 musa_build 文档的 CUDA 工具包构建",
    ],
)
def test_a_doubled_phrase_is_found(text: str) -> None:
    assert DOUBLED.search(text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_explanation_names_a_file_of_a_checkout(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "_base", str)
    texts = {code: as_text(topic).partition(HEADINGS[topic.language][2])[0] for code, topic in topics(language).items()}
    assert {code: of_a_checkout(text) for code, text in texts.items() if of_a_checkout(text)} == {}


def test_the_address_of_the_documentation_is_that_of_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    urls = email.message.Message()
    urls["Project-URL"] = "Homepage, https://example.org/musa_build"
    urls["Project-URL"] = "Documentation, https://example.org/musa_build/blob/main/docs/README.md"
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: urls)
    assert documentation._base.__wrapped__() == "https://example.org/musa_build/blob/main/"
    release = module_of(ROOT / "release" / "release.py", "release_script")
    assert release.URLS["Documentation"].endswith(f"/{documentation._HOME}")
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: email.message.Message())
    assert documentation._base.__wrapped__() == ""


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("check", CHECKED)
def test_the_example_of_a_check_is_found_by_it(check: str, tmp_path: Path, sim_sdk_root: Path) -> None:
    source, program = tmp_path / "example.mu", tmp_path / "example"
    source.write_text(topics()[check].code_of_example + "\n", encoding="utf-8")
    mcc = [str(sim_sdk_root / "bin" / "mcc"), f"--sim-check={check}", "--offload-arch=mp_22", str(source)]
    library = f"-L{sim_sdk_root / 'lib'}", "-lmusart", f"-Wl,-rpath,{sim_sdk_root / 'lib'}"
    compiled = process.run([*mcc, "-o", str(program), *library])
    assert compiled.returncode == 0, compiled.stderr
    done = process.run([str(program)], extra_environment={"MUSA_SIM_CHECK": check})
    assert done.returncode != 0
    if check != "host":  # which ends the program by a signal, as on a card
        assert f"see: musa-build explain {'leak' if check == 'leaks' else check}\n" in done.stderr
