"""Fixtures that compile the programs of this directory, and look at what they leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kept_programs import KeptPrograms
from mccl_programs import SOURCES, Build, Program


@pytest.fixture(scope="session")
def build(kept_programs: KeptPrograms) -> Build:
    """Compile and link programs/<source> with mcc."""

    def compile_and_link(source: str) -> Program:
        return Program(kept_programs.of_mcc(["-std=c++17", "-O1"], [SOURCES / source], ["mccl"]))

    return compile_and_link


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """The memory that ranks share has no name, however they end."""

    def names() -> set[str]:
        return {path.name for path in Path("/dev/shm").iterdir() if "mccl" in path.name}

    before = names()
    yield
    assert names() == before
