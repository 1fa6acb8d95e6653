"""`__syncwarp` with a mask that lacks the calling lane. CUDA does not define it; muAlg's scans of 9 lanes do it."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import Build, Program

FORMS = {"fibers": {"MUSA_SIM_FIBERS": "1"}, "default": {}}
WARNING = "does not contain the calling lane"


@pytest.fixture(scope="module")
def masks(build: Build) -> Program:
    return build("sync_masks.mu")


def values(fact: str) -> list[int]:
    error, numbers = fact.split(":")
    assert error == "musaSuccess"
    return [int(number) for number in numbers.split(",")[:-1]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", ["32", "128"])
@pytest.mark.parametrize("uneven", ["0", "1"])
@pytest.mark.parametrize(("threads", "width"), [(18, 9), (27, 9), (30, 15), (32, 11), (31, 5), (32, 16), (32, 31)])
def test_lanes_outside_wait_for_each_other(
    masks: Program, form: str, lanes: str, threads: int, width: int, uneven: str
) -> None:
    result = masks("scan", str(threads), str(width), uneven, env={**FORMS[form], "MUSA_SIM_WARP": lanes})
    source = np.arange(threads) ** 2 + 1
    wanted = np.concatenate([np.cumsum(source[first : first + width]) for first in range(0, threads, width)])
    assert values(result.facts["scan"]) == wanted.tolist()
    assert result.stderr.count(WARNING) == 1
    assert f"__syncwarp: mask 0x{2**width - 1:08x} {WARNING}" in result.stderr


@pytest.mark.parametrize("form", FORMS)
def test_a_mask_that_the_compiler_knows(masks: Program, form: str) -> None:
    result = masks("halves", "32", "1", env={**FORMS[form], "MUSA_SIM_WARP": "32"})
    assert values(result.facts["halves"]) == [(lane ^ 1) ** 2 + 1 for lane in range(32)]
    assert result.stderr.count(WARNING) == 1


@pytest.mark.parametrize("form", FORMS)
def test_the_check_ends_the_kernel(masks: Program, form: str) -> None:
    run = masks("halves", "32", "1", env={**FORMS[form], "MUSA_SIM_WARP": "32", "MUSA_SIM_CHECK": "sync"})
    assert f"__syncwarp: mask 0x0000ffff {WARNING} 16" in run.stderr
    assert "musaErrorLaunchFailure" in run.text


@pytest.mark.parametrize("form", FORMS)
def test_a_vote_has_no_result(masks: Program, form: str) -> None:
    run = masks("vote", "32", "1", env={**FORMS[form], "MUSA_SIM_WARP": "32"})
    assert f"mask 0x0000ffff {WARNING} 16" in run.stderr
    assert "musaErrorLaunchFailure" in run.text
