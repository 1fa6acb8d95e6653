"""The list of mcc's passes (passes/__init__.py) says who runs each, and in which order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from musa_sim.mcc import passes

MCC = Path(passes.__file__).parent.parent
MODULES = {path.stem for path in (MCC / "passes").glob("*.py")} - {"__init__"}


class Row(NamedTuple):
    """A pass of the list."""

    runner: str  # a file, a folder or another pass
    name: str
    meaning: str


def rows() -> list[Row]:
    found: list[Row] = []
    runners: list[str] = []
    for line in (passes.__doc__ or "").splitlines():
        if starts := re.match(r"(\S+) runs, .*:$", line):
            runners = [starts[1]]
        elif runners and (row := re.match(r"((?:  )*)(\w+): (.*)$", line)):
            depth = len(row[1]) // 2
            runners[depth + 1 :] = [row[2]]
            found.append(Row(runners[depth], row[2], row[3]))
    return found


def imported(file: Path) -> dict[str, str]:
    """Return the pass that each name of a file comes from."""
    own = file.parent.name == "passes"
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            for alias in node.names:
                if own and node.level == 1:
                    found[alias.asname or alias.name] = module[0] or alias.name
                elif module[0] == "passes":
                    found[alias.asname or alias.name] = module[1]
    return {name: module for name, module in found.items() if module in MODULES}


def files_of(runner: str) -> list[Path]:
    if runner in MODULES:
        return [MCC / "passes" / f"{runner}.py"]
    return sorted((MCC / runner).glob("*.py")) if runner.endswith("/") else [MCC / runner]


def test_every_pass_is_in_the_list_with_a_need_and_a_result() -> None:
    assert {row.name for row in rows()} == MODULES
    assert [row for row in rows() if not re.fullmatch(r"needs [^;]+; leaves [^;]+", row.meaning)] == []


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.runner}-{row.name}")
def test_the_runner_of_a_pass_calls_it(row: Row) -> None:
    assert any(row.name in names_called(file) for file in files_of(row.runner)), row


def names_called(file: Path) -> list[str]:
    """Return the passes of which a file uses a function, in the order of the text."""
    origin = imported(file)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in origin]
    return [origin[node.id] for node in sorted(used, key=lambda node: (node.lineno, node.col_offset))]


def test_no_other_file_runs_a_pass() -> None:
    """A file that uses a pass is a runner of the list."""
    runners = {file for row in rows() for file in files_of(row.runner)}
    others = [path for path in sorted(MCC.rglob("*.py")) if path not in runners and path.parent.name != "passes"]
    assert [(path.name, names_called(path)) for path in others if names_called(path)] == []


def calls_in_order(file: Path, function: str) -> Iterator[str]:
    """Yield the passes that a function runs, in the order of its calls, those of its file's helpers included."""
    origin = imported(file)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    # the outermost of a name: a Protocol has methods of the same names
    functions = {node.name: node for node in reversed([*ast.walk(tree)]) if isinstance(node, ast.FunctionDef)}

    entered: set[str] = set()

    def calls(name: str) -> Iterator[str]:
        entered.add(name)
        found = [node for node in ast.walk(functions[name]) if isinstance(node, ast.Call)]
        for call in sorted(found, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0)):
            called = ast.unparse(call.func)
            if called in origin and called.islower():  # no class
                yield origin[called]
            elif (own := called[5:] if called.startswith("self.") else called) in functions.keys() - entered:
                yield from calls(own)

    return calls(function)


@pytest.mark.parametrize(
    ("file", "function"),
    [("device_image.py", "_image"), ("passes/optimise.py", "optimise"), ("passes/prepare.py", "prepared")],
)
def test_the_passes_run_in_the_order_of_the_list(file: str, function: str) -> None:
    runner = Path(file).stem if file.startswith("passes/") else file
    listed = [row.name for row in rows() if row.runner == runner]
    ran = [name for name in calls_in_order(MCC / file, function) if name in listed]
    assert list(dict.fromkeys(ran)) == listed
