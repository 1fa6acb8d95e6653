"""How fast porting is, against a plain copy, PyTorch's hipify and porting one rule after the other.

    python benchmarks/porting.py TREE [TREE ...] [--runs 9]

Every number is of a whole process, the interpreter's start included: CPU seconds (user and system), smallest and
median of some runs, each into a new folder, and beside them the smallest wall time. The competitors take turns, so that
what else a machine does befalls all of them; but next to other work, programs that compute lose more than programs that
copy. Ratios are printed, nothing is asserted. hipify and one rule at a time, which take seconds, run once. Trees that
make sense are mmcv's `mmcv/ops/csrc` and the `include` folder of an installed torch.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
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
    """The cost of one process: CPU seconds, seconds on the clock, and the most memory it held, in MiB."""

    seconds: float
    wall: float
    memory: float


def cost_of(command: Sequence[str]) -> Cost:
    """Run `command` to its end. Raises CalledProcessError with what it said when it fails."""
    # An installed package has compiled modules; without them, each run would compile all of ours again.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=HERE.parent, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, said.read().decode("utf-8", "replace"))
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


# Makes the command of the run with this number.
Competitor = Callable[[int], Sequence[str]]


def take_turns(runs: int, competitors: Mapping[str, Competitor]) -> dict[str, list[Cost]]:
    """Every competitor, `runs` times, one after the other in their order."""
    costs: dict[str, list[Cost]] = {name: [] for name in competitors}
    for run in range(runs):
        for name, command in competitors.items():
            costs[name].append(cost_of(command(run)))
    return costs


def hipify_folder() -> Optional[Path]:
    """Return the folder that holds the package hipify, inside an installed torch."""
    spec = find_spec("torch")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "utils"


def compare(tree: Path, runs: int, scratch: Path, slow: bool) -> None:
    """Print the costs for one tree."""
    python, source = sys.executable, str(tree)

    def script(name: str, text: str, *more: str) -> Competitor:
        return lambda run: [python, "-c", text, source, str(scratch / f"{name}{run}"), *more]

    def port(run: int) -> Sequence[str]:
        return [python, "-m", "musa_build.porting", source, "-o", str(scratch / f"ported{run}")]

    files = [path for path in tree.rglob("*") if path.is_file()]
    print(f"{tree}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    start = [python, "-c", "import musa_build.porting.command_line"]
    cost_of(start)  # compiles our modules, as installing does
    costs = take_turns(
        runs,
        {
            "scandir and stat": script("scan", SCAN),
            "plain copy (shutil)": script("copy", COPY),
            "plain copy (cp -r)": lambda run: ["cp", "-r", source, str(scratch / f"cp{run}")],
            "porting": port,
            "porting again": port,
            "Python and our modules": lambda run: start,
        },
    )
    costs.update(take_turns(1, _slow_competitors(script, slow)))
    cold = min(costs["porting"]).seconds
    print(f"  {'':<28}{'CPU min':>10}{'median':>10}{'wall min':>10}{'memory':>10}")
    for name, of_it in costs.items():
        cpu, middle, wall = min(of_it).seconds, median(cost.seconds for cost in of_it), min(cost.wall for cost in of_it)
        memory = max(cost.memory for cost in of_it)
        print(f"  {name:<28}{cpu:8.3f} s{middle:8.3f} s{wall:8.3f} s{memory:6.0f} MiB{cpu / cold:9.2f} x porting")
    for one, other in (("porting", "plain copy (shutil)"), ("porting again", "scandir and stat")):
        middles = [median(cost.seconds for cost in costs[name]) for name in (one, other)]
        ratio = min(costs[one]).seconds / min(costs[other]).seconds
        print(f"  {one} is {ratio:.2f} x {other} (medians: {middles[0] / middles[1]:.2f} x)")


def _slow_competitors(script: Callable[..., Competitor], slow: bool) -> dict[str, Competitor]:
    competitors: dict[str, Competitor] = {}
    utils = hipify_folder()
    if utils is not None:
        competitors["hipify, torch not imported"] = script("hipify", HIPIFY, str(utils))
        competitors["import torch"] = lambda run: [sys.executable, "-c", "import torch"]
    if slow:
        competitors["one rule at a time"] = script("one", ONE_BY_ONE)
    return competitors


def main() -> None:
    """Compare for each tree that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--fast", action="store_true", help="leave out porting one rule at a time")
    options = parser.parse_args()
    for tree in options.trees:
        with tempfile.TemporaryDirectory(prefix="porting-") as scratch:
            compare(tree.resolve(), options.runs, Path(scratch), not options.fast)


if __name__ == "__main__":
    main()
