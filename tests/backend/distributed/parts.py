"""Groups that are parts of a group. Run in each of four ranks, each bound to its device: parts.py STORE."""

from __future__ import annotations

import copy
import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
DEVICE = torch.device("musa", RANK)


def total(group: dist.ProcessGroup | None) -> float:
    """The sum of all ranks' numbers, which count from 1."""
    tensor = torch.full((1000,), RANK + 1.0, device=DEVICE)
    dist.all_reduce(tensor, group=group)
    assert bool((tensor == tensor[0]).all())
    return tensor[0].item()


def split() -> None:
    halves = [[0, 2], [1, 3]]
    mine = dist.split_group(split_ranks=halves)
    assert mine is not None and dist.get_rank(mine) == RANK // 2 and total(mine) == (4 if RANK % 2 == 0 else 6)

    options = dist.ProcessGroupMCCL.Options(is_high_priority_stream=True)
    assert copy.deepcopy(options) == options
    first = dist.split_group(split_ranks=[[0, 1, 2]], pg_options=options, timeout=timedelta(seconds=7))
    assert (first is None) == (RANK == 3)
    if first is not None:
        assert total(first) == 6
        assert first._get_backend(DEVICE).options._timeout == timedelta(seconds=7)

    # the ranks have been in different numbers of groups
    again = dist.split_group(split_ranks=halves)
    assert total(again) == total(mine) and total(None) == 10
    quarter = dist.split_group(mine, split_ranks=[[0], [1]])
    assert total(quarter) == RANK + 1


def mesh() -> None:
    """With a bound device torch makes the groups of a mesh by splitting."""
    both = init_device_mesh("musa", (2, 2), mesh_dim_names=("rows", "columns"))
    assert total(both["rows"].get_group()) == (4 if RANK % 2 == 0 else 6)
    assert total(both["columns"].get_group()) == (3 if RANK < 2 else 7)
    pair = dist.new_group([0, 1])
    if RANK < 2:
        assert total(pair) == 3


def shrink() -> None:
    """A rank ends; the others go on without it."""
    if RANK == 3:
        os._exit(0)
    try:
        total(None)
        raise AssertionError("a rank is missing, and no error")
    except dist.DistBackendError as error:
        assert "rank 3 (process " in str(error), error
    rest = dist.shrink_group([3], shrink_flags=dist.distributed_c10d.SHRINK_ABORT)
    assert dist.get_world_size() == 3 and total(rest) == total(None) == 6


def main() -> None:
    torch.musa.set_device(DEVICE)
    timeout = timedelta(seconds=60)
    dist.init_process_group(
        "mccl", init_method=f"file://{sys.argv[1]}", rank=RANK, world_size=SIZE, device_id=DEVICE, timeout=timeout
    )
    for test in (split, mesh, shrink):
        test()
        print(test.__name__, "passed", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
