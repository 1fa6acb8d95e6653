"""FusedLAMB: layer-wise adaptive rates for large batches (arxiv.org/abs/1904.00962), as apex has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Optional

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from torch_musa import _ext
from torch_musa.multi_tensor_apply import multi_tensor_applier

SUPPORTED = (torch.float16, torch.float32)


class FusedLAMB(torch.optim.Optimizer):
    """LAMB. All gradients together are first clipped to a norm of `max_grad_norm`.

    Args:
        params: parameters of float32 or float16, or groups of them.
        lr: the learning rate.
        bias_correction: whether averages are corrected for having begun with 0.
        betas: how much of the averages of gradients, and of their squares, a step keeps.
        eps: what is added to the denominator.
        weight_decay: the decay of parameters.
        amsgrad: not supported.
        adam_w_mode: whether the decay is added to the update, as AdamW does, and not to the gradient.
        grad_averaging: whether gradients enter their average with 1 - beta1.
        set_grad_none: whether zero_grad sets gradients to None.
        max_grad_norm: the norm of all gradients together.
        use_nvlamb: whether rates adapt also where `weight_decay` is 0.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        bias_correction: bool = True,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        adam_w_mode: bool = True,
        grad_averaging: bool = True,
        set_grad_none: bool = True,
        max_grad_norm: float = 1.0,
        use_nvlamb: bool = False,
    ) -> None:
        if amsgrad:
            raise RuntimeError("FusedLAMB does not support the AMSGrad variant.")
        defaults = {
            "lr": lr,
            "bias_correction": bias_correction,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "grad_averaging": grad_averaging,
            "max_grad_norm": max_grad_norm,
        }
        super().__init__(params, defaults)
        self.adam_w_mode = adam_w_mode
        self.set_grad_none = set_grad_none
        self.use_nvlamb = use_nvlamb

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to 0 if both `set_grad_none` and `set_to_none` say so."""
        super().zero_grad(set_to_none=self.set_grad_none or set_to_none)

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:
        """Take one step; `closure` computes the loss again."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        gradients = [self._gradient(parameter) for parameter in self._with_gradients()]
        if not gradients:
            return loss
        device = gradients[0].device
        unused = torch.zeros(1, dtype=torch.int32, device=device)
        on_one = [gradient.to(device) for gradient in gradients]
        norm = multi_tensor_applier(_ext.multi_tensor_l2norm, unused, [on_one], False)[0]
        for group in self.param_groups:
            self._step_group(group, norm, unused)
        return loss

    def _with_gradients(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"] if p.grad is not None]

    def _gradient(self, parameter: Tensor) -> Tensor:
        gradient = parameter.grad
        assert gradient is not None
        if gradient.is_sparse:
            raise RuntimeError("FusedLAMB does not support sparse gradients, please consider SparseAdam instead")
        if parameter.dtype not in SUPPORTED:
            raise RuntimeError(f"FusedLAMB only support fp16 and fp32, but got: {parameter.dtype}")
        return gradient

    def _step_group(self, group: dict[str, Any], norm: Tensor, unused: Tensor) -> None:
        group["step"] = group.get("step", 0) + 1
        lists: dict[torch.dtype, list[list[Tensor]]] = defaultdict(lambda: [[], [], [], []])
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            state = self.state[parameter]
            if not state:
                state["exp_avg"] = torch.zeros_like(parameter)
                state["exp_avg_sq"] = torch.zeros_like(parameter)
            row = (parameter.grad, parameter, state["exp_avg"], state["exp_avg_sq"])
            for column, tensor in zip(lists[parameter.dtype], row):
                column.append(tensor)
        for tensors in lists.values():
            multi_tensor_applier(
                _ext.multi_tensor_lamb,
                unused,
                tensors,
                group["lr"],
                *group["betas"],
                group["eps"],
                group["step"],
                int(group["bias_correction"]),
                group["weight_decay"],
                int(group["grad_averaging"]),
                int(self.adam_w_mode),
                norm,
                group["max_grad_norm"],
                self.use_nvlamb,
            )
