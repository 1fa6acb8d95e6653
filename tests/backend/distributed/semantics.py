"""Order, futures, coalescing, groups, meshes. Run in each of two ranks: semantics.py STORE [LEFT_OUT ...]."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.device_mesh import init_device_mesh

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
OTHER = 1 - RANK
DEVICE = torch.device("musa", RANK)


def mine(*sizes: int) -> torch.Tensor:
    return torch.full(sizes, RANK + 1.0, device=DEVICE)


def holds(tensor: torch.Tensor, value: float) -> None:
    assert tensor.device == DEVICE and bool((tensor == value).all()), (tensor.device, tensor)


def begins_after_the_work_on_the_current_stream() -> None:
    """The caller continues at once; the collective sees the results of the stream's pending work."""
    host = torch.full((1000,), RANK + 1.0).pin_memory()
    with torch.musa.stream(torch.musa.Stream()):
        tensor = torch.zeros(1000, device=DEVICE)
        torch.musa._MUSAC.keep_busy(2_000_000_000)
        tensor.copy_(host, non_blocking=True)
        begin = time.monotonic()
        work = dist.all_reduce(tensor, async_op=True)
        assert not work.is_completed(), time.monotonic() - begin
        work.wait()
        assert time.monotonic() - begin > 0.3
        holds(tensor, 3)
    assert work.is_completed() and work.is_success()


def order_is_that_of_the_calls() -> None:
    tensor = mine(10_000)
    works = [dist.all_reduce(tensor, async_op=True) for _ in range(5)]
    works[-1].wait()
    holds(tensor, 3 * 2**4)


def memory_lives_as_long_as_needed() -> None:
    torch.musa._MUSAC.keep_busy(100_000_000)
    work = dist.all_reduce(mine(1 << 20), async_op=True)
    garbage = [torch.full((1 << 20,), -1.0, device=DEVICE) for _ in range(3)]
    work.wait()
    holds(work.result()[0], 3)
    before = torch.musa.memory_allocated()
    del work, garbage
    assert torch.musa.memory_allocated() < before


def futures() -> None:
    work = dist.all_reduce(mine(3), async_op=True)
    (result,) = work.get_future().wait()
    holds(result, 3)
    doubled = dist.all_reduce(mine(3), async_op=True).get_future().then(lambda done: done.value()[0] * 2)
    holds(doubled.wait(), 6)


def collectives_in_callbacks() -> None:
    """A communication hook may wait for a collective of its own: PowerSGD's does."""

    def again(done: torch.futures.Future[list[torch.Tensor]]) -> torch.Tensor:
        assert torch.musa.current_device() == RANK
        work = dist.all_reduce(done.value()[0], async_op=True)
        return work.get_future().wait()[0]

    torch.musa._MUSAC.keep_busy(100_000_000)
    chained = dist.all_reduce(mine(3), async_op=True).get_future().then(again)
    later = mine(3)
    work = dist.all_reduce(later, async_op=True)
    holds(chained.wait(), 6)
    work.wait()
    holds(later, 3)


def other_ways_to_wait() -> None:
    """The thread waits, without Python's lock: the callback needs it."""
    ways = ("synchronize", "block_current_stream")  # PyTorch 2.8 has the first alone
    for wait in (way for way in ways if hasattr(dist.Work, way)):
        torch.musa._MUSAC.keep_busy(50_000_000)
        tensor, called = mine(1000), []
        work = dist.all_reduce(tensor, async_op=True)
        work.get_future().add_done_callback(called.append)
        getattr(work, wait)()
        holds(tensor, 3)
        assert called


def coalescing() -> None:
    tensors = [mine(2), mine(3)]
    with dist._coalescing_manager(device=DEVICE):
        for tensor in tensors:
            dist.all_reduce(tensor)
    for tensor in tensors:
        holds(tensor, 3)
    wholes = [torch.empty(4, device=DEVICE), torch.empty(6, device=DEVICE)]
    with dist._coalescing_manager(device=DEVICE, async_ops=True) as manager:
        for whole, part in zip(wholes, (mine(2), mine(3))):
            dist.all_gather_into_tensor(whole, part)
    manager.wait()
    assert wholes[1].tolist() == [1, 1, 1, 2, 2, 2]
    parts = [torch.empty(2, device=DEVICE), torch.empty(3, device=DEVICE)]
    with dist._coalescing_manager(device=DEVICE):
        for part, whole in zip(parts, (mine(4), mine(6))):
            dist.reduce_scatter_tensor(part, whole)
    holds(parts[1], 3)


def messages_of_both_first() -> None:
    """Both send, then both receive: neither waits for the other. Tags count for nothing, as with NCCL."""
    received = [torch.empty(3, device=DEVICE) for _ in range(2)]
    works = [dist.isend(mine(3) * factor, OTHER, tag=factor) for factor in (1, 10)]
    works += [dist.irecv(tensor, OTHER, tag=7) for tensor in received]
    for work in works:
        work.wait()
    holds(received[0], OTHER + 1)
    holds(received[1], 10 * (OTHER + 1))


