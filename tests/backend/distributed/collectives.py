"""Every collective on musa, compared bit for bit with sums on the CPU. Run in each rank: collectives.py STORE."""

from __future__ import annotations

import functools
import itertools
import os
import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
DEVICE = torch.device("musa", RANK)
DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool]
OPS = {
    "SUM": ReduceOp.SUM,
    "AVG": ReduceOp.AVG,
    "MIN": ReduceOp.MIN,
    "MAX": ReduceOp.MAX,
    "PRODUCT": ReduceOp.PRODUCT,
}
COUNT = 1037  # no multiple of anything that data could be split by
STEPS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "SUM": torch.add,
    "AVG": torch.add,
    "MIN": torch.minimum,
    "MAX": torch.maximum,
    "PRODUCT": torch.mul,
}


def data(dtype: torch.dtype, *sizes: int, seed: int = 0) -> torch.Tensor:
    """Make values that this rank alone has, small enough that products stay finite in half precision."""
    made = torch.Generator().manual_seed(1000 * seed + RANK)
    if dtype.is_floating_point:
        return (torch.rand(sizes, generator=made) * 3 - 1.5).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 7, sizes, generator=made).to(dtype)


class Reference:
    """Reductions on the CPU in the order of ranks, of what gloo gathers."""

    def __init__(self) -> None:
        self.group = dist.new_group(backend="gloo")

    def all_reduce(self, tensor: torch.Tensor, op: str) -> torch.Tensor:
        parts = list(self.all_gather(tensor))
        if tensor.dtype == torch.bool:  # NCCL's: logical or, logical and
            op = {"SUM": "MAX", "PRODUCT": "MIN"}.get(op, op)
        averages_floats = op == "AVG" and tensor.is_floating_point()
        if averages_floats:  # NCCL's too: first the factor
            parts = [part * torch.tensor(1 / SIZE, dtype=part.dtype) for part in parts]
        result = functools.reduce(STEPS[op], parts)
        return result.div_(SIZE, rounding_mode="trunc") if op == "AVG" and not averages_floats else result

    def reduce(self, tensor: torch.Tensor, op: str, target: int) -> torch.Tensor:
        result = self.all_reduce(tensor, op)
        return result if target == RANK else tensor

    def reduce_scatter(self, tensor: torch.Tensor, op: str) -> torch.Tensor:
        """`tensor` has one row a rank."""
        return self.all_reduce(tensor, op)[RANK]

    def all_gather(self, tensor: torch.Tensor) -> torch.Tensor:
        parts = [torch.empty_like(tensor) for _ in range(SIZE)]
        dist.all_gather(parts, tensor, group=self.group)
        return torch.stack(parts)


def same(found: torch.Tensor, wanted: torch.Tensor, what: object) -> None:
    assert found.device == DEVICE, (what, found.device)
    found = found.cpu()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (what, found.shape, wanted.shape)
    assert found.contiguous().view(torch.uint8).equal(wanted.contiguous().view(torch.uint8)), (what, found, wanted)


def reductions(reference: Reference, dtype: torch.dtype, op: str) -> None:
    what = (dtype, op)
    mine = data(dtype, COUNT)
    on_musa = mine.to(DEVICE)
    dist.all_reduce(on_musa, OPS[op])
    same(on_musa, reference.all_reduce(mine, op), ("all_reduce", *what))

    several = [data(dtype, 5, seed=1), data(dtype, 3, 4, seed=2)]
    moved = [tensor.to(DEVICE) for tensor in several]
    dist.all_reduce_coalesced(moved, OPS[op])
    for found, tensor in zip(moved, several):
        same(found, reference.all_reduce(tensor, op), ("all_reduce_coalesced", *what))

    target = SIZE - 1
    on_musa = mine.to(DEVICE)
    dist.reduce(on_musa, target, OPS[op])
    same(on_musa, reference.reduce(mine, op, target), ("reduce", *what))

    rows = data(dtype, SIZE, 33, seed=3)
    wanted = reference.reduce_scatter(rows, op)
    output = torch.empty(33, dtype=dtype, device=DEVICE)
    dist.reduce_scatter(output, list(rows.to(DEVICE)), OPS[op])
    same(output, wanted, ("reduce_scatter", *what))
    output = torch.empty(33, dtype=dtype, device=DEVICE)
    dist.reduce_scatter_tensor(output, rows.to(DEVICE), OPS[op])
    same(output, wanted, ("reduce_scatter_tensor", *what))


