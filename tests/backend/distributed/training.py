"""Five steps of training by several ranks, compared with one process that sees all the data: training.py STORE."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
DEVICE = torch.device("musa", RANK)
STEPS, BATCH = 5, 8


def make_model() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 6)).to(DEVICE)


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    made = torch.Generator().manual_seed(5)
    return STEPS * [(torch.randn(BATCH, 12, generator=made), torch.randn(BATCH, 6, generator=made))]


def train(model: nn.Module, parameters: Iterable[nn.Parameter], share: slice) -> list[float]:
    """Return the losses of all ranks' data, of which this rank sees a share."""
    optimizer = torch.optim.AdamW(parameters, lr=1e-2)
    losses = []
    for inputs, wanted in batches():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs[share].to(DEVICE)).float(), wanted[share].to(DEVICE))
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        if share != slice(None):
            dist.all_reduce(total, dist.ReduceOp.AVG)
        losses.append(total.item())
    return losses


def by_all(model: nn.Module) -> list[float]:
    part = BATCH // SIZE
    return train(model, model.parameters(), slice(RANK * part, (RANK + 1) * part))


def fully_sharded(mesh: DeviceMesh, policy: MixedPrecisionPolicy) -> nn.Module:
    model = make_model()
    for layer in (model[0], model[2]):
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    return fully_shard(model, mesh=mesh, mp_policy=policy)


def compare(name: str, losses: list[float], wanted: list[float], tolerance: float) -> None:
    worst = max(abs(found - one) / one for found, one in zip(losses, wanted))
    print(f"{name}: {worst:.2e}", flush=True)
    assert worst <= tolerance, (name, losses, wanted)


def train_in_half_alone() -> list[float]:
    """FSDP's results with bfloat16 parameters, by one process: each share's gradients, their mean in float32."""
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    part = BATCH // SIZE
    losses = []
    for inputs, wanted in batches():
        optimizer.zero_grad()
        shares: list[float] = []
        for first in range(0, BATCH, part):
            share = slice(first, first + part)
            half = copy.deepcopy(model).bfloat16()
            outputs = half(inputs[share].to(DEVICE).bfloat16())
            loss = nn.functional.mse_loss(outputs.float(), wanted[share].to(DEVICE))
            loss.backward()
            shares.append(loss.item())
            for whole, cast in zip(model.parameters(), half.parameters()):
                gradient = cast.grad.float() / SIZE
                whole.grad = gradient if whole.grad is None else whole.grad + gradient
        optimizer.step()
        losses.append(sum(shares) / SIZE)
    return losses


def communication_hooks(wanted: list[float]) -> None:
    halved = DistributedDataParallel(make_model(), device_ids=[RANK])
    halved.register_comm_hook(None, default_hooks.fp16_compress_hook)
    compare("DDP, float16 gradients", by_all(halved), wanted, 2**-9)

    low_rank = DistributedDataParallel(make_model(), device_ids=[RANK])
    state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2)
    low_rank.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    losses = by_all(low_rank)
    assert losses[-1] < 0.95 * losses[0], losses
    weight = low_rank.module[0].weight.detach()
    others = [torch.empty_like(weight) for _ in range(SIZE)]
    dist.all_gather(others, weight)
    assert all(torch.equal(weight, other) for other in others)


def batch_norm_statistics(model: nn.Module) -> torch.Tensor:
    return torch.cat([model[1].running_mean, model[1].running_var])


def synchronized_batch_norm(dtype: torch.dtype, tolerance: float) -> None:
    """Statistics of all ranks' data, though the shares differ in size; outputs, gradients and running statistics."""

    def make() -> nn.Sequential:
        torch.manual_seed(11)
        layers = [nn.Conv2d(2, 3, 1, bias=False), nn.BatchNorm2d(3), nn.Flatten(), nn.Linear(3 * 16, 2)]
        return nn.Sequential(*layers).to(DEVICE, dtype)

    pictures = torch.randn(3 * SIZE, 2, 4, 4, generator=torch.Generator().manual_seed(13)).to(DEVICE, dtype)
    alone, together = make(), nn.SyncBatchNorm.convert_sync_batchnorm(make())
    wanted = alone(pictures)
    wanted.square().sum().backward()
    first = RANK * 3 + (RANK > 0)  # rank 0 has one picture more, the last rank one less
    share = slice(first, RANK * 3 + 4 if RANK < SIZE - 1 else 3 * SIZE)
    model = DistributedDataParallel(together, device_ids=[RANK])
    found = model(pictures[share])
    (found.square().sum() * SIZE).backward()  # DDP averages

    def close(one: torch.Tensor, other: torch.Tensor) -> None:
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance * other.abs().max().item())

    close(found, wanted[share])
    for mine, other in zip(together.parameters(), alone.parameters()):
        close(mine.grad, other.grad)
    close(batch_norm_statistics(together), batch_norm_statistics(alone))


def main() -> None:
    torch.musa.set_device(DEVICE)
    dist.init_process_group("mccl", init_method=f"file://{sys.argv[1]}", rank=RANK, world_size=SIZE)
    mesh = init_device_mesh("musa", (SIZE,))

    alone = make_model()
    wanted = train(alone, alone.parameters(), slice(None))
    assert wanted[-1] < 0.9 * wanted[0]

    compare("DDP", by_all(DistributedDataParallel(make_model(), device_ids=[RANK])), wanted, 1e-6)
    communication_hooks(wanted)
    compare("FSDP1", by_all(FullyShardedDataParallel(make_model(), device_id=DEVICE)), wanted, 1e-6)
    compare("FSDP2", by_all(fully_sharded(mesh, MixedPrecisionPolicy())), wanted, 1e-6)

    # bfloat16 has 8 bits of precision: each product is off by up to 2**-9, and the loss by a few times that.
    half = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    sharded_losses = by_all(fully_sharded(mesh, half))
    compare("FSDP2, bfloat16, and float32", sharded_losses, wanted, 2**-7)
    compare("FSDP2, bfloat16", sharded_losses, train_in_half_alone(), 1e-6)
    half_1 = torch.distributed.fsdp.MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    sharded = FullyShardedDataParallel(make_model(), device_id=DEVICE, mixed_precision=half_1)
    sharded_losses = by_all(sharded)
    compare("FSDP1, bfloat16, and float32", sharded_losses, wanted, 2**-7)
    compare("FSDP1, bfloat16", sharded_losses, train_in_half_alone(), 1e-6)

    tensor_parallel = parallelize_module(make_model(), mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    compare("DTensor", train(tensor_parallel, tensor_parallel.parameters(), slice(None)), wanted, 1e-6)

    synchronized_batch_norm(torch.float32, 2e-5)
    synchronized_batch_norm(torch.float64, 1e-9)
    dist.destroy_process_group()
    print("trained")


if __name__ == "__main__":
    main()
