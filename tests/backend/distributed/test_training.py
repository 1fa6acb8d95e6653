"""Training by several ranks gives the losses of one process."""

from __future__ import annotations

import pytest

from .conftest import StartRanks


@pytest.mark.parametrize("size", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_losses_are_those_of_one_process(size: int, start_ranks: StartRanks) -> None:
    for rank in start_ranks("training.py", size).wait(200):
        assert rank.status == 0 and "trained" in rank.output, rank.output
