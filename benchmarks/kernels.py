"""How fast the kernel library is on the simulator: native kernels and the fallback, as multiples of PyTorch's CPU.

    python benchmarks/kernels.py [--rounds 15] [--only TEXT]
    python benchmarks/kernels.py --every --rounds 3          # some 300 operators instead of 30, against one goal: 3

Every round runs an operator on the CPU and on the device in turn, so a busy machine affects both alike. CPU time of
the whole process is compared, on one thread each; the figure is the median of the rounds' ratios. The fallback is
measured in a second process, with MUSA_FALLBACK=prefer. Rows without a native kernel have no figure in the first
column. The exit status is 1 if a native kernel is slower than the goal.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Optional

os.environ["MUSA_SIM_THREADS"] = "1"  # read when torch loads torch_musa

import torch
from operator_rows import Operator, Row, every_row, floats, indices, square
from torch import Tensor

#: CPU seconds that one measurement takes at least.
LEAST = 0.01

ROWS = (
    Row("add float32", 1.5, lambda: (floats(), floats()), torch.add),
    Row("mul float32", 1.5, lambda: (floats(), floats()), torch.mul),
    Row("mul by a number float32", 1.5, lambda: (floats(),), lambda x: x * 3),
    Row("where float32", 1.5, lambda: (floats() > 0.5, floats(), floats()), torch.where),
    Row("exp float32", 2, lambda: (floats(),), torch.exp),
    Row("sigmoid float32", 2, lambda: (floats(),), torch.sigmoid),
    Row("tanh float32", 2, lambda: (floats(),), torch.tanh),
    Row("gelu float32", 2, lambda: (floats(),), torch.nn.functional.gelu),
    Row("mul float16", 2, lambda: (floats(dtype=torch.float16),) * 2, torch.mul),
    Row("mul bfloat16", 2, lambda: (floats(dtype=torch.bfloat16),) * 2, torch.mul),
    Row("exp float16", 2, lambda: (floats(dtype=torch.float16),), torch.exp),
    Row("mul transposed float32", 3, lambda: (square(), square()), lambda x, y: x.t() * y),
    Row("sum float32", 3, lambda: (floats(),), torch.sum),
    Row("sum of rows float32", 3, lambda: (square(),), lambda x: x.sum(1)),
    Row("sum of columns float32", 3, lambda: (square(),), lambda x: x.sum(0)),
    Row("mean float16", 3, lambda: (floats(dtype=torch.float16),), torch.mean),
    Row("max of rows float32", 3, lambda: (square(),), lambda x: x.max(1)),
    Row("var float32", 3, lambda: (square(),), lambda x: x.var(1)),
    Row("softmax float32", 3, lambda: (square(),), lambda x: x.softmax(1)),
    Row("layer_norm float32", 3, lambda: (square(),), lambda x: torch.nn.functional.layer_norm(x, (1000,))),
    Row("index float32", 3, lambda: (square(), indices(1000)), lambda x, at: x[at]),
    Row("gather float32", 3, lambda: (square(), indices(1000, 1000)), lambda x, at: x.gather(1, at)),
    Row(
        "scatter_add float32",
        3,
        lambda: (square(), indices(1000, 1000), square()),
        lambda x, at, values: x.scatter_add(1, at, values),
    ),
    Row("cumsum float32", 3, lambda: (square(),), lambda x: x.cumsum(1)),
    Row("sort float32", 5, lambda: (square(),), lambda x: x.sort(1)),
    Row("topk float32", 5, lambda: (square(),), lambda x: x.topk(10, 1)),
    Row("matmul float32", 2, lambda: (floats(256, 256), floats(256, 256)), torch.matmul),
    Row("matmul float16", 2, lambda: (floats(256, 256, dtype=torch.float16),) * 2, torch.matmul),
    Row("add of 16,384 float32", 2, lambda: (floats(1 << 14), floats(1 << 14)), torch.add),
    Row("add of four float32", 2, lambda: (floats(4), floats(4)), torch.add),
    Row("mul of four float16", 2, lambda: (floats(4, dtype=torch.float16),) * 2, torch.mul),
)


@dataclass(frozen=True)
class Measured:
    """The times of a row.

    Attributes:
        cpu: Microseconds of the CPU's kernel, the median.
        ratio: The device's time as a multiple of it, the median of the rounds.
        native: Whether a kernel of the library did the work.
    """

    cpu: float
    ratio: float
    native: bool


def seconds(operator: Operator, operands: tuple[Tensor, ...], calls: int) -> float:
    """Return the CPU seconds of a call, all threads together."""
    begin = time.process_time()
    for _ in range(calls):
        operator(*operands)
    torch.musa.synchronize()
    return (time.process_time() - begin) / calls


def measure(row: Row, rounds: int) -> Measured:
    """Measure a row on the CPU and on the device, in turn."""
    torch.manual_seed(0)
    on_cpu = row.operands()
    on_device = tuple(operand.to("musa") for operand in on_cpu)
    torch.musa.reset_fallback_report()
    row.operator(*on_device)
    native = not torch.musa.fallback_report().operators
    row.operator(*on_cpu)
    quickest = min(seconds(row.operator, on_cpu, 3) for _ in range(5))  # the first touches new memory
    calls = 1 + int(LEAST / max(quickest, 1e-7))
    pairs = []
    for _ in range(rounds):
        cpu = seconds(row.operator, on_cpu, calls)
        pairs.append((cpu, seconds(row.operator, on_device, calls) / cpu))
    return Measured(
        1e6 * statistics.median(cpu for cpu, _ in pairs), statistics.median(ratio for _, ratio in pairs), native
    )


def measured_elsewhere(rows: list[Row], rounds: int) -> dict[str, float]:
    """Return the fallback's multiples, from a process without the kernel library."""
    command = [
        sys.executable,
        __file__,
        "--rounds",
        str(rounds),
        "--as-json",
        "--only",
        "|".join(row.name for row in rows),
    ]
    environment = {**os.environ, "MUSA_FALLBACK": "prefer"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description="Compare the kernel library's speed with PyTorch's CPU.")
    parser.add_argument("--rounds", type=int, default=15, help="(default: 15)")
    parser.add_argument("--only", help="rows whose names contain this text; several with |")
    parser.add_argument("--every", action="store_true", help="the rows of operator_rows.py, without the fallback")
    parser.add_argument("--as-json", action="store_true", help=argparse.SUPPRESS)
    choice = parser.parse_args()
    wanted: Optional[list[str]] = choice.only.split("|") if choice.only else None
    torch.set_num_threads(1)
    every = every_row() if choice.every else ROWS
    rows = [row for row in every if wanted is None or any(text in row.name for text in wanted)]
    if choice.as_json:
        print(json.dumps({row.name: measure(row, choice.rounds).ratio for row in rows}))
        return 0
    fallback = {} if choice.every else measured_elsewhere(rows, choice.rounds)
    slow = 0
    print("| | CPU, us | native | goal | fallback |\n|---|--:|--:|--:|--:|")
    for row in rows:
        found = measure(row, choice.rounds)
        too_slow = found.native and found.ratio > row.goal
        slow += too_slow
        native = f"{found.ratio:.2f}{' (slow)' if too_slow else ''}" if found.native else ""
        elsewhere = f"{fallback[row.name]:.2f}" if fallback else ""
        print(f"| {row.name} | {found.cpu:.1f} | {native} | {row.goal} | {elsewhere} |", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
