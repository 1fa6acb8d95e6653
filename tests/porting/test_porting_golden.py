"""Ported whole files: pairs in golden/ (x.cu, x.mu); files in unchanged/ must stay as they are."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from musa_build.porting import SimplePorting
from musa_build.porting.engine.finding_codes import KINDS
from musa_build.porting.engine.findings import findings_of
from musa_build.porting.engine.hazards import TARGETS
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.scanner import scan
from musa_build.porting.engine.translate import Translator, apply_edits, translate

HERE = Path(__file__).parent
GOLDEN = sorted(path for path in (HERE / "golden").iterdir() if path.suffix in (".cu", ".cuh"))
UNCHANGED = sorted((HERE / "unchanged").iterdir())
MUSA_SUFFIX = {".cu": ".mu", ".cuh": ".muh"}


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


@pytest.mark.parametrize("source", GOLDEN, ids=names(GOLDEN))
def test_golden_pair(source: Path, tmp_path: Path) -> None:
    tree = tmp_path / "src"
    tree.mkdir()
    for path in GOLDEN:  # all of them: includes are resolved in the tree
        shutil.copy(path, tree)
    SimplePorting(tree).run()
    wanted = source.with_suffix(MUSA_SUFFIX[source.suffix])
    assert (tmp_path / "src_musa" / wanted.name).read_bytes() == wanted.read_bytes()


@pytest.mark.parametrize("source", UNCHANGED, ids=names(UNCHANGED))
def test_unchanged_file(source: Path, tmp_path: Path) -> None:
    tree = tmp_path / "src"
    tree.mkdir()
    shutil.copy(source, tree)
    report = SimplePorting(tree).run()
    (made,) = (path for path in report.output.iterdir() if not path.name.startswith("."))
    assert made.name == source.name.replace(".cu", ".mu")
    assert made.read_bytes() == source.read_bytes()
    assert report.edits == 0


@pytest.mark.parametrize("source", GOLDEN, ids=names(GOLDEN))
def test_porting_the_output_changes_nothing(source: Path) -> None:
    translator = Translator(rule_set())
    once = translate(source.read_bytes(), translator, lambda include: None).text
    assert translate(once.encode("latin-1"), translator, lambda include: None).text == once


def test_mangled_text_never_raises_and_keeps_every_byte_outside_the_edits() -> None:
    """Every text, however broken, is ported and judged without an error, and only edits change it."""
    translator = Translator(rule_set({"cudaMalloc": "myMalloc", ", CUDA,": ", MUSA,", "<<<": "<<<"}))
    chance = random.Random(2)
    text = "".join(path.read_text() for path in GOLDEN)
    splinters = ['"', "'", "/*", "*/", "//", "\\", "\n", 'R"(', ")", "#include <", "\xff", "\0", "__CUDA_ARCH__ >"]
    for _ in range(1000):
        start = chance.randrange(len(text))
        piece = list(text[start : start + chance.randrange(400)])
        for _ in range(chance.randrange(6)):
            piece.insert(chance.randrange(len(piece) + 1), chance.choice(splinters))
        mangled = "".join(piece)
        result = translate(mangled.encode("latin-1"), translator, lambda include: None)
        for finding in findings_of(result, "k.cu", translator, lambda include: None, TARGETS["mp_21"]):
            assert 1 <= finding.line <= mangled.count("\n") + 1 and finding.code in KINDS
        position = 0
        for edit in result.edits:
            assert position <= edit.start <= edit.end <= len(mangled)
            position = edit.end
        # Undoing the edits gives the text back: nothing else was touched.
        shift, undo = 0, []
        for edit in result.edits:
            begin = edit.start + shift
            end = begin + len(edit.replacement)
            undo.append(type(edit)(begin, end, mangled[edit.start : edit.end], "undo"))
            shift += len(edit.replacement) - (edit.end - edit.start)
        assert apply_edits(result.text, undo) == mangled


def test_mangled_text_is_ported_once_for_all() -> None:
    """Porting the result changes nothing, also where the text makes no sense."""
    translator = Translator(rule_set())
    chance = random.Random(3)
    words = re.findall(r"\w+|\s+|\W", "".join(path.read_text() for path in GOLDEN))
    for _ in range(500):
        text = "".join(chance.choice(words) for _ in range(60))
        once = translate(text.encode("latin-1"), translator, lambda include: None).text
        again = translate(once.encode("latin-1"), translator, lambda include: None)
        assert again.text == once, (text, again.edits)


def test_scanner_spans_are_in_order_and_do_not_overlap() -> None:
    for path in GOLDEN:
        text = path.read_text()
        position = 0
        for span in scan(text).spans:
            assert position <= span.start < span.end <= len(text)
            position = span.end
