"""How many operators have a kernel, and the list of those that have none: `python -m tests.kernels.coverage`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import torch
import yaml

HERE = Path(__file__).parent
#: The operators without a kernel of the device, where the kernel library is installed.
LIST = HERE / "fallbacks.txt"
WITHOUT_LIBRARY = HERE.parent / "backend" / "fallbacks.txt"
FUNCTIONS = HERE.parents[1] / "backend" / "torch_musa" / "csrc" / "aten" / "ops" / "musa_functions.yaml"
MAIN_KEY = "PrivateUse1"
EXAMPLES = """
examples:
  python -m tests.kernels.coverage musa_functions.yaml    # of the functions in that file, as torch_musa's own
  python -m tests.kernels.coverage --write                # write fallbacks.txt after a change of the library's own file
"""


def functions(file: Path) -> list[str]:
    """Return the operators of a file of functions that concern the device's main key."""
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    return [
        f"aten::{entry['func'].split('(')[0].strip()}"
        for entry in entries
        if MAIN_KEY in ",".join(entry.get("dispatch", {MAIN_KEY: ""})).replace(" ", "").split(",")
    ]


def remaining() -> list[str]:
    """Return the operators that are fallbacks without the kernel library, and have no entry in its file."""
    return sorted(set(WITHOUT_LIBRARY.read_text(encoding="utf-8").split()) - set(functions(FUNCTIONS)))


def figures(names: Iterable[str]) -> dict[str, int]:
    """Return how many of some operators are of each kind, in the backend that is installed."""
    kinds = torch.musa.operator_kinds()
    return dict(Counter(str(kinds.get(name, "unknown to this PyTorch")) for name in names).most_common())


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.kernels.coverage",
        description="Count the operators that have a kernel in the installed backend.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, nargs="?", help="count the functions of this file only")
    parser.add_argument("--write", action="store_true", help=f"write {LIST.name}, count nothing")
    choice = parser.parse_args()
    if choice.write:
        LIST.write_text("".join(f"{name}\n" for name in remaining()), encoding="utf-8")
        return 0
    found = figures(functions(choice.file) if choice.file else torch.musa.operator_kinds())
    known = sum(count for kind, count in found.items() if not kind.startswith("unknown"))
    for kind, count in found.items():
        share = "" if kind.startswith("unknown") else f"{100 * count / known:6.1f} %"
        print(f"{count:6} {share:8} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
