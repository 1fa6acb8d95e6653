"""Failures between ranks. Run in each rank: rank_failures.py STORE CASE."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta

import torch
import torch.distributed as dist

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
STORE = f"file://{sys.argv[1]}"


def start(seconds: float = 60, store: str = STORE, device: int = RANK, size: int = SIZE, **options: object) -> None:
    torch.musa.set_device(device)
    dist.init_process_group(
        "mccl", init_method=store, rank=RANK, world_size=size, timeout=timedelta(seconds=seconds), **options
    )


def reduce(count: int = 1000) -> torch.Tensor:
    tensor = torch.full((count,), 1.0, device="musa")
    dist.all_reduce(tensor)
    return tensor


def killed() -> None:
    """The last rank is killed somewhere in the middle; argument 3 is when."""
    start(300)
    reduce()
    if RANK == SIZE - 1:
        delay = float(sys.argv[3])
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, delay)
    while True:
        reduce(200_000)
        dist.all_gather_into_tensor(torch.empty(1000 * SIZE, device="musa"), torch.ones(1000, device="musa"))
        dist.barrier()


def left_early() -> None:
    start(300)
    reduce()
    if RANK != SIZE - 1:
        reduce()


def sender_left() -> None:
    start(300)
    reduce()
    if RANK == 0:
        dist.recv(torch.empty(3, device="musa"), SIZE - 1)


def late() -> None:
    start(3)
    reduce()
    if RANK == 0:
        time.sleep(8)
    else:
        reduce()


def one_device() -> None:
    start(60, device=0)
    reduce()


def one_device_is_allowed() -> None:
    start(60, device=0)
    assert reduce()[0] == SIZE


def devices_by_visibility() -> None:
    start(60, device=0)
    assert torch.musa.device_count() == 1 and reduce()[0] == SIZE


def options_of_another_backend() -> None:
    start(60, pg_options=dist.ProcessGroupGloo._Options())


def store_out_of_reach() -> None:
    if RANK != 0:  # rank 0 would be the store
        start(2, store="tcp://127.0.0.1:1")


def rank_missing() -> None:
    start(3, size=SIZE + 1)


def another_collective() -> None:
    start(30)
    if RANK == 0:
        reduce()
    else:
        dist.broadcast(torch.ones(1000, device="musa"), 0)


def another_size() -> None:
    start(30)
    reduce(10 + RANK)


def another_root() -> None:
    start(30)
    dist.broadcast(torch.ones(10, device="musa"), RANK)


def another_split() -> None:
    start(30)
    rows = 4 + 2 * RANK
    dist.all_to_all_single(torch.empty(rows, 3, device="musa"), torch.ones(rows, 3, device="musa"))


def another_message() -> None:
    start(30)
    tensor = torch.ones(10 + RANK, device="musa")
    if RANK == 0:
        dist.send(tensor, 1)
    else:
        dist.recv(tensor, 0)


def end_without_goodbye() -> None:
    """The process ends while it waits for a message that no rank sends."""
    start(300)
    reduce()
    keep = dist.irecv(torch.empty(3, device="musa"), (RANK + 1) % SIZE)
    assert not keep.is_completed()
    time.sleep(0.2)


def continues_after_a_failure() -> None:
    """A failed group fails at once from then on; a new one can be made by those who are left."""
    start(3)
    reduce()
    if RANK == SIZE - 1:
        return
    try:
        reduce()
    except dist.DistBackendError as error:
        assert f"rank {SIZE - 1} (process" in str(error), str(error)
    begin = time.monotonic()
    try:
        reduce()
        raise AssertionError("a broken group worked")
    except dist.DistBackendError as error:
        assert "failed before" in str(error) and time.monotonic() - begin < 2, str(error)  # the timeout is 3 s


CASES: dict[str, Callable[[], None]] = {name: item for name, item in globals().items() if callable(item)}

if __name__ == "__main__":
    CASES[sys.argv[2]]()
    if dist.is_initialized() and sys.argv[2] not in ("end_without_goodbye", "continues_after_a_failure"):
        dist.destroy_process_group()
    print("the end")
