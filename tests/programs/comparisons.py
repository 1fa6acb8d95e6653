"""Comparisons of a program's operators with PyTorch: run in their own process, kept as JSON, counted for the page."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import torch

from .record import Tests

#: A comparison's name, whose first word is the operator's, and the function that raises where something differs.
Case = tuple[str, Callable[[], None]]


def print_differences(cases: Iterable[Case]) -> None:
    """Run each comparison, and print what differed ("" if nothing did) by the comparisons' names, as JSON."""
    torch.manual_seed(2026)
    found = {}
    for name, compare in cases:
        try:
            compare()
            found[name] = ""
        except Exception as error:
            found[name] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    print(json.dumps(found))


def keep_differences(module: str, file: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
    """Run a module that prints its differences, keep them in a file, and print them in words."""
    command = [sys.executable, "-m", module, *arguments]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    file.write_text(done.stdout)
    found = json.loads(done.stdout)
    print("\n".join(f"{name}: {wrong}" for name, wrong in found.items() if wrong) or f"{len(found)} agree")


def counted(file: Path) -> tuple[tuple[Tests, ...], tuple[str, ...]]:
    """Count the kept comparisons by operator; return the counts, and a line for each that differed."""
    found: dict[str, str] = json.loads(file.read_text())
    good, every = Counter[str](), Counter[str]()
    for case, wrong in found.items():
        operator = case.split()[0]
        every[operator] += 1
        good[operator] += not wrong
    tests = (Tests(f"against PyTorch: {name}", good[name], count - good[name]) for name, count in every.items())
    return tuple(tests), tuple(f"{case}: {wrong}" for case, wrong in found.items() if wrong)
