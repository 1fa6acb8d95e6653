"""All names and kernel parameters of C++: the front end's IR spells them in other ways."""

from __future__ import annotations

import pytest
from sim_programs import Build

FORMS = ({}, {"MUSA_SIM_FIBERS": "1"})


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_names_and_types_that_llvm_quotes(build: Build, level: str) -> None:
    program = build("names.mu", flags=[level])
    for env in FORMS:
        assert program(env=env).text == "0 wrong\n"


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_parameters_that_a_launch_copies_as_a_whole(build: Build, level: str) -> None:
    program = build("parameters.mu", flags=[level])
    for env in FORMS:
        assert program(env=env).text == "0 wrong\n"


def test_reports_have_the_names_of_the_source(build: Build) -> None:
    program = build("names.mu", flags=["--sim-check=memory"])
    assert program().text == "0 wrong\n"
    assert "the local variable örtlich$" in program("beyond").stderr
    assert "länge$" in program("beyond", "beyond").stderr
