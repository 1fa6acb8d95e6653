"""x + x by a CUDA kernel, as an operator of PyTorch."""

import torch

from . import _C  # noqa: F401  # it registers the operator

DEVICE = "cuda"


def double(x):
    return torch.ops.doubling.double(x) if x.is_cuda else x + x
