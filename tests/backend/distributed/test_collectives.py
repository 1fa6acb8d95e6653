"""Collectives of the backend mccl."""

from __future__ import annotations

import pytest

from .conftest import StartRanks


@pytest.mark.parametrize("size", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_collectives_equal_gloo(size: int, start_ranks: StartRanks) -> None:
    for rank in start_ranks("collectives.py", size).wait(120):
        assert rank.status == 0 and "compared 30 reductions" in rank.output, rank.output
