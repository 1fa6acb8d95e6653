"""torch-harmonics on `musa` against its own PyTorch code on the CPU: both convolutions and the attention."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from itertools import product

import torch
from comparing import on_both, run_all, weights
from torch_harmonics import DiscreteContinuousConvS2, DiscreteContinuousConvTransposeS2, NeighborhoodAttentionS2
from torch_harmonics._disco_convolution import (
    _disco_s2_contraction_cuda,
    _disco_s2_contraction_torch,
    _disco_s2_transpose_contraction_cuda,
    _disco_s2_transpose_contraction_torch,
)

warnings.filterwarnings("error", message="couldn't find CUDA extension")  # the device's own code, or nothing
FINE, COARSE = (16, 32), (8, 16)
CONVOLUTIONS = tuple(
    product((DiscreteContinuousConvS2, DiscreteContinuousConvTransposeS2), ("equiangular", "legendre-gauss"))
)


def on_both_devices(module: torch.nn.Module, inputs: list[torch.Tensor], tolerance: float) -> None:
    """`module` on the CPU and on `musa`: results, gradients of inputs and of all parameters agree."""
    sides = []
    for device in ("cpu", "musa"):
        here = copy.deepcopy(module).to(device)
        moved = [tensor.detach().to(device).requires_grad_() for tensor in inputs]
        result = here(*moved)
        wanted = [*moved, *here.parameters()]
        gradients = torch.autograd.grad((result * weights(result)).sum(), wanted)
        assert result.device.type == device
        sides.append([tensor.detach().cpu() for tensor in (result, *gradients)])
    for wanted, got in zip(*sides):
        largest = max(1.0, float(wanted.abs().max()))  # a gradient may be zero but for rounding: that of the keys' bias
        torch.testing.assert_close(got, wanted, rtol=tolerance, atol=tolerance * largest)


def convolutions() -> Iterator[tuple[torch.nn.Module, tuple[int, int], bool]]:
    """Modules with the shape of what they take, and whether they are transposed ones."""
    for kind, grid in CONVOLUTIONS:
        transposed = kind is DiscreteContinuousConvTransposeS2
        for given, made in ((FINE, FINE), (COARSE, FINE) if transposed else (FINE, COARSE)):
            shape = {"in_shape": given, "out_shape": made, "kernel_shape": (2, 3), "groups": 2, "bias": True}
            yield kind(4, 6, grid_in=grid, grid_out=grid, theta_cutoff=0.5, **shape), given, transposed


def check_convolutions() -> None:
    for module, shape, _ in convolutions():
        for batch in (1, 3):
            on_both_devices(module, [torch.randn(batch, 4, *shape)], 1e-5)


def check_contractions_of_all_element_types() -> None:
    """The kernels compute in float32, and round once, as the other side does here."""
    for module, shape, transposed in convolutions():
        channels = (2, 3, module.kernel_size) if transposed else (2, 3)
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            x = torch.randn(*channels, *shape).to(dtype).requires_grad_()
            # PyTorch rounds float32 to one of two neighbours; sums in another order may choose the other
            tolerance = max(4 * torch.finfo(dtype).eps, 1e-5)
            here, there = contractions(module, transposed)
            on_both(here, [x], other_device=there, dtype=dtype, rtol=tolerance, atol=10 * tolerance)


Contraction = Callable[[torch.Tensor], torch.Tensor]


def contractions(module: torch.nn.Module, transposed: bool) -> tuple[Contraction, Contraction]:
    """The sparse product of a convolution, without its weights: in PyTorch, and by the kernel."""
    device = copy.deepcopy(module).to("musa")
    parts = [getattr(device, f"psi_{name}") for name in ("roff_idx", "ker_idx", "row_idx", "col_idx", "vals")]
    sizes = (module.kernel_size, module.nlat_out, module.nlon_out)
    torch_code = _disco_s2_transpose_contraction_torch if transposed else _disco_s2_contraction_torch
    kernel = _disco_s2_transpose_contraction_cuda if transposed else _disco_s2_contraction_cuda
    psi = module.psi_st if transposed else module.psi

    def here(x: torch.Tensor) -> torch.Tensor:
        return torch_code(x.float(), psi, module.nlon_out).to(x.dtype)

    def there(x: torch.Tensor) -> torch.Tensor:
        return kernel(x, *parts, *sizes)

    return here, there


def check_attention() -> None:
    for heads, channels, made in product((1, 2), (4, 34), ((6, 12), (3, 6))):
        module = NeighborhoodAttentionS2(channels, (6, 12), made, num_heads=heads, theta_cutoff=1.0)
        torch.nn.init.normal_(module.q_bias)
        query = torch.randn(2, channels, *made)
        key, value = torch.randn(2, 2, channels, 6, 12).unbind(0)
        on_both_devices(module, [query, key, value], 2e-4)


if __name__ == "__main__":
    run_all()
