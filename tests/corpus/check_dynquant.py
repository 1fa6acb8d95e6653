"""dynquant-kernels on `musa`: packed weights of 2, 3, 4 and 8 bits, and products with them, in double precision."""

from __future__ import annotations

import dynquant_kernels
import torch
from comparing import run_all

BITS = (2, 3, 4, 8)
DTYPES = {torch.float16: 4e-3, torch.bfloat16: 3e-2}


def check_weights() -> None:
    assert dynquant_kernels.report()["available"], dynquant_kernels.report()
    for dtype, tolerance in DTYPES.items():
        for bits in BITS:
            for features, group in ((96, 32), (256, 64), (100, 100), (150, 64)):
                packed, scales, offsets, weights = quantised(19, features, group, bits, dtype)
                for shift in (offsets, None):
                    wanted = weights if shift is not None else weights - spread(offsets, group)[:, :features]
                    shift = shift if shift is None else shift.musa()
                    got = torch.ops.dynquant.dequant(packed.musa(), scales.musa(), shift, bits, group, features)
                    close(got, wanted, tolerance)


def check_products() -> None:
    for dtype, tolerance in DTYPES.items():
        for bits in BITS:
            for rows, features, group in ((1, 256, 64), (3, 96, 32), (8, 512, 128)):
                packed, scales, offsets, weights = quantised(65, features, group, bits, dtype)
                x = torch.randn(rows, features).to(dtype)
                arguments = [tensor.musa() for tensor in (x, packed, scales, offsets)]
                got = torch.ops.dynquant.gemv(*arguments, bits, group, features)
                close(got, x.double() @ weights.T, 4 * tolerance)


def check_products_of_experts() -> None:
    ends = torch.tensor([0, 3, 3, 4, 9], dtype=torch.int32)
    for dtype, tolerance in DTYPES.items():
        for bits in BITS:
            packed, scales, offsets, weights = quantised(4 * 48, 128, 32, bits, dtype)
            x = torch.randn(9, 128).to(dtype)
            arguments = [tensor.musa() for tensor in (x, packed, scales, offsets, ends)]
            got = torch.ops.dynquant.moe_grouped_gemv(*arguments, bits, 32, 128, 48)
            experts = weights.view(4, 48, 128)
            wanted = [x[a:b].double() @ expert.T for a, b, expert in zip(ends[:-1], ends[1:], experts)]
            close(got, torch.cat(wanted), 4 * tolerance)


def quantised(
    rows: int, features: int, group: int, bits: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return random integers as packed words, scales, offsets, and the weights that they stand for."""
    groups = -(-features // group)
    values = torch.randint(0, 2**bits, (rows, groups, group))
    scales = (0.1 + torch.rand(rows, groups)).div(2**bits).to(dtype)
    offsets = torch.randn(rows, groups).mul(0.3).to(dtype)
    words = -(-group * bits // 32)
    packed = torch.zeros(rows, groups, words, dtype=torch.int64)
    for at in range(group):
        for bit in range(bits):
            position = at * bits + bit
            packed[..., position // 32] |= (values[..., at] >> bit & 1) << position % 32
    signed = torch.where(packed >= 2**31, packed - 2**32, packed).to(torch.int32).flatten(1).contiguous()
    weights = values.flatten(1) * spread(scales, group) + spread(offsets, group)
    return signed, scales, offsets, weights[:, :features]


def spread(of_groups: torch.Tensor, group: int) -> torch.Tensor:
    return of_groups.double().repeat_interleave(group, 1)


def close(got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    assert got.device.type == "musa"
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=tolerance, atol=tolerance)


if __name__ == "__main__":
    run_all()
