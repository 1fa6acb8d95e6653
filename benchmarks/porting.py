"""How fast porting is, against a plain copy, PyTorch's hipify and porting one rule after the other.

    python benchmarks/porting.py TREE [TREE ...] [--runs 5]

Every number is CPU seconds of a whole process (user and system, the interpreter's start included), the smallest of some
runs, each into a new folder: an idle machine and a busy one should say nearly the same. Ratios are printed, nothing is
asserted. Trees that make sense are mmcv's `mmcv/ops/csrc` and the `include` folder of an installed torch.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Optional

HERE = Path(__file__).resolve().parent

SCAN = """
import os, sys
def walk(folder):
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            walk(entry.path)
        else:
            entry.stat()
walk(sys.argv[1])
"""

COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2])"

# As torch.utils.cpp_extension calls it, but without importing torch, which alone costs more than the rest.
HIPIFY = """
import os, sys
sys.path.insert(0, sys.argv[3])
from hipify import hipify_python
hipify_python.hipify(
    project_directory=sys.argv[1], output_directory=sys.argv[2], header_include_dirs=[], extra_files=[],
    includes=[os.path.join(sys.argv[1], "*")], show_detailed=False, is_pytorch_extension=True,
)
"""

# The usual way: for each line, each rule, longest first. 1,776 rules, as many as torch_musa's tool has by default. What
# the rules are called matters little, how many there are does.
ONE_BY_ONE = """
import os, sys
rules = [("cudaMalloc", "musaMalloc"), ("cudaFree", "musaFree"), ("cuda.h", "musa.h"), ("CUDAStream", "MUSAStream")]
rules += [(f"cudaFunctionNumber{i}", f"musaFunctionNumber{i}") for i in range(1776 - len(rules))]
rules.sort(key=lambda rule: -len(rule[0]))
for folder, _, names in os.walk(sys.argv[1]):
    target = sys.argv[2] + folder[len(sys.argv[1]):]
    os.makedirs(target)
    for name in names:
        with open(f"{folder}/{name}", encoding="latin-1") as source:
            lines = source.readlines()
        with open(f"{target}/{name}", "w", encoding="latin-1") as out:
            for line in lines:
                for find, replace in rules:
                    line = line.replace(find, replace)
                out.write(line)
"""


class Cost(NamedTuple):
    """What one process cost: CPU seconds, and the most memory it held, in MiB."""

    seconds: float
    memory: float


def cost_of(command: Sequence[str]) -> Cost:
    """Run `command` to its end. Raises CalledProcessError with what it said when it fails."""
    # An installed package has compiled modules; without them, each run would compile all of ours again.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=HERE.parent, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, said.read().decode("utf-8", "replace"))
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def best(runs: int, command: Callable[[int], Sequence[str]]) -> Cost:
    """The cheapest of `runs` runs of the commands that `command` makes."""
    return min(cost_of(command(run)) for run in range(runs))


def hipify_folder() -> Optional[Path]:
    """The folder that holds the package hipify, inside an installed torch."""
    spec = find_spec("torch")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "utils"


def compare(tree: Path, runs: int, scratch: Path, slow: bool) -> None:
    """Print the costs for one tree."""
    python, source = sys.executable, str(tree)

    def script(name: str, text: str, *more: str) -> Callable[[int], Sequence[str]]:
        return lambda run: [python, "-c", text, source, str(scratch / f"{name}{run}"), *more]

    def port(run: int) -> Sequence[str]:
        return [python, "-m", "musa_build.porting", source, "-o", str(scratch / f"ported{run}")]

    files = [path for path in tree.rglob("*") if path.is_file()]
    print(f"{tree}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    scan = best(runs, script("scan", SCAN))
    copy = best(runs, script("copy", COPY))
    cold = best(runs, port)
    again = best(runs, port)
    rows = [("scandir and stat", scan), ("plain copy (shutil)", copy), ("porting", cold), ("porting again", again)]
    rows.append(("plain copy (cp -r)", best(runs, lambda run: ["cp", "-r", source, str(scratch / f"cp{run}")])))
    utils = hipify_folder()
    if utils is not None:
        rows.append(("hipify", best(1, script("hipify", HIPIFY, str(utils)))))
        rows.append(("hipify and import torch", _sum(rows[-1][1], best(1, lambda run: [python, "-c", "import torch"]))))
    if slow:
        rows.append(("one rule at a time", best(1, script("one", ONE_BY_ONE))))
    for name, cost in rows:
        print(f"  {name:<26}{cost.seconds:9.3f} s{cost.memory:8.0f} MiB{cost.seconds / cold.seconds:9.2f} x porting")
    ratios = cold.seconds / copy.seconds, again.seconds / scan.seconds
    print(f"  porting is {ratios[0]:.2f} x a plain copy (shutil), again {ratios[1]:.2f} x a scan")
    start = best(runs, lambda run: [python, "-c", "import musa_build.porting.command_line"])
    print(f"  of porting, Python's start and the loading of modules are {start.seconds:.3f} s")


def _sum(one: Cost, two: Cost) -> Cost:
    return Cost(one.seconds + two.seconds, max(one.memory, two.memory))


def main() -> None:
    """Compare for each tree that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--fast", action="store_true", help="leave out porting one rule at a time")
    options = parser.parse_args()
    for tree in options.trees:
        with tempfile.TemporaryDirectory(prefix="porting-") as scratch:
            compare(tree.resolve(), options.runs, Path(scratch), not options.fast)


if __name__ == "__main__":
    main()
