"""How many files a command enters: ceilings, so that a command does not come to read more of them by accident."""

from __future__ import annotations

from pathlib import Path

import pytest
from script_modules import module_of

SCRIPT = module_of(Path(__file__).parents[1] / "benchmarks" / "files_entered.py", "files_entered")

#: The figures that are reached. What few inputs ask for need not be loaded for the others.
MOST = [
    ("port", 16),
    pytest.param("mcc", 45, marks=pytest.mark.compiles),
    pytest.param("nothing-to-do", 10, marks=(pytest.mark.compiles, pytest.mark.slow)),
    pytest.param("cold-build", 25, marks=(pytest.mark.compiles, pytest.mark.slow)),
    pytest.param("dump", 20, marks=pytest.mark.slow),
    pytest.param("compare", 20, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "most"), MOST)
def test_a_command_enters_few_files(name: str, most: int) -> None:
    files = SCRIPT.entered(SCRIPT.TRIPS[name])
    assert len(files) <= most, files


def test_what_counts_as_entered(tmp_path: Path) -> None:
    """A function, a lambda or a class body, in any thread; neither the body of a module nor a comprehension of it."""
    package = tmp_path / "musa_build"
    package.mkdir()
    texts = {
        "__init__": "",
        "imported": "NUMBERS = [number for number in range(2)]\nNAMES = frozenset(str(each) for each in NUMBERS)\n",
        "kinds": "class Kind:\n    pass\n",
        "calls": "def call():\n    return None\n",
        "later": "run = lambda: None\n",
    }
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    (tmp_path / "program.py").write_text(
        "import os, threading\n"
        "from musa_build import calls, imported, kinds, later\n"
        "calls.call()\n"
        "thread = threading.Thread(target=later.run)\n"
        "thread.start(), thread.join()\n"
        "os._exit(0)\n"
    )
    trace = tmp_path / "trace"
    SCRIPT._run([SCRIPT.__file__, "--trace", str(trace), str(tmp_path / "program.py")], str(tmp_path))
    assert trace.read_text().split() == ["musa_build/kinds.py", "musa_build/calls.py", "musa_build/later.py"]
