"""The simulator's checks are part of a build: asking for others compiles the kernels anew, and nothing else."""

from __future__ import annotations

import pytest
from demo_project import Project, check_kernel


@pytest.mark.slow
def test_other_checks_compile_the_kernels_anew(project: Project) -> None:
    assert "mcc csrc/kernel.mu" in project.built().compiled
    checked = project.built(MUSA_SIM_CHECK="memory,race")
    assert checked.compiled == ["mcc csrc/kernel.mu"]
    check_kernel(project.load())
    assert project.built(MUSA_SIM_CHECK="memory,race").steps == []
    assert project.built().compiled == ["mcc csrc/kernel.mu"]


def test_an_unknown_check_is_named(project: Project) -> None:
    failed = project.build(MUSA_SIM_CHECK="rase")
    assert failed.returncode != 0
    assert "'rase' in MUSA_SIM_CHECK is no check of the simulator" in failed.output