def uneven_reduce_scatter(reference: Reference, dtype: torch.dtype) -> None:
    sizes = [rank + 1 for rank in range(SIZE)]
    inputs = [data(dtype, size, seed=10 + size) for size in sizes]
    output = torch.empty(sizes[RANK], dtype=dtype, device=DEVICE)
    dist.reduce_scatter(output, [tensor.to(DEVICE) for tensor in inputs], ReduceOp.MAX)
    wanted = [reference.all_reduce(tensor, "MAX") for tensor in inputs][RANK]
    same(output, wanted, ("uneven reduce_scatter", dtype))


def movements(reference: Reference, dtype: torch.dtype) -> None:
    mine = data(dtype, 6, 7)
    everybody = reference.all_gather(mine)
    source = SIZE - 1

    tensor = mine.to(DEVICE)
    dist.broadcast(tensor, source)
    same(tensor, everybody[source], ("broadcast", dtype))

    parts = [torch.empty(6, 7, dtype=dtype, device=DEVICE) for _ in range(SIZE)]
    dist.all_gather(parts, mine.to(DEVICE))
    same(torch.stack(parts), everybody, ("all_gather", dtype))
    across = [torch.empty(7, 6, dtype=dtype, device=DEVICE).t() for _ in range(SIZE)]
    dist.all_gather(across, mine.t().contiguous().t().to(DEVICE))
    same(torch.stack(across), everybody, ("all_gather, transposed", dtype))

    whole = torch.empty(SIZE * 6, 7, dtype=dtype, device=DEVICE)
    dist.all_gather_into_tensor(whole, mine.to(DEVICE))
    same(whole.view(SIZE, 6, 7), everybody, ("all_gather_into_tensor", dtype))

    lengths = [rank + 1 for rank in range(SIZE)]
    uneven = [torch.empty(length, dtype=dtype, device=DEVICE) for length in lengths]
    dist.all_gather(uneven, mine.reshape(-1)[: RANK + 1].to(DEVICE))
    for rank, part in enumerate(uneven):
        same(part, everybody[rank].reshape(-1)[: rank + 1], ("uneven all_gather", dtype))

    gathered = [torch.empty(6, 7, dtype=dtype, device=DEVICE) for _ in range(SIZE)] if source == RANK else None
    dist.gather(mine.to(DEVICE), gathered, source)
    if gathered is not None:
        same(torch.stack(gathered), everybody, ("gather", dtype))

    output = torch.empty(7, dtype=dtype, device=DEVICE)
    dist.scatter(output, list(mine[:SIZE].to(DEVICE)) if source == RANK else None, source)
    same(output, everybody[source][RANK], ("scatter", dtype))

    rows = data(dtype, SIZE, 3, seed=4)
    all_rows = reference.all_gather(rows)
    exchanged = [torch.empty(3, dtype=dtype, device=DEVICE) for _ in range(SIZE)]
    dist.all_to_all(exchanged, list(rows.to(DEVICE)))
    same(torch.stack(exchanged), all_rows[:, RANK], ("all_to_all", dtype))
    single = torch.empty(SIZE, 3, dtype=dtype, device=DEVICE)
    dist.all_to_all_single(single, rows.to(DEVICE))
    same(single, all_rows[:, RANK], ("all_to_all_single", dtype))
    uneven_all_to_all(reference, dtype)

    left, right = (RANK - 1) % SIZE, (RANK + 1) % SIZE
    received = torch.empty(6, 7, dtype=dtype, device=DEVICE)
    if RANK % 2 == 0:
        dist.send(mine.to(DEVICE), right)
        dist.recv(received, left)
    else:
        dist.recv(received, left)
        dist.send(mine.to(DEVICE), right)
    same(received, everybody[left], ("send and recv", dtype))

    received = torch.empty(7, 6, dtype=dtype, device=DEVICE).t()  # not contiguous
    swaps = [dist.P2POp(dist.isend, mine.to(DEVICE), left), dist.P2POp(dist.irecv, received, right)]
    for work in dist.batch_isend_irecv(swaps):
        work.wait()
    same(received, everybody[right], ("batch_isend_irecv", dtype))


def uneven_all_to_all(reference: Reference, dtype: torch.dtype) -> None:
    """Rank r sends r + s + 1 rows to rank s."""
    sent = [RANK + other + 1 for other in range(SIZE)]
    mine = data(dtype, 3 * SIZE * SIZE, 2, seed=5)
    all_rows = reference.all_gather(mine)
    wanted = []
    for other in range(SIZE):
        start = sum(other + before + 1 for before in range(RANK))
        wanted.append(all_rows[other][start : start + other + RANK + 1])
    output = torch.empty(sum(sent), 2, dtype=dtype, device=DEVICE)
    dist.all_to_all_single(output, mine[: sum(sent)].to(DEVICE), sent, sent)
    same(output, torch.cat(wanted), ("uneven all_to_all_single", dtype))


