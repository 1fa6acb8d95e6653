"""Runs another program of this folder in ranks that torch.multiprocessing spawns: spawned.py SIZE PROGRAM ARGUMENTS."""

from __future__ import annotations

import os
import runpy
import sys

import torch.multiprocessing as mp


def run(rank: int, size: int, words: list[str]) -> None:
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(size))
    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    mp.spawn(run, args=(ranks, sys.argv[2:]), nprocs=ranks)
