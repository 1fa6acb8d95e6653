"""FusedAdam and FusedAdamW: torch.optim's Adam and AdamW on lists of tensors, for musa devices."""

from __future__ import annotations

from typing import Union

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT


def _require_musa(optimizer: torch.optim.Optimizer) -> None:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.device.type != "musa" or not parameter.is_floating_point():
                raise RuntimeError(
                    f"{type(optimizer).__name__} requires all parameters to be floating-point tensors of musa devices, "
                    f"but got: {parameter.dtype} on {parameter.device}"
                )


class FusedAdam(torch.optim.Adam):
    """torch.optim.Adam, for musa devices. The count of steps is on the CPU."""

    def __init__(
        self,
        params: ParamsT,
        lr: Union[float, Tensor] = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=not differentiable,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
        )
        _require_musa(self)


class FusedAdamW(torch.optim.AdamW):
    """torch.optim.AdamW, for musa devices. The count of steps is on the CPU."""

    def __init__(
        self,
        params: ParamsT,
        lr: Union[float, Tensor] = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            maximize=maximize,
            foreach=not differentiable,
            capturable=capturable,
            differentiable=differentiable,
        )
        _require_musa(self)
