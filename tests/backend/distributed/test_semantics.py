"""The promises of mccl beyond results: order, futures, groups."""

from __future__ import annotations

import pytest

from ..conftest import IS_OLDER_TORCH
from .conftest import StartRanks


def test_semantics(start_ranks: StartRanks) -> None:
    for rank in start_ranks("semantics.py", 2).wait(120):
        assert rank.status == 0 and "all 17 passed" in rank.output, rank.output


@pytest.mark.slow
def test_semantics_with_the_checks_of_torch(start_ranks: StartRanks) -> None:
    """Each check is a barrier of its own, so what ranks do in different orders is left out."""
    left_out = ["collectives_in_callbacks", "groups_do_not_wait_for_each_other"]
    if IS_OLDER_TORCH:
        # its checks let no backend gather coalesced tensors
        left_out += ["coalescing", "functional_collectives", "what_the_group_says_of_itself"]
    for rank in start_ranks("semantics.py", 2, *left_out, TORCH_DISTRIBUTED_DEBUG="DETAIL").wait(120):
        assert rank.status == 0 and f"all {17 - len(left_out)} passed" in rank.output, rank.output
