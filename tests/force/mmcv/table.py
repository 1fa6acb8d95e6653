"""Every operator of an installed mmcv that has a CUDA kernel, on `musa`, against something independent: a table.

    python tests/force/mmcv/table.py [--only nms,roi_align] [--markdown FILE]

Each operator runs forward, and backward where it has a gradient, in each element type that it supports, with warps of
32 and of 128 lanes (MUSA_SIM_WARP; each in a process of its own). Exits with 1 when one of them does not agree.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
WARPS = ("32", "128")
MODULES = ("manual", "twins", "formulas", "neighbourhoods", "polygons", "pooling_and_points", "sparse")  # rows, in turn


@dataclass(frozen=True)
class Operator:
    """`check` is called with the name of an element type and raises where the two sides differ. `against` says what
    the other side is, `known` why the two are known to differ."""

    name: str
    against: str
    dtypes: tuple[str, ...]
    check: Callable[[str], None]
    known: str = ""


class Operators:
    """The operators that the modules of this folder know."""

    def __init__(self) -> None:
        self.all: dict[str, Operator] = {}

    def __call__(
        self, name: str, against: str, dtypes: str = "float32", known: str = ""
    ) -> Callable[[Callable[[str], None]], Callable[[str], None]]:
        """A decorator for the check of one operator; `dtypes` are separated by blanks."""

        def add(check: Callable[[str], None]) -> Callable[[str], None]:
            self.all[name] = Operator(name, against, tuple(dtypes.split()), check, known)
            return check

        return add


OPERATORS = Operators()


def run(names: list[str]) -> None:
    """Prints a line of JSON for each operator: its name and, by element type, "agrees" or what is wrong.

    Ends after an error of the device, after which nothing else runs in a process.
    """
    import torch

    for name in names:
        operator, results = OPERATORS.all[name], {}
        for dtype in operator.dtypes:
            torch.manual_seed(2026)
            try:
                operator.check(dtype)
                results[dtype] = "agrees"
            except Exception as error:  # the table shows all errors
                results[dtype] = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            print(f"{name} {dtype}: {results[dtype]}", file=sys.stderr, flush=True)
            if "MUSA error" in results[dtype]:
                break
        print(json.dumps([name, results]), flush=True)
        if any("MUSA error" in said for said in results.values()):
            break


def run_all(names: list[str], warp: str) -> dict[str, dict[str, str]]:
    """The results of all `names`, in as many processes as it takes."""
    results: dict[str, dict[str, str]] = {}
    while len(results) < len(names):
        left = [name for name in names if name not in results]
        command = [sys.executable, __file__, "--here", "--only", ",".join(left)]
        done = subprocess.run(
            command, env={**os.environ, "MUSA_SIM_WARP": warp}, stdout=subprocess.PIPE, text=True, check=False
        )
        seen = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
        # An operator that ends the process leaves no line.
        results.update(seen or {left[0]: {"-": f"the process ended with {done.returncode}"}})
    return results


def lines(results: dict[str, dict[str, dict[str, str]]]) -> list[str]:
    """The table in Markdown; `results` are by warp width, which have one column where they say the same everywhere."""
    columns = {f"warps of {warp}": result for warp, result in results.items()}
    first = next(iter(results.values()))
    if all(result == first for result in results.values()):
        columns = {f"warps of {' and of '.join(results)}": first}
    rows = ["| operator | against | " + " | ".join(columns) + " |", "|---" * (2 + len(columns)) + "|"]
    for operator in (operator for operator in OPERATORS.all.values() if operator.name in first):
        cells = [cell(operator, result[operator.name]) for result in columns.values()]
        rows.append(f"| {operator.name} | {operator.against} | " + " | ".join(cells) + " |")
    return rows


def cell(operator: Operator, by_dtype: dict[str, str]) -> str:
    """The element types that agree, and what is wrong with the others."""
    if all(expected(said, operator) for said in by_dtype.values()):
        return f"no: {operator.known}"
    agreeing = [dtype for dtype, said in by_dtype.items() if said == "agrees"]
    others = [f"{dtype}: {said}" for dtype, said in by_dtype.items() if said != "agrees"]
    return "; ".join([*([", ".join(agreeing)] if agreeing else []), *others]).replace("|", "/")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of operators, separated by commas")
    parser.add_argument("--markdown", type=Path, help="write the table there as well")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "corpus")]
    sys.modules["table"] = sys.modules["__main__"]
    for module in MODULES:
        importlib.import_module(module)  # each adds its operators

    names = [name for name in options.only.split(",") if name] or list(OPERATORS.all)
    if unknown := sorted(set(names) - set(OPERATORS.all)):
        parser.error(f"no such operator: {', '.join(unknown)}; there are: {', '.join(OPERATORS.all)}")
    if options.here:
        run(names)
        return 0
    results = {warp: run_all(names, warp) for warp in WARPS}
    text = "\n".join(lines(results)) + "\n"
    print(text)
    if options.markdown:
        options.markdown.parent.mkdir(parents=True, exist_ok=True)
        options.markdown.write_text(text)
    said = [
        (word, OPERATORS.all[name])
        for result in results.values()
        for name, by_dtype in result.items()
        for word in by_dtype.values()
    ]
    print(f"{sum(word == 'agrees' for word, _ in said)} of {len(said)} agree")
    return 0 if all(word == "agrees" or expected(word, operator) for word, operator in said) else 1


def expected(word: str, operator: Operator) -> bool:
    """Whether the two sides are known to differ and did no more than that: a crash is not expected."""
    return bool(operator.known) and word.startswith("AssertionError: Tensor-likes are not close")


if __name__ == "__main__":
    sys.exit(main())