def messages_beside_collectives() -> None:
    """Ranks may call messages and collectives in different orders, even those that are made of messages."""
    exchanged, received = torch.empty(2, device=DEVICE), torch.empty(3, device=DEVICE)
    if RANK == 0:
        work = dist.isend(mine(3) * 10, OTHER)
    dist.all_to_all_single(exchanged, mine(2))
    if RANK == 1:
        work = dist.irecv(received, OTHER)
    work.wait()
    assert exchanged.tolist() == [1, 2]
    if RANK == 1:
        holds(received, 10)


def batches() -> None:
    received = torch.empty(3, device=DEVICE)
    operations = [dist.P2POp(dist.isend, mine(3), OTHER), dist.P2POp(dist.irecv, received, OTHER)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    holds(received, OTHER + 1)


def functional_collectives() -> None:
    group = dist.group.WORLD
    holds(functional.all_reduce(mine(2), "sum", group) + 0, 3)
    holds(functional.all_reduce(mine(2), "avg", group) + 0, 1.5)
    assert (functional.all_gather_tensor(mine(2), 0, group) + 0).tolist() == [1, 1, 2, 2]
    holds(functional.reduce_scatter_tensor(mine(4), "sum", 0, group) + 0, 3)
    assert (functional.all_to_all_single(mine(4), None, None, group) + 0).tolist() == [1, 1, 2, 2]
    holds(functional.broadcast(mine(2), 1, group) + 0, 2)
    for tensor in functional.all_reduce_coalesced([mine(2), mine(3)], "sum", group):
        holds(tensor + 0, 3)
    gathered = functional.all_gather_into_tensor_coalesced([mine(2), mine(3)], group)
    assert (gathered[1] + 0).tolist() == [1, 1, 1, 2, 2, 2]
    scattered = functional.reduce_scatter_tensor_coalesced([mine(2), mine(4)], "sum", [0, 0], group)
    holds(scattered[1] + 0, 3)


def groups() -> None:
    alone = [dist.new_group([rank]) for rank in range(SIZE)][RANK]
    tensor = mine(3)
    dist.all_reduce(tensor, group=alone)
    holds(tensor, RANK + 1)


def groups_do_not_wait_for_each_other() -> None:
    first, second = dist.new_group([0, 1]), dist.new_group([1, 0])
    tensors = {first: mine(2), second: mine(3)}
    in_order = [first, second] if RANK == 0 else [second, first]
    for work in [dist.all_reduce(tensors[group], group=group, async_op=True) for group in in_order]:
        work.wait()
    holds(tensors[first], 3)
    holds(tensors[second], 3)
    dist.destroy_process_group(first)


def objects_and_barriers() -> None:
    gathered: list[object] = [None] * SIZE
    dist.all_gather_object(gathered, {"rank": RANK})
    assert gathered == [{"rank": 0}, {"rank": 1}]
    sent = [{"from": 1}] if RANK == 1 else [None]
    dist.broadcast_object_list(sent, 1)
    assert sent == [{"from": 1}]
    dist.barrier()
    dist.barrier(device_ids=[RANK])
    assert dist.barrier(async_op=True).wait()


def meshes() -> None:
    mesh = init_device_mesh("musa", (SIZE,))
    tensor = mine(3)
    dist.all_reduce(tensor, group=mesh.get_group())
    holds(tensor, 3)
    square = init_device_mesh("musa", (SIZE, 1), mesh_dim_names=("a", "b"))
    tensor = mine(3)
    dist.all_reduce(tensor, group=square["b"].get_group())
    holds(tensor, RANK + 1)


def the_profiler_sees_them() -> None:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        dist.all_reduce(mine(3))
    assert "mccl:all_reduce" in {event.key for event in profile.key_averages()}


def what_the_group_says_of_itself() -> None:
    group = dist.group.WORLD
    assert group is not None
    backend = group._get_backend(DEVICE)
    assert backend.supports_coalescing
    assert isinstance(torch.musa.mccl.version(), tuple)
    options = dist.ProcessGroupMCCL.Options()
    options.is_high_priority_stream = True
    assert options == dist.ProcessGroupMCCL.Options(is_high_priority_stream=True)
    dist.all_reduce(mine(3), group=dist.new_group(backend="mccl", pg_options=options))
    try:
        options.is_high_prio_stream = True
        raise NameError("an unknown option was accepted")
    except AttributeError as error:
        assert "has no option 'is_high_prio_stream', only is_high_priority_stream" in str(error), error


TESTS: list[Callable[[], None]] = [
    begins_after_the_work_on_the_current_stream,
    order_is_that_of_the_calls,
    memory_lives_as_long_as_needed,
    futures,
    collectives_in_callbacks,
    other_ways_to_wait,
    coalescing,
    messages_of_both_first,
    messages_beside_collectives,
    batches,
    functional_collectives,
    groups,
    groups_do_not_wait_for_each_other,
    objects_and_barriers,
    meshes,
    the_profiler_sees_them,
    what_the_group_says_of_itself,
]


def main() -> None:
    torch.musa.set_device(DEVICE)
    dist.init_process_group(
        init_method=f"file://{sys.argv[1]}", rank=RANK, world_size=SIZE, timeout=timedelta(seconds=20)
    )
    tests = [test for test in TESTS if test.__name__ not in sys.argv[2:]]
    for test in tests:
        print(test.__name__, flush=True)
        test()
    print("all", len(tests), "passed")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
