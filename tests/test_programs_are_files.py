"""Programs of tests are files, which ruff and `-Wall` read; no string holds a C++ program or Python with assertions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests", "simulator/tests", "tools/tests", "backend/tests")
#: Shorter strings are easier to read where they are used.
FEWEST_LINES = 5
MAIN = re.compile(r"\bmain\s*\([^)]*\)\s*\{")
ASSERTION = re.compile(r"^ *assert ", re.MULTILINE)
#: Texts that a test generates, or that are data
LEFT_OUT = {
    "tests/force/test_force_pure.py": "Python to translate, not to run",
    "tests/sim/checks/async_copies.py": "a program of generated kernels",
    "tests/sim/stdlib/stdlib_features.py": "a program of generated functions",
    "tests/test_programs_are_files.py": "plants two",
}


def strings(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each string of a module with its line; of an f-string its constant parts. Docstrings are left out."""
    seen = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            seen.update(map(id, node.values))
            yield node.lineno, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in seen:
            yield node.lineno, node.value


def programs_in(text: str) -> list[int]:
    """Return the lines of a module with strings that are programs."""
    return [
        line
        for line, string in strings(ast.parse(text))
        if len(string.strip().splitlines()) >= FEWEST_LINES and (MAIN.search(string) or ASSERTION.search(string))
    ]


def test_programs_are_files() -> None:
    found = {
        name: lines
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (name := path.relative_to(ROOT).as_posix()) not in LEFT_OUT
        and (lines := programs_in(path.read_text(encoding="utf-8")))
    }
    assert found == {}, "write each to a file of programs/ beside the test"


def test_what_is_a_program() -> None:
    assertion = "import numpy\nx = numpy.ones(3)\ny = x + 1\nz = y.sum()\nassert z == 6\n"
    main = "#include <cstdio>\nint five() {\n    return 5;\n}\nint main() { return five(); }\n"
    assert programs_in(f"A = {assertion!r}\nB = {main!r}\nC = f{main.replace('{', '{{').replace('}', '}}')!r}\n") == [
        1,
        2,
        3,
    ]
    assert programs_in(f"def f():\n    {assertion!r}\n") == [], "a docstring"
    assert programs_in(f"A = {assertion.partition('y')[2]!r}\n") == [], "short"
