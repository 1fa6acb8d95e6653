"""orionvis' selective scan on `musa` against the recurrence, written in PyTorch, on the CPU.

Its extension alone: the package's Python needs torchvision and more.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import product
from pathlib import Path
from types import ModuleType

import torch
from comparing import run_all, weights
from selective_scans import TOLERANCES, Tensors, make, near, recurrence

NAMES = ("u", "delta", "A", "B", "C", "D", "delta_bias")


def load(name: str) -> ModuleType:
    """Load an extension of the package by its file: importing the package imports all its requirements."""
    folders = (Path(entry) / "orionvis/extentions/selective_scan" for entry in sys.path)
    (file,) = (file for folder in folders for file in folder.glob(f"{name}*.so"))
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCAN = load("selective_scan_cuda_oflex")


def on_both_sides(given: Tensors, softplus: bool, in_float: bool, tolerance: float) -> None:
    """Results in float32 or in the type of the input, and the gradients of everything that was given, agree."""
    given["z"] = None
    here = {name: tensor if tensor is None else tensor.clone().requires_grad_() for name, tensor in given.items()}
    wanted = recurrence(here, softplus)
    there = {name: tensor if tensor is None else tensor.musa() for name, tensor in given.items()}
    arguments = [there[name] for name in NAMES]
    out, states = SCAN.fwd(*arguments, softplus, 1, in_float)
    assert out.dtype == (torch.float32 if in_float else given["u"].dtype)
    near("result", out, wanted, tolerance)

    scale = weights(wanted)
    present = [name for name in NAMES if given[name] is not None]
    slopes = dict(zip(present, torch.autograd.grad((wanted * scale).sum(), [here[name] for name in present])))
    got = SCAN.bwd(*arguments, scale.to(out.dtype).musa(), states, softplus, 1)
    for name, slope in zip(NAMES, got):
        if name in slopes:
            near(f"gradient of {name}", slope, slopes[name], tolerance)


def check_lengths_and_types() -> None:
    """One step, less than a thread does, not a multiple of it, and more than a block does at once (2048)."""
    for length, dtype, in_float in product((1, 7, 130, 256), TOLERANCES, (True, False)):
        given = make(2, 4, 3, length, dtype, False, True, 1)
        on_both_sides(given, True, in_float, TOLERANCES[dtype])
    on_both_sides(make(1, 2, 2, 2100, torch.float32, False, True, 1), False, True, 1e-3)


def check_groups_and_what_may_be_missing() -> None:
    for absent, softplus in product(((), ("D",), ("delta_bias",), ("D", "delta_bias")), (True, False)):
        given = make(2, 4, 2, 40, torch.float32, False, True, 2)
        given.update(dict.fromkeys(absent))
        on_both_sides(given, softplus, False, 1e-3)


if __name__ == "__main__":
    run_all()