def refused(reference: Reference) -> None:
    """Every rank refuses the calls that NCCL refuses, and the group works on."""

    def fails(error: type[Exception], text: str, call: Callable[[], Any]) -> None:
        try:
            call()
        except error as raised:
            assert text in str(raised), str(raised)
            return
        raise AssertionError(f"{text}: no error")

    on_musa = torch.ones(4, device=DEVICE)
    fails(ValueError, "ReduceOp.AVG of bool", lambda: dist.all_reduce(on_musa.bool(), ReduceOp.AVG))
    fails(ValueError, "ReduceOp.BXOR", lambda: dist.all_reduce(on_musa.long(), ReduceOp.BXOR))
    fails(TypeError, "Short", lambda: dist.all_reduce(on_musa.short()))
    fails(RuntimeError, "cpu", lambda: dist.all_reduce(torch.ones(4)))
    fails(ValueError, "without holes", lambda: dist.all_reduce(torch.ones(4, 4, device=DEVICE)[:, ::2]))
    wrong = torch.empty(4 * SIZE + 1, device=DEVICE)
    fails(ValueError, f"output tensor of {4 * SIZE} elements", lambda: dist.all_gather_into_tensor(wrong, on_musa))
    fails(ValueError, f"input tensor of {4 * SIZE} elements", lambda: dist.reduce_scatter_tensor(on_musa, wrong))
    fails(ValueError, "as many output tensors as ranks", lambda: dist.all_gather([on_musa], on_musa))
    elsewhere = torch.ones(4, device=torch.device("musa", (RANK + 1) % SIZE))
    parts = [elsewhere, *[torch.empty(4, device=DEVICE) for _ in range(SIZE - 1)]]
    fails(ValueError, "all tensors on one device", lambda: dist.all_gather(parts, on_musa))
    if SIZE > 1:
        fails(ValueError, "first dimension divides", lambda: dist.all_to_all_single(wrong, wrong))
        ones = [1] * SIZE
        fails(ValueError, "split sizes with the sum", lambda: dist.all_to_all_single(wrong, wrong, ones, ones))
    on_musa = torch.ones(4, device=DEVICE)
    dist.all_reduce(on_musa)
    same(on_musa, torch.full((4,), float(SIZE)), "after errors")


def premultiplied_sums() -> None:
    for factor in (0.5, torch.tensor([0.5], device=DEVICE)):
        tensor = torch.full((3,), float(RANK + 1), device=DEVICE)
        dist.all_reduce(tensor, dist._make_nccl_premul_sum(factor))
        same(tensor, torch.full((3,), 0.25 * SIZE * (SIZE + 1)), "PREMUL_SUM")


def odd_sizes() -> None:
    """Nothing at all, a number, strides of channels_last, complex numbers and float8."""
    nothing = torch.empty(0, device=DEVICE)
    dist.all_reduce(nothing)
    dist.broadcast(nothing, 0)
    dist.all_gather([torch.empty(0, device=DEVICE) for _ in range(SIZE)], nothing)
    dist.all_to_all_single(torch.empty(0, 3, device=DEVICE), torch.empty(0, 3, device=DEVICE))
    number = torch.tensor(float(RANK), device=DEVICE)
    dist.all_reduce(number, ReduceOp.MAX)
    assert number.item() == SIZE - 1
    image = torch.full((2, 3, 4, 5), float(RANK), device=DEVICE).to(memory_format=torch.channels_last)
    image[0, 1, 2, 3] += 1
    dist.all_reduce(image)
    assert image.sum().item() == 120 * sum(range(SIZE)) + SIZE and image[0, 1, 2, 3] == sum(range(SIZE)) + SIZE
    turned = torch.full((3,), complex(RANK, 1), device=DEVICE)
    dist.all_reduce(turned)
    assert turned.tolist() == [complex(sum(range(SIZE)), SIZE)] * 3
    small = torch.full((3,), float(RANK), device=DEVICE).to(torch.float8_e4m3fn)
    dist.broadcast(small, 1)
    assert small.float().tolist() == [1.0] * 3


def main() -> None:
    torch.musa.set_device(DEVICE)
    dist.init_process_group("mccl", init_method=f"file://{sys.argv[1]}", rank=RANK, world_size=SIZE)
    reference = Reference()
    for dtype, op in itertools.product(DTYPES, OPS):
        if (dtype, op) != (torch.bool, "AVG"):
            reductions(reference, dtype, op)
    for dtype in DTYPES:
        movements(reference, dtype)
        uneven_reduce_scatter(reference, dtype)
    premultiplied_sums()
    odd_sizes()
    refused(reference)
    dist.barrier()
    dist.destroy_process_group()
    print("compared", len(DTYPES) * len(OPS), "reductions")


if __name__ == "__main__":
    main()
