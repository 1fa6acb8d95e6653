"""Values that live across suspend points are those of the plain code, in every form of a kernel and at every level."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import kernels_with_spills
import pytest

from musa_sim.mcc.ir.blocks import parse_blocks
from musa_sim.mcc.passes.spilled_values import mark_spilled

LEVELS = ("-O0", "-O1", "-O2", "-O3")


def check(root: Path, folder: Path, source: str, level: str) -> None:
    path, program = folder / "spills.mu", folder / "spills"
    path.write_text(source)
    subprocess.run([root / "bin/mcc", level, "-fwrapv", path, "-lmusart", "-o", program], check=True)
    for fibers in ("1", "0"):
        environment = {**os.environ, "MUSA_SIM_FIBERS": fibers}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"MUSA_SIM_FIBERS={fibers}\n{done.stdout[-2000:]}{done.stderr}"


@pytest.mark.parametrize("level", LEVELS)
def test_every_form_keeps_what_the_plain_code_keeps(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    check(sim_sdk_root, tmp_path, kernels_with_spills.program(LEVELS.index(level), 12), level)


def test_a_sum_is_spilled_whether_all_lanes_or_some_add_a_term() -> None:
    for chosen in ("%more", "%sum"):
        code = """%term = load float, ptr %a, align 4
  %sum = load float, ptr %b, align 4
  %added = fadd float %sum, %term
  %more = select i1 %is, float %added, float %sum
  call void @wait()
  store float CHOSEN, ptr %b, align 4
  ret void
"""
        blocks, kinds = mark_spilled(parse_blocks("  " + code.replace("CHOSEN", chosen)), {"wait"})
        marked = [item.result for item in blocks[0].instructions if item.callee.startswith("__musa_sim_spill_")]
        assert marked == (["%more"] if chosen == "%more" else [])
        assert kinds == ({"float"} if marked else set())


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_more_of_them(sim_sdk_root: Path, tmp_path: Path, seed: int, level: str) -> None:
    check(sim_sdk_root, tmp_path, kernels_with_spills.program(seed, 30, known=()), level)
