"""Retired words stay out of the repository: out of identifiers, file names, docstrings and comments.

docs/glossary.md has the words to use. Texts for users are not checked here: they change with the documentation.
"""

from __future__ import annotations

import ast
import functools
import io
import keyword
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: The last one is the root, without its folders.
FOLDERS = ("musa_build", "simulator", "tools", "backend", "benchmarks", "docs", "examples", "release", "tests", ".")
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
    "faces": "other_tools: interfaces under the names of other tools",
    "lend": "register a CPU fallback",
    "lent": "registered as a CPU fallback",
    "trouble": "write failure, error",
    "makers": "origins, producers",
    "blame": "first divergence; report, attribute to",
}
#: Words that are retired as the name of a file or folder alone: in a text they have good uses (torch's `fold`).
RETIRED_NAMES = {"fold": "finalize", "left_alone": "skip_optimised"}
#: Docstrings and comments do not begin with a free relative clause: name the object.
BEGINNING = re.compile(r"(?:return |yield |say |map )?(?:what|whatever|those|who)\b(?! is\b.*\?)", re.IGNORECASE)
#: (file, word): keys of formats that programs read, names that earlier documentation promised, the faces of
#: cube maps.
EXCEPTIONS = {
    ("musa_build/sim_report/log.py", "places"),
    ("musa_build/sim_report/report.py", "places"),
    ("tests/sim/checks/test_findings_report.py", "places"),
    ("simulator/musa_sim/runtime/api/array_api.cpp", "faces"),
    ("tests/sim/runtime/test_textures.py", "faces"),
    ("tools/musa_tools/faces.py", "faces"),
    ("tools/musa_tools/compare_dumps/faces.py", "faces"),
    ("tests/tools/test_former_names.py", "faces"),
    ("musa_build/cuda_toolkit/tables/constants.toml", "place"),  # CUDA's: ..._OUT_OF_PLACE_...
}
C_LIKE = {".c", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inl", ".js", ".mu", ".muh"}
#: Their comments begin with "#".
HASH_LIKE = {".cmake", ".rules", ".sh", ".toml", ".yaml"}
#: Headers without a suffix are in these folders.
HEADERS = re.compile(r"/(?:include|cxx_headers)/")
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>R"(\w*)\(.*?\)\3"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_]\w*)""",
    re.DOTALL,
)
_HASH_TOKEN = re.compile(
    r"""(?P<comment>\#\[(=*)\[.*?\]\2\]|\#[^\n]*)|(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'[^'\n]*')|(?P<name>[A-Za-z_]\w*)""",
    re.DOTALL,
)


class Text(NamedTuple):
    """A piece of a file: an identifier, or prose (a docstring, a comment, a file name)."""

    line: int
    text: str
    is_prose: bool


def python_texts(source: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        # Docstrings, those of attributes included.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield Text(node.lineno, node.value.value, True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(token.start[0], token.string.lstrip("#: "), True)
        elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            yield Text(token.start[0], token.string, False)


def token_texts(token: re.Pattern[str], source: str) -> Iterator[Text]:
    line, counted = 1, 0
    for match in token.finditer(source):
        line += source.count("\n", counted, match.start())
        counted = match.start()
        if match["comment"]:
            yield Text(line, match["comment"].strip("/*#[]= \n"), True)
        elif match["name"]:
            yield Text(line, match["name"], False)


def reader_of(path: Path) -> Callable[[str], Iterator[Text]] | None:
    """Return the function that finds the texts of a file; None if it is no code."""
    if path.suffix == ".py":
        return python_texts
    if path.suffix in C_LIKE or (not path.suffix and HEADERS.search(f"/{path.as_posix()}")):
        return functools.partial(token_texts, _TOKEN)
    if path.suffix in HASH_LIKE or path.name in {"Makefile", "CMakeLists.txt"}:
        return functools.partial(token_texts, _HASH_TOKEN)
    return None


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
    path = Path(name)
    reader = reader_of(path)
    assert reader is not None
    found = [
        f"{name}:{text.line}: {problem}"
        for text in (*(Text(0, part, False) for part in (*path.parent.parts, path.stem)), *reader(source))
        for problem in _problems(text.text, text.is_prose)
        if not any(name == file and problem.startswith(repr(word)) for file, word in EXCEPTIONS)
    ]
    return found + [
        f"{name}:0: {part!r} is the name of a file or folder; use: {RETIRED_NAMES[part]}"
        for part in (*path.parent.parts, path.stem)
        if part in RETIRED_NAMES
    ]


@functools.cache
def _all_files() -> tuple[str, ...]:
    """Return the files of the repository, without those that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    else:  # an unpacked sdist
        listed = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]
    return tuple(sorted(set(listed) - {"", OWN}))


def files(folder: str) -> list[str]:
    inside = (name for name in _all_files() if (folder + "/" if folder != "." else "") == name[: name.find("/") + 1])
    return [name for name in inside if reader_of(Path(name)) and (ROOT / name).is_file()]


def source_of(name: str) -> str:
    """Return the text of a file. Sources of tests are in other encodings than UTF-8 too."""
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_retired_words(folder: str) -> None:
    found = [line for name in files(folder) for line in retired(name, source_of(name))]
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
        f"{identifier}/a.py": ["x = 1\n"],
    }
    for name, sources in planted.items():
        for source in sources:
            assert any(repr(word) in line for line in retired(name, source)), (name, source)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        *((f"a{suffix}", "// a kin\n") for suffix in (".cu", ".cuh", ".hpp", ".js")),
        *((f"a{suffix}", "x = 1  # a kin\n") for suffix in (".cmake", ".toml", ".rules", ".sh", ".yaml")),
        *(("include/cuda/std/tuple", "/* a kin */\n"), ("cxx_headers/nv/target", "int kin;\n")),
        *(("Makefile", "kin:\n"), ("a/CMakeLists.txt", "#[[ a\nkin ]]\n"), ("a.cmake", "set(kin 1)\n")),
        *(("setup.py", "def kin():\n    pass\n"), ("a.py", 'x = 1\n"""A kin."""\n')),
        *(("a.py", 'class A:\n    x: int = 1\n    """A kin."""\n'), ("kin/a.py", "x = 1\n")),
        *((f"{folder}/a.py", "x = 1\n") for folder in RETIRED_NAMES),
        *((f"{stem}.cu", "int x;\n") for stem in RETIRED_NAMES),
    ],
)
def test_each_kind_of_file_is_read(name: str, source: str) -> None:
    assert len(retired(name, source)) == 1


def test_the_kinds_of_files_are_found_in_the_repository() -> None:
    """A kind without a file means that the test looks in the wrong folders."""
    found = {Path(name).suffix or name.rpartition("/")[2] for folder in FOLDERS for name in files(folder)}
    assert {*C_LIKE, *HASH_LIKE, ".py", "Makefile", "tuple", "target"} - {".inl"} <= found
    assert "setup.py" in files(".") and "backend/setup.py" in files("backend")


def test_other_words_and_texts_are_left() -> None:
    python = [
        '"""Port in place, to 2 units in the last place."""',
        "def in_place(label, skin):",
        '    return "nobody told"',
    ]
    assert retired("replace.py", "\n".join(python)) == []
    assert retired("a.toml", "key = 'told'  # a skin\n") == []
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
