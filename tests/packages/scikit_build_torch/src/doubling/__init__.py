"""x + x by a CUDA kernel, as an operator of PyTorch."""

import torch

from . import _C

DEVICE = "cuda"


def double(x):
    return torch.ops.doubling.double(x) if x.is_cuda else x + x
