"""PyTorch's own Loops and Reduce on the simulator, against PyTorch's CPU kernels in the same process.

Run by benchmarks/simulator.py, one row a line. Arguments: a directory for the extension, the number of rounds.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from pathlib import Path
from typing import Callable

import torch

from musa_build import load

Contestants = dict[str, Callable[[], torch.Tensor]]


def main() -> int:
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    source = Path(__file__).resolve().with_name("torch_kernels.mu")
    folder.mkdir(parents=True, exist_ok=True)
    load("simulator_benchmark", [source], build_directory=folder, is_python_module=False)
    wrong = 0
    for name, contestants in rows().items():
        wanted = contestants["cpu"]().double()
        good = torch.allclose(contestants["sim"]().cpu().double(), wanted, rtol=1e-4, atol=1e-2)
        wrong += not good
        times: dict[str, list[float]] = {who: [] for who in contestants}
        for _ in range(rounds):
            for who, run in contestants.items():
                start = time.process_time()
                run()
                torch.musa.synchronize()
                times[who].append(time.process_time() - start)
        median = {who: statistics.median(values) for who, values in times.items()}
        print("\t".join([name, str(good), *(f"{who}={value:.6f}" for who, value in median.items())]))
    return wrong


def rows() -> dict[str, Contestants]:
    """Return the contestants of each row: calls that return what they computed."""
    made: dict[str, Contestants] = {}
    for count in (1_000_000, 16_000_000):
        made[f"torch_loops_{count}"] = product(math.isqrt(count))
        made[f"torch_sum_{count}"] = full_sum(count)
    return made


def product(side: int) -> Contestants:
    """Return the functions that multiply a transposed square matrix by another one, element by element."""
    a, b, out = torch.rand(side, side), torch.rand(side, side), torch.empty(side, side)
    ours_a, ours_b, ours = a.musa(), b.musa(), out.musa()

    def simulated() -> torch.Tensor:
        torch.ops.simulator_benchmark.multiply(ours_a.t(), ours_b, ours)
        return ours

    return {"cpu": lambda: torch.mul(a.t(), b, out=out), "sim": simulated}


def full_sum(count: int) -> Contestants:
    """Return the functions that sum up all elements."""
    x, total = torch.rand(count), torch.empty(1)
    ours_x, ours = x.musa(), total.musa()

    def simulated() -> torch.Tensor:
        torch.ops.simulator_benchmark.sum(ours_x, ours)
        return ours

    return {"cpu": lambda: torch.sum(x, dim=(0,), keepdim=True, out=total), "sim": simulated}


if __name__ == "__main__":
    sys.exit(main())
