"""The manual's programs of several ranks: 5.6 (DDP), 8.1 (the profiler with DDP, on one node and on several) and 10.1.5
(torch.distributed.run). Shortened, with small sizes; the ranks write what they computed, and this compares it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

Run = Callable[..., str]
RANKS = 2
SEED = 11  # the program's


@pytest.fixture
def ranks() -> Mapping[str, str]:
    """What the programs find in the environment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return {"MUSA_SIM_DEVICES": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def saved_by_ranks(folder: Path) -> list[dict[str, torch.Tensor]]:
    return [torch.load(folder / f"rank{rank}.pt", map_location="cpu") for rank in range(RANKS)]


# The seed and what is saved are additions.
DDP = """
import os
import torch
from torch import nn
from torch import optim
from torch.nn.parallel import DistributedDataParallel as DDP
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_musa

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def forward(self, x):
        return self.linear(x)

def start(rank, world_size):
    dist.init_process_group("mccl", rank=rank, world_size=world_size)

def clean():
    dist.destroy_process_group()

def runner(rank, world_size):
    torch_musa.set_device(rank)
    start(rank, world_size)
    torch.manual_seed(11 + rank)
    model = Model().to('musa')
    ddp_model = DDP(model, device_ids=[rank])
    optimizer = optim.SGD(ddp_model.parameters(), lr=0.1)
    for _ in range(5):
        input_tensor = torch.randn(5, dtype=torch.float, requires_grad=True).to('musa')
        target_tensor = torch.zeros(5, dtype=torch.float).to('musa')
        output_tensor = ddp_model(input_tensor)
        loss_f = nn.MSELoss()
        loss = loss_f(output_tensor, target_tensor)
        loss.backward()
        optimizer.step()
    torch.save(ddp_model.module.linear.state_dict(), f"rank{rank}.pt")
    clean()

if __name__ == "__main__":
    mp.spawn(runner, args=(2,), nprocs=2, join=True)
"""


def trained_alone() -> nn.Linear:
    """What the program's ranks compute together: rank 0's model, the mean of the ranks' losses."""
    made = [torch.Generator().manual_seed(SEED + rank) for rank in range(RANKS)]
    with torch.random.fork_rng(devices=[]):
        models = []
        for rank in range(RANKS):
            torch.manual_seed(SEED + rank)
            models.append(nn.Linear(5, 5))
            made[rank].set_state(torch.get_rng_state())
    optimizer = torch.optim.SGD(models[0].parameters(), lr=0.1)
    for _ in range(5):  # gradients add up: the program has no zero_grad()
        sum(models[0](torch.randn(5, generator=own)).square().mean() / RANKS for own in made).backward()
        optimizer.step()
    return models[0]


@pytest.mark.slow
def test_distributed_data_parallel(run: Run, tmp_path: Path, ranks: Mapping[str, str]) -> None:
    (tmp_path / "ddp.py").write_text(DDP)
    run("ddp.py", OMP_NUM_THREADS="1", **ranks)
    for found in saved_by_ranks(tmp_path):
        for name, wanted in trained_alone().state_dict().items():
            torch.testing.assert_close(found[name], wanted, rtol=1e-5, atol=1e-6)


# The manual's program for one node sets MASTER_PORT itself. What is saved is an addition.
PROFILER = """
import os
import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.optim
import torch.profiler
import torch.utils.data
import torchvision
import torchvision.transforms as T
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision import models
import torch_musa

def clean():
    dist.destroy_process_group()

def example(rank, use_gpu=True):
    torch_musa.set_device(rank)
    model = models.resnet50(weights=models.ResNet50_Weights.IMAGENET1K_V1)
    model.to("musa")
    cudnn.benchmark = True
    model = DDP(model, device_ids=[rank])
    trainset = torchvision.datasets.CIFAR10(root='./data', train=True, download=True, transform=T.ToTensor())
    train_sampler = torch.utils.data.distributed.DistributedSampler(trainset)
    trainloader = torch.utils.data.DataLoader(
        trainset, batch_size=8, sampler=train_sampler, shuffle=False, num_workers=1)
    criterion = nn.CrossEntropyLoss().to(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    model.train()
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.MUSA],
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=2),
        on_trace_ready=torch.profiler.tensorboard_trace_handler('result', worker_name='worker' + str(rank)),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True),
    ) as p:
        for step, data in enumerate(trainloader, 0):
            inputs, labels = data[0].to("musa"), data[1].to("musa")
            outputs = model(inputs)
            loss = criterion(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            p.step()
            if step + 1 >= 4:
                break
    torch.save(dict(model.module.named_parameters()), f"rank{rank}.pt")
    clean()

def init_process(rank, size, fn, backend='mccl'):
    os.environ.setdefault('MASTER_ADDR', '127.0.0.1')
    os.environ.setdefault('MASTER_PORT', '29500')
    dist.init_process_group(backend, rank=rank, world_size=size)
    fn(rank, size)

if __name__ == "__main__":
    size = torch.musa.device_count()
    processes = []
    mp.set_start_method("spawn")
    for rank in range(size):
        p = mp.Process(target=init_process, args=(rank, size, example))
        p.start()
        processes.append(p)
    for p in processes:
        p.join()
    assert [p.exitcode for p in processes] == [0] * size
"""

SEVERAL_NODES = """
import os
import argparse
import torch
from torch import nn
from torch import optim
from torch.nn.parallel import DistributedDataParallel as DDP
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_musa
import torchvision
import torchvision.transforms as T
from torchvision import models

model = models.resnet50(weights=models.ResNet50_Weights.IMAGENET1K_V1)
trainset = torchvision.datasets.CIFAR10(root='./data', train=True, download=True, transform=T.ToTensor())
trainloader = torch.utils.data.DataLoader(trainset, batch_size=8, shuffle=True, num_workers=1)
criterion = nn.CrossEntropyLoss()

def clean():
    dist.destroy_process_group()

def start(rank, world_size):
    if os.getenv("MASTER_ADDR") is None:
        os.environ['MASTER_ADDR'] = '127.0.0.1'
    if os.getenv("MASTER_PORT") is None:
        os.environ['MASTER_PORT'] = '29500'
    dist.init_process_group("mccl", rank=rank, world_size=world_size)

def runner(gpu, args):
    rank = args.nr * args.gpus + gpu
    torch_musa.set_device(rank % torch.musa.device_count())
    start(rank, args.world_size)
    model.to('musa')
    ddp_model = DDP(model, device_ids=[rank % torch.musa.device_count()])
    optimizer = optim.SGD(ddp_model.parameters(), lr=0.001)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.MUSA],
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=2),
        on_trace_ready=torch.profiler.tensorboard_trace_handler('result', worker_name='worker' + str(rank)),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True),
    ) as p:
        for step, data in enumerate(trainloader, 0):
            inputs, labels = data[0].to('musa'), data[1].to('musa')
            outputs = ddp_model(inputs)
            loss = criterion(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            p.step()
            if step + 1 >= 4:
                break
    torch.save(dict(ddp_model.module.named_parameters()), f"rank{rank}.pt")
    clean()

def train(fn, args):
    mp.spawn(fn, args=(args,), nprocs=args.gpus, join=True)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument('-n', '--nodes', default=1, type=int, metavar='N')
    parser.add_argument('-g', '--gpus', default=1, type=int, help='number of gpus per node')
    parser.add_argument('-nr', '--nr', default=0, type=int, help='ranking within the nodes')
    args = parser.parse_args()
    args.world_size = args.gpus * args.nodes
    train(runner, args)
"""


def traced_work(trace: Path) -> list[dict[str, Any]]:
    events = json.loads(trace.read_text())["traceEvents"]
    assert any("DistributedDataParallel.forward" in event["name"] for event in events)
    assert any("mccl:all_reduce" in event["name"] for event in events)
    return [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "arguments"),
    [(PROFILER, []), (SEVERAL_NODES, ["-n", "1", "-g", "2", "-nr", "0"])],
    ids=["one", "several"],
)
def test_profiler_with_ddp(
    program: str, arguments: list[str], run_with_pictures: Run, tmp_path: Path, ranks: Mapping[str, str]
) -> None:
    from torch_musa import _MUSAC

    (tmp_path / "profiled.py").write_text(program)
    output = run_with_pictures("profiled.py", *arguments, PICTURES="64", **ranks)
    for rank in range(RANKS):
        (trace,) = (tmp_path / "result").glob(f"worker{rank}.*.pt.trace.json")
        work = traced_work(trace)
        if _MUSAC.profiles_device():
            assert {event["pid"] for event in work} == {rank}
            names = [event["name"] for event in work]
            assert (
                names.count("CPU kernel of aten::convolution_backward_overrideable") == 4
            )  # two steps, two convolutions
        else:
            assert not work and output.count("no events of musa devices") == RANKS
    first, second = saved_by_ranks(tmp_path)
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    assert all(torch.isfinite(parameter).all() and parameter.any() for parameter in first.values())


TORCHRUN = """
import os
import torch
import torch.distributed as dist

LOCAL_RANK = int(os.getenv('LOCAL_RANK', -1))
assert torch.musa.device_count() > LOCAL_RANK, 'insufficient MUSA devices for DDP command'
torch.musa.set_device(LOCAL_RANK)
device = torch.device('musa', LOCAL_RANK)
dist.init_process_group(backend="mccl")
x = torch.arange(3, device=device) * 10 + LOCAL_RANK
dist.all_reduce(x)
torch.save({"sum": x}, f"rank{dist.get_rank()}.pt")
dist.destroy_process_group()
"""


@pytest.mark.slow
def test_torch_distributed_run(run: Run, tmp_path: Path, ranks: Mapping[str, str]) -> None:
    (tmp_path / "train.py").write_text(TORCHRUN)
    launcher = ("-m", "torch.distributed.run", "--nproc_per_node", str(RANKS), "--master_port", ranks["MASTER_PORT"])
    run(*launcher, "train.py", MUSA_SIM_DEVICES=str(RANKS), OMP_NUM_THREADS="1")
    assert [found["sum"].tolist() for found in saved_by_ranks(tmp_path)] == [[1, 21, 41]] * RANKS
