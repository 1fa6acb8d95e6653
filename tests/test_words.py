"""Retired words stay out of the clean folders: out of identifiers, file names, docstrings and comments.

docs/glossary.md has the words to use. Texts for users are not checked here: they change with the documentation.
"""

from __future__ import annotations

import ast
import functools
import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    *("musa_build", "simulator/musa_sim", "tools/musa_tools", "backend/codegen", "backend/torch_musa"),
    *("benchmarks", "docs", "examples", "release", "simulator/tests", "tools/tests", "tests"),
)
#: This file plants retired words.
OWN = Path(__file__).relative_to(ROOT).as_posix()
#: Retired word or phrase -> the word to use. "cut blocks" is `cut_blocks` and `CutBlocks` too.
RETIRED = {
    "lab": "probe context",
    "kin": "functions of the same family: name them",
    "nobody": "the noun: no caller, no process, no person",
    "told": "given, passed, reported",
    "stands": "is, appears",
    "stands for": "means, covers",
    "place": "position, location, folder, suspend point: say which (in place and units in the last place are fine)",
    "places": "positions, locations, folders, suspend points: say which",
    "those of which": "a main clause: skip the parameters without a slot",
    "who asks": "the caller",
    "whoever": "the noun: the caller, any process",
    "whichever": "any, in any order",
    "was asked for": "requested",
    "is asked for": "requested, at its first use",
    "were asked for": "requested",
    "whom": "the noun",
    "what becomes of": "the outcome",
    "became of": "the outcome",
    "goes on": "continues",
    "cut blocks": "split kernel, SplitBlockRunner",
    "kept values": "spill slots",
    "misfortunes": "failures",
    "made once": "build once",
    "kept folders": "content cache",
}
#: Docstrings and comments do not begin with a free relative clause: name the object.
BEGINNING = re.compile(r"(?:return |yield |say |map )?(?:what|whatever|those|who)\b(?! is\b.*\?)", re.IGNORECASE)
#: (file, identifier): keys of formats that programs read.
EXCEPTIONS = {
    ("musa_build/sim_report/log.py", "places"),
    ("musa_build/sim_report/report.py", "places"),
    ("tests/sim/checks/test_findings_report.py", "places"),
}
C_LIKE = {".c", ".cpp", ".h", ".muh", ".mu", ".inl"}
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>R"(\w*)\(.*?\)\3"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_]\w*)""",
    re.DOTALL,
)


class Text(NamedTuple):
    """A piece of a file: an identifier, or prose (a docstring, a comment, a file name)."""

    line: int
    text: str
    is_prose: bool


def python_texts(source: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring is not None:
                yield Text(node.body[0].lineno, docstring, True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(token.start[0], token.string.lstrip("#: "), True)
        elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            yield Text(token.start[0], token.string, False)


def c_texts(source: str) -> Iterator[Text]:
    line, counted = 1, 0
    for match in _TOKEN.finditer(source):
        line += source.count("\n", counted, match.start())
        counted = match.start()
        if match["comment"]:
            yield Text(line, match["comment"].strip("/* \n"), True)
        elif match["name"]:
            yield Text(line, match["name"], False)


def texts(path: Path, source: str) -> Iterator[Text]:
    yield Text(0, path.stem, False)
    yield from python_texts(source) if path.suffix == ".py" else c_texts(source)


def words_of(identifier: str) -> str:
    """Return an identifier as words: `cut_blocks` and `CutBlocks` are "cut blocks"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", identifier).strip().lower()


_WORDS = {word: re.compile(rf"(?<!\w)(?<!in )(?<!in-)(?<!the last ){word}(?!\w)") for word in RETIRED}


@functools.cache
def _problems(text: str, is_prose: bool) -> tuple[str, ...]:
    """Return the end of a line for each retired word. Most identifiers are in many places: each is looked at once."""
    plain = " ".join(text.lower().split()) if is_prose else words_of(text)
    found = [
        f"{word!r} in {text[:70]!r}; use: {RETIRED[word]}"
        for word, pattern in _WORDS.items()
        if word in plain and pattern.search(plain)
    ]
    if is_prose and BEGINNING.match(plain):
        found.append(f"begins with a relative clause: {text[:70]!r}; name the object")
    return tuple(found)


def retired(name: str, source: str) -> list[str]:
    """Return a line for each retired word in a file."""
    return [
        f"{name}:{text.line}: {problem}"
        for text in texts(Path(name), source)
        if (name, text.text) not in EXCEPTIONS
        for problem in _problems(text.text, text.is_prose)
    ]


def files(folder: str) -> list[str]:
    found = (path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", *C_LIKE})
    return sorted({path.relative_to(ROOT).as_posix() for path in found} - {OWN})


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_retired_words(folder: str) -> None:
    found = [line for name in files(folder) for line in retired(name, (ROOT / name).read_text(encoding="utf-8"))]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("word", RETIRED)
def test_a_planted_word_is_found(word: str) -> None:
    identifier = "_".join(word.split())
    camel = "".join(part.capitalize() for part in word.split())
    planted = {
        "a.py": [f"def f_{identifier}():\n    pass\n", f"class {camel}Thing:\n    pass\n"],
        "b.py": [f'def f():\n    """Return a value, {word} it is."""\n', f"x = 1  # here {word} it is\n"],
        "c.mu": [f"int {identifier}_1;\n", f"class {camel}Thing {{}};\n", f"// here {word} it is\n", f"/* {word} */\n"],
        f"{identifier}.py": ["x = 1\n"],
    }
    for name, sources in planted.items():
        for source in sources:
            assert any(repr(word) in line for line in retired(name, source)), (name, source)


def test_other_words_and_texts_are_left() -> None:
    python = [
        '"""Port in place, to 2 units in the last place."""',
        "def in_place(label, skin):",
        '    return "nobody told"',
    ]
    assert retired("replace.py", "\n".join(python)) == []
    assert retired("a.mu", 'const char* in_place = "nobody told"; // a placeholder, in-place\n') == []


@pytest.mark.parametrize(
    "beginning", ["What a row is.", "Return what is read.", "Those that are read.", "Yield what is"]
)
def test_a_relative_clause_at_the_beginning_is_found(beginning: str) -> None:
    assert retired("a.py", f'"""{beginning}"""\n') and retired("a.py", f"x = 1  # {beginning}\n")


def test_the_glossary_gives_each_word_one_meaning() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", (ROOT / "docs/glossary.md").read_text(encoding="utf-8"), re.M)
    terms = [term for term, _ in rows]
    assert len(terms) > 50 and len(terms) == len({term.lower() for term in terms})
    assert [term for term in terms if any(pattern.search(term.lower()) for pattern in _WORDS.values())] == []
