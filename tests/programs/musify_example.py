"""tutorial_on_musa's example of musify, unmodified: ported by the SDK's musify-text, built by its CMakeLists.txt, run.

    TUTORIAL_ON_MUSA=CHECKOUT python -m tests.programs.musify_example run
    TUTORIAL_ON_MUSA=CHECKOUT python -m tests.programs.musify_example record   # docs/moore-threads-programs.md

Its page calls musify-text on what `rg --files` finds in src/, and cmake, make and ./transpose 10 after it. Its
CMakeLists.txt looks for CUDA first, and for FindMUSA in /usr/local/musa: both are set on cmake's command line.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import kernels, maskrcnn
from .record import Tests
from .sdk import simulated_sdk

NAME, VARIABLE = "tutorial_on_musa", "TUTORIAL_ON_MUSA"
EXAMPLE = Path("musify", "example", "musify_matrix_transpose")
SIZE = 10


def folder() -> Path:
    """Return the folder of the copy that is ported and built."""
    return kernels.kept_folder() / "musify_example"


def is_transposed(printed: str) -> bool:
    """Tell whether the program printed a matrix and then its transpose, each by lines under its name."""
    matrices: dict[str, list[list[int]]] = {}
    name = ""
    for line in printed.splitlines():
        words = line.split()
        if words[1:] == ["="]:
            name = words[0]
        elif name and len(words) == SIZE:
            matrices.setdefault(name, []).append([int(word) for word in words])
    a, b = matrices.get("A", []), matrices.get("B", [])
    return a == [[SIZE * row + column for column in range(SIZE)] for row in range(SIZE)] and b == [
        list(column) for column in zip(*a)
    ]


def build() -> Path:
    """Port a copy of the example, build it, and return the program."""
    checkout, root = os.environ.get(VARIABLE, ""), simulated_sdk()
    if not checkout:
        raise SystemExit(f"error: the variable {VARIABLE} must name a checkout")
    shutil.rmtree(folder(), ignore_errors=True)
    shutil.copytree(Path(checkout, EXAMPLE), folder())
    environment = {**os.environ, "MUSA_HOME": str(root), "PATH": f"{root}/bin{os.pathsep}{os.environ['PATH']}"}
    sources = [str(path) for path in sorted((folder() / "src").iterdir())]
    cmake = ["cmake", "-S", ".", "-B", "build", f"-DCMAKE_MODULE_PATH={root}/cmake"]
    for command in (
        ["musify-text", "--inplace", *sources],
        [*cmake, "-DCMAKE_DISABLE_FIND_PACKAGE_CUDA=ON"],
        ["cmake", "--build", "build"],
    ):
        subprocess.run(command, cwd=folder(), env=environment, check=True)
    return folder() / "build" / "transpose"


def run() -> None:
    """Build the example, run it, and keep what it printed."""
    done = subprocess.run([build(), str(SIZE)], capture_output=True, text=True, check=False)
    right = done.returncode == 0 and is_transposed(done.stdout)
    kernels.write_kept("musify_example", {"transposed": right})
    if right:
        print("transposed")
    else:
        print(f"wrong, status {done.returncode}:\n{done.stdout}{done.stderr}")


def record() -> None:
    """Write the page, with maskrcnn's results."""
    right = kernels.read_kept("musify_example")["transposed"]
    tests, left = maskrcnn.results()
    kernels.record(NAME, (Tests("its example of musify: ported, built, run", int(right), int(not right)), *tests), left)


def main() -> int:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("run", "record"))
    {"run": run, "record": record}[parser.parse_args().step]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
