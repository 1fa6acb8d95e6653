"""split_group, meshes of a bound group, shrink_group."""

from __future__ import annotations

from ..conftest import needs_2_13
from .conftest import StartRanks


@needs_2_13
def test_parts(start_ranks: StartRanks) -> None:
    *ranks, last = start_ranks("parts.py", 4).wait(120)
    assert last.status == 0 and "mesh passed" in last.output, last.output
    for rank in ranks:
        assert rank.status == 0 and "shrink passed" in rank.output, rank.output
