"""The manual's program for one node sets MASTER_PORT itself."""

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
from ddp_profile import train_profiled


def clean():
    dist.destroy_process_group()


def example(rank, use_gpu=True):
    torch_musa.set_device(rank)
    model = models.resnet50(weights=models.ResNet50_Weights.IMAGENET1K_V1)
    model.to("musa")
    cudnn.benchmark = True
    model = DDP(model, device_ids=[rank])
    trainset = torchvision.datasets.CIFAR10(root="./data", train=True, download=True, transform=T.ToTensor())
    train_sampler = torch.utils.data.distributed.DistributedSampler(trainset)
    trainloader = torch.utils.data.DataLoader(
        trainset, batch_size=8, sampler=train_sampler, shuffle=False, num_workers=1
    )
    criterion = nn.CrossEntropyLoss().to(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    model.train()
    train_profiled(model, trainloader, criterion, optimizer, rank)
    clean()


def init_process(rank, size, fn, backend="mccl"):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
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
