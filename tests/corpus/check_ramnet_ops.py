"""ramnet-ops' kernels on `musa` against its implementation in PyTorch, in double precision on the CPU."""

from __future__ import annotations

from itertools import product

import torch
from comparing import run_all, weights
from ramnet_ops import random_access_memory_attention, topk_addr

TOLERANCES = {torch.float32: 2e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}
DEVICE = "musa"  # its word is "cuda"; the port renames it


def addresses(dtype: torch.dtype, *shape: int, dim: int) -> torch.Tensor:
    """Return addresses whose products differ: of equal ones any may be chosen. `dim` is that of the radix."""
    order = shape[dim - 1]
    steps = torch.tensor([0.1, 0.43, 1.8][:order]).reshape(order, *[1] * (len(shape) - dim))
    ranks = torch.rand(shape).argsort(dim)
    return ((ranks - shape[dim] / 2) * steps).to(dtype)


def numbers(dtype: torch.dtype, tokens: int, heads: int, order: int, radix: int, channels: int) -> list[torch.Tensor]:
    """Return addresses to write and to read, values, forget rates, slots and masses; rounded to the type."""
    made = [addresses(dtype, 2, tokens, heads, order, radix, dim=4) for _ in range(2)]
    made += [torch.randn(shape).to(dtype) for shape in ((2, tokens, heads, channels), (2, tokens, heads))]
    slots = radix**order
    return [*made, torch.randn(2, heads, slots, channels), torch.rand(2, heads, slots) + 0.1]


def attention(given: list[torch.Tensor], backend: str, **options: object) -> list[torch.Tensor]:
    written, read, values, gamma, slot, mass = given
    output, state = random_access_memory_attention(
        written, read, values, gamma, (slot, mass), t_dim=1, impl_backend=backend, **options
    )
    return [output, *state]


def check_attention() -> None:
    """Orders and radixes of addresses, top-k with and without new norms, masses, masks, shifts; with all gradients."""
    for dtype, (order, radix), top_k, renorm, mass_aware in product(
        TOLERANCES, ((2, 4), (3, 4)), (4, (8, 3)), (False, True), (False, True)
    ):
        given = numbers(dtype, 19, 2, order, radix, 16)
        options = {"top_k": top_k, "top_k_re_norm": renorm, "mass_aware": mass_aware, "embed_num": 1}
        mask = torch.rand(2, 19) < 0.8
        here = [each.double().requires_grad_() for each in given]
        there = [each.to(DEVICE).requires_grad_() for each in given]
        wanted = attention(here, "torch", mask=mask, **options)
        got = attention(there, DEVICE, mask=mask.to(DEVICE), **options)
        # the kernels give zeros for tokens that the mask leaves out, PyTorch's code reads for them
        wanted[0], got[0] = wanted[0] * mask[:, :, None, None], got[0] * mask.to(DEVICE)[:, :, None, None]
        sum((each * weights(each)).sum() for each in wanted).backward()
        sum((each.float() * weights(each.float())).sum() for each in got).backward()
        close(dtype, got, wanted)
        close(dtype, [each.grad for each in there], [each.grad for each in here])


def check_addresses() -> None:
    """The addresses of the largest products, and their weights."""
    for dtype, (order, radix), top_k in product(TOLERANCES, ((2, 4), (3, 8)), (1, 5)):
        address = addresses(dtype, 2, 3, order, radix, 33, dim=3)
        positions = torch.arange(33).repeat(2, 1)
        options = {"embed_num": 2, "top_k": top_k, "top_k_re_norm": True}
        _, wanted = topk_addr(address.double(), position_ids=positions, impl_backend="torch", **options)
        index, got = topk_addr(address.to(DEVICE), position_ids=positions.to(DEVICE), impl_backend=DEVICE, **options)
        close(dtype, [got], [wanted])
        # equal weights may come in any order: each index must have the weight beside it
        every, all_weights = topk_addr(
            address.double(),
            position_ids=positions,
            impl_backend="torch",
            embed_num=2,
            top_k=radix**order,
            top_k_re_norm=False,
        )
        table = torch.zeros_like(all_weights).scatter(2, (every % radix**order).long(), all_weights)
        chosen = table.gather(2, (index.cpu() % radix**order).long())
        close(dtype, [chosen / chosen.sum(2, keepdim=True)], [wanted])


def close(dtype: torch.dtype, got: list[torch.Tensor], wanted: list[torch.Tensor]) -> None:
    tolerance = TOLERANCES[dtype]
    for one, other in zip(got, wanted):
        scale = max(1.0, other.abs().max().item())
        torch.testing.assert_close(one.cpu().double() / scale, other.double() / scale, rtol=tolerance, atol=tolerance)


if __name__ == "__main__":
    run_all()
