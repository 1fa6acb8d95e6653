"""The names that examples with PyTorch's device use."""

import os

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

import musa_build

model = torch.nn.Linear(4, 4).to("musa")
x = torch.ones(2, 4, device="musa")
new_data = torch.full((2, 4), 7.0, device="musa")


def train_one_step():
    model(x).sum().backward()
