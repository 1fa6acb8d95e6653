"""A barrier or a vote that the source has once is one call: in the checks, and where lanes meet."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import Build

ROWS, COLUMNS = 5, 128
VALUES = (np.arange(ROWS * COLUMNS) % 11).reshape(ROWS, COLUMNS)


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_FIBERS": "1"}, {"MUSA_SIM_CHECK": "sync"}], ids=str)
@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
def test_a_call_behind_a_branch_stays_one_call(level: str, env: dict[str, str], build: Build) -> None:
    done = build("call_sites.mu", flags=[level])(env={"MUSA_SIM_WARP": "32", **env})
    assert "musa-sim" not in done.stderr
    results = dict(line.split(": no error:") for line in done.text.splitlines())
    found = {name: np.array(numbers.split(), float) for name, numbers in results.items()}
    np.testing.assert_array_equal(found["two_stages"], VALUES.sum(1))
    np.testing.assert_array_equal(found["steps"], VALUES.sum(1))
    np.testing.assert_array_equal(found["masks"], VALUES[:, 0])
