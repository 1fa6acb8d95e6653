"""Objects lie where their types' alignment says, in each form in which a block can run."""

from __future__ import annotations

import pytest
from sim_programs import Build


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O2", "--sim-check=memory"]], ids=" ".join)
@pytest.mark.parametrize("fibers", ["0", "1"])
def test_objects_are_aligned(build: Build, flags: list[str], fibers: str) -> None:
    result = build("alignment.mu", flags=flags)(env={"MUSA_SIM_FIBERS": fibers})
    assert (result.status, result.text, result.stderr) == (0, "0 0 0 0 0 0 \n", "")
