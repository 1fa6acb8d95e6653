"""Started by torchrun, with RANK set, or by itself: then it spawns its ranks, as the manual's programs do."""

from __future__ import annotations

import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

RANKS = 2


def train(rank: int, size: int) -> None:
    torch.musa.set_device(rank)
    dist.init_process_group("cpu:gloo,musa:mccl", rank=rank, world_size=size)
    host = torch.ones(2)
    dist.all_reduce(host)
    assert host.tolist() == [size] * 2
    data = TensorDataset(torch.randn(16, 5), torch.randn(16, 5))
    # workers are forked beside the process group's threads
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data), num_workers=1)
    model = DistributedDataParallel(nn.Linear(5, 5).to("musa"), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, wanted in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs.to("musa")), wanted.to("musa")).backward()
        optimizer.step()
    gradients = model.module.weight.grad.clone()
    dist.broadcast(gradients, 0)
    assert torch.equal(gradients, model.module.weight.grad)
    dist.destroy_process_group()
    # in one piece: the ranks share the file, and print() may write its parts one by one
    os.write(1, f"trained in rank {rank}\n".encode())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    if "RANK" in os.environ:
        train(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
        mp.spawn(train, args=(RANKS,), nprocs=RANKS)
