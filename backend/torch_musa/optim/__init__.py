"""Optimizers that torch_musa has kernels of its own for. Here they run over PyTorch's operators."""

from torch_musa.optim.adam import FusedAdam, FusedAdamW
from torch_musa.optim.lamb import FusedLAMB

__all__ = ["FusedAdam", "FusedAdamW", "FusedLAMB"]
