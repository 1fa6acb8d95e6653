"""mamba-ssm's selective scan on `musa` against the recurrence, written in PyTorch, on the CPU.

Its extension alone: the package's Python needs Triton, which needs a GPU.
"""

from __future__ import annotations

import importlib
from itertools import product

import torch
from comparing import run_all, weights
from selective_scans import TOLERANCES, Tensors, make, near, recurrence

SCAN = importlib.import_module("selective_scan_cuda")  # after torch: it needs PyTorch's libraries


def on_both_sides(given: Tensors, softplus: bool, tolerance: float) -> None:
    """Results, and the gradients of everything that was given, agree."""
    here = {name: tensor if tensor is None else tensor.clone().requires_grad_() for name, tensor in given.items()}
    wanted = recurrence(here, softplus)
    scale = weights(wanted)
    there = {name: tensor if tensor is None else tensor.musa() for name, tensor in given.items()}
    names = ("u", "delta", "A", "B", "C", "D", "z", "delta_bias")
    arguments = [there[name] for name in names]
    out, states, *gated = SCAN.fwd(*arguments, softplus)
    near("result", (gated or [out])[0], wanted, tolerance)

    total = (wanted * scale).sum()
    present = [name for name in names if given[name] is not None]
    slopes = dict(zip(present, torch.autograd.grad(total, [here[name] for name in present])))
    before = out if gated else None
    got = SCAN.bwd(*arguments, scale.musa(), states, before, None, softplus, False)
    order = ["u", "delta", "A", "B", "C", "D", "delta_bias", "z"]
    for name, slope in zip(order, got):
        if name in slopes:
            near(f"gradient of {name}", slope, slopes[name], tolerance)


def check_real() -> None:
    """One step, less than a thread does, not a multiple of it, and more than a block does at once (2048)."""
    for length, dtype, variable in product((1, 7, 130, 256), TOLERANCES, (True, False)):
        given = make(2, 4, 3, length, dtype, False, variable, 1)
        on_both_sides(given, True, TOLERANCES[dtype])
    on_both_sides(make(1, 2, 2, 2100, torch.float32, False, True, 1), False, 1e-3)


def check_complex() -> None:
    for length, variable in product((1, 7, 130), (True, False)):
        on_both_sides(make(2, 4, 3, length, torch.float32, True, variable, 1), True, 1e-3)


def check_groups_and_what_may_be_missing() -> None:
    for absent, softplus in product((("z",), ("D",), ("delta_bias",), ("D", "z", "delta_bias")), (True, False)):
        given = make(2, 4, 2, 40, torch.float32, False, True, 2)
        given.update(dict.fromkeys(absent))
        on_both_sides(given, softplus, 1e-3)


if __name__ == "__main__":
    run_all()
