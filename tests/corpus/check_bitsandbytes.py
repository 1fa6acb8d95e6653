"""bitsandbytes on `musa` against formulas in double precision.

Quantised numbers must be as near to the input as the nearest number of the table; products and optimisers are computed
again from the numbers that the quantised ones stand for.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import bitsandbytes as bnb
import torch
from bitsandbytes import functional
from comparing import run_all

TYPES = (torch.float32, torch.float16, torch.bfloat16)
HALF_TYPES = (torch.float16, torch.bfloat16)
TABLES = {kind: functional.get_4bit_type(kind, device="cpu").double() for kind in ("nf4", "fp4")}
BLOCK_OF_STATE = 256  # that of optimisers in 8 bits


def in_blocks(flat: torch.Tensor, block: int) -> torch.Tensor:
    """Rows of `block` numbers; the last one is filled with zeros."""
    return torch.nn.functional.pad(flat, (0, -flat.numel() % block)).view(-1, block)


def assert_nearest(
    numbers: torch.Tensor, codes: torch.Tensor, scales: torch.Tensor, table: torch.Tensor, block: int
) -> None:
    """Check scales and codes: no other number of the table is nearer to an input."""
    rows = in_blocks(numbers.double().flatten(), block)
    largest = rows.abs().amax(dim=1)
    torch.testing.assert_close(scales.cpu().double(), largest)
    near = rows / largest.clamp_min(1e-30)[:, None]
    best = (near[..., None] - table).abs().amin(dim=-1)
    mine = (near - table[in_blocks(codes.cpu().long().flatten(), block)]).abs()
    given = in_blocks(torch.ones(numbers.numel()), block) > 0
    assert bool(((mine <= best + 2e-6) | ~given).all()), float((mine - best)[given].max())


def unpacked(codes: torch.Tensor, count: int) -> torch.Tensor:
    """The codes of four bits: the first of two is the upper half of a byte."""
    flat = codes.cpu().flatten()
    return torch.stack((flat >> 4, flat & 15), dim=1).flatten()[:count]


def meant(codes: torch.Tensor, scales: torch.Tensor, table: torch.Tensor, block: int) -> torch.Tensor:
    """The numbers that codes stand for."""
    return (in_blocks(table[codes.cpu().long().flatten()], block) * scales.cpu().double()[:, None]).flatten()[
        : codes.numel()
    ]


def assert_rounded(got: torch.Tensor, wanted: torch.Tensor, terms: int = 1) -> None:
    """Check a tensor of some type against its value in double; `terms` are the products that each element adds up."""
    assert got.device.type == "musa"
    unit = torch.finfo(got.dtype).eps
    spread = max(1.0, float(wanted.abs().max()))
    limit = unit * spread + terms**0.5 * torch.finfo(torch.float32).eps * spread * 4
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=2 * unit, atol=limit)


def check_eight_bits() -> None:
    """Every size of block, whole and partial ones."""
    table = functional.create_dynamic_map().double()
    for dtype, (count, block) in product(TYPES, ((4096, 4096), (1000, 64), (5000, 256), (3, 128), (2500, 1024))):
        numbers = torch.randn(count).to(dtype)
        codes, state = functional.quantize_blockwise(numbers.musa(), blocksize=block)
        assert_nearest(numbers, codes, state.absmax, table, block)
        wanted = meant(codes, state.absmax, table, block)
        assert_rounded(functional.dequantize_blockwise(codes, state), wanted)


def check_four_bits() -> None:
    for dtype, kind, block in product(TYPES, ("nf4", "fp4"), (32, 64, 128, 512, 4096)):
        numbers = torch.randn(36, 64).to(dtype)
        packed, state = functional.quantize_4bit(numbers.musa(), blocksize=block, quant_type=kind)
        codes = unpacked(packed, numbers.numel())
        assert_nearest(numbers, codes, state.absmax, TABLES[kind], block)
        wanted = meant(codes, state.absmax, TABLES[kind], block).view(numbers.shape)
        assert_rounded(functional.dequantize_4bit(packed, state), wanted)


def check_compressed_scales() -> None:
    """Scales that are quantised as well."""
    numbers = torch.randn(128, 256)
    packed, state = functional.quantize_4bit(numbers.musa(), blocksize=64, quant_type="nf4", compress_statistics=True)
    scales = meant(state.absmax, state.state2.absmax, state.state2.code.cpu().double(), 256) + float(state.offset)
    wanted = meant(unpacked(packed, numbers.numel()), scales, TABLES["nf4"], 64).view(numbers.shape)
    assert_rounded(functional.dequantize_4bit(packed, state), wanted)


def weight_of_four_bits(
    rows: int, columns: int, dtype: torch.dtype, kind: str, block: int
) -> tuple[torch.Tensor, functional.QuantState, torch.Tensor]:
    """A packed weight, its state, and its numbers."""
    weight = torch.randn(rows, columns).to(dtype)
    packed, state = functional.quantize_4bit(weight.musa(), blocksize=block, quant_type=kind)
    numbers = meant(unpacked(packed, weight.numel()), state.absmax, TABLES[kind], block).view(rows, columns)
    return packed, state, numbers.to(dtype).double()


def check_product_of_a_vector() -> None:
    for dtype, kind, (rows, columns, block) in product(TYPES, TABLES, ((64, 256, 64), (37, 128, 32), (130, 512, 128))):
        packed, state, weight = weight_of_four_bits(rows, columns, dtype, kind, block)
        vector = torch.randn(1, 1, columns).to(dtype)
        got = functional.gemv_4bit(vector.musa(), packed.t(), state=state)
        assert_rounded(got, vector.double() @ weight.t(), columns)


def check_products() -> None:
    """The kernels with and without tensor cores, by the number of rows; with bias."""
    for dtype, kind, (length, rows, columns, block) in product(
        TYPES, TABLES, ((1, 64, 256, 64), (4, 96, 128, 64), (17, 128, 256, 64), (70, 160, 192, 32))
    ):
        packed, state, weight = weight_of_four_bits(rows, columns, dtype, kind, block)
        left, bias = torch.randn(length, columns).to(dtype), torch.randn(rows).to(dtype)
        wanted = left.double() @ weight.t() + bias.double()
        for given, right in ((bias.musa(), wanted), (None, wanted - bias.double())):
            got = torch.ops.bitsandbytes.gemm_4bit(left.musa(), packed, state.shape, state.absmax, block, kind, given)
            assert_rounded(got, right, columns)
            # The package takes its own kernels for some shapes; this calls them for all.
            own = bnb.backends.cuda.ops._gemm_4bit_kernel_impl(
                left.musa(), packed, state.shape, state.absmax, block, kind, given
            )
            assert_rounded(own, right, columns)


def check_linear_of_four_bits() -> None:
    """Forward, and the gradient of the input."""
    for dtype, kind in product(HALF_TYPES, TABLES):
        layer = bnb.nn.Linear4bit(
            128, 96, bias=True, compute_dtype=dtype, compress_statistics=False, quant_type=kind
        ).to(dtype)
        bias = layer.bias.detach().double()
        layer = layer.musa()
        state = layer.weight.quant_state
        codes = unpacked(layer.weight.data, 128 * 96)
        weight = meant(codes, state.absmax, TABLES[kind], state.blocksize).view(96, 128).to(dtype).double()
        inputs, gradient = torch.randn(5, 128).to(dtype), torch.randn(5, 96).to(dtype)
        on_musa = inputs.musa().requires_grad_()
        result = layer(on_musa)
        assert_rounded(result.detach(), inputs.double() @ weight.t() + bias, 128)
        result.backward(gradient.musa())
        assert on_musa.grad is not None
        assert_rounded(on_musa.grad, gradient.double() @ weight, 96)


def check_integers_of_eight_bits() -> None:
    for length, rows, columns in ((1, 16, 32), (33, 48, 64), (70, 24, 128), (5, 8, 30)):
        left = torch.randint(-127, 128, (length, columns), dtype=torch.int8)
        right = torch.randint(-127, 128, (rows, columns), dtype=torch.int8)
        got = functional.int8_linear_matmul(left.musa(), right.musa())
        assert got.device.type == "musa"
        assert torch.equal(got.cpu().long(), left.long() @ right.long().t())
        scales = torch.rand(length) + 0.5, torch.rand(rows) + 0.5
        bias = torch.randn(rows).half()
        numbers = functional.int8_mm_dequant(got, scales[0].musa(), scales[1].musa(), bias=bias.musa())
        scaled = got.cpu().double() * scales[0].double()[:, None] * scales[1].double() / 127**2 + bias.double()
        assert_rounded(numbers, scaled)


def check_rows_of_eight_bits() -> None:
    for shape, threshold in (((7, 64), 0.0), ((40, 1000), 0.0), ((9, 256), 2.5)):
        numbers = torch.randn(shape).half()
        got, scales, outliers = functional.int8_vectorwise_quant(numbers.musa(), threshold=threshold)
        exact = numbers.double()
        hidden = exact.abs() >= threshold if threshold else torch.zeros(shape, dtype=torch.bool)
        largest = exact.masked_fill(hidden, 0).abs().amax(dim=1)
        torch.testing.assert_close(scales.cpu().double(), largest)
        columns = hidden.any(dim=0)
        wanted = (exact * 127 / largest[:, None]).masked_fill(hidden | columns, 0)
        assert float((got.cpu().double() - wanted).abs().max()) <= 0.5 + 1e-4
        if threshold:
            assert torch.equal(outliers.cpu(), columns.nonzero().flatten())


def check_linear_of_eight_bits() -> None:
    """Forward and the gradient of the input, with and without columns of outliers."""
    for threshold in (0.0, 3.0):
        layer = bnb.nn.Linear8bitLt(64, 48, bias=True, has_fp16_weights=False, threshold=threshold).half()
        weight, bias = layer.weight.detach().double(), layer.bias.detach().double()
        layer = layer.musa()
        inputs, gradient = torch.randn(20, 64).half(), torch.randn(20, 48).half()
        inputs[3, 5] = 9
        on_musa = inputs.musa().requires_grad_()
        result = layer(on_musa)
        result.backward(gradient.musa())
        wanted = inputs.double() @ weight.t() + bias
        rounding = 0.02 * float((inputs.double().abs() @ weight.abs().t()).max())  # of both factors to 8 bits
        assert float((result.detach().cpu().double() - wanted).abs().max()) <= rounding
        assert on_musa.grad is not None
        wanted = gradient.double() @ weight
        assert float((on_musa.grad.cpu().double() - wanted).abs().max()) <= 0.02 * float(
            (gradient.double().abs() @ weight.abs()).max()
        )


def _lion(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int) -> tuple[torch.Tensor, ...]:
    return p - LR * torch.sign(m * B1 + g * (1 - B1)), m * B2 + g * (1 - B2), v


def _adam(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int) -> tuple[torch.Tensor, ...]:
    m, v = m * B1 + g * (1 - B1), v * B2 + g * g * (1 - B2)
    return p - LR * (m / (1 - B1**step)) / ((v / (1 - B2**step)).sqrt() + EPS), m, v


def _momentum(
    p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int
) -> tuple[torch.Tensor, ...]:
    m = g if step == 1 else m * B1 + g
    return p - LR * m, m, v


def _rmsprop(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int) -> tuple[torch.Tensor, ...]:
    m = m * B1 + g * g * (1 - B1)
    return p - LR * g / (m.sqrt() + EPS), m, v


def _adagrad(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int) -> tuple[torch.Tensor, ...]:
    m = m + g * g
    return p - LR * g / (m.sqrt() + EPS), m, v


Step = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int], "tuple[torch.Tensor, ...]"]
LR, B1, B2, EPS = 0.01, 0.9, 0.99, 1e-6
STEPS: dict[str, Step] = {
    "adam": _adam,
    "momentum": _momentum,
    "rmsprop": _rmsprop,
    "lion": _lion,
    "adagrad": _adagrad,
}
OF_SQUARES = ("rmsprop", "adagrad")  # their first state is never negative


def check_optimisers() -> None:
    """States of 32 bits, three steps; the types that each has kernels for."""
    for (name, formula), dtype, count in product(STEPS.items(), TYPES, (1000, 4097)):
        if dtype == torch.bfloat16 and name not in ("adam", "lion"):
            continue
        p = torch.randn(count).to(dtype)
        exact, states = p.double(), [torch.zeros(count, dtype=torch.double) for _ in range(2)]
        on_musa, own = p.musa(), [torch.zeros(count, device="musa") for _ in range(2)]
        for step in (1, 2, 3):
            g = torch.randn(count).to(dtype)
            functional.optimizer_update_32bit(
                name, g.musa(), on_musa, own[0], B1, EPS, step, LR, own[1] if name == "adam" else None, B2
            )
            exact, *states = formula(exact, g.double(), states[0], states[1], step)
            exact = exact if dtype == torch.float32 else on_musa.cpu().double() + (exact - on_musa.cpu().double())
        unit = torch.finfo(dtype).eps
        torch.testing.assert_close(on_musa.cpu().double(), exact, rtol=3 * unit, atol=6 * unit)
        for mine, wanted in zip(own, states):
            torch.testing.assert_close(mine.cpu().double(), wanted, rtol=1e-5, atol=1e-6)


def check_optimisers_of_eight_bits() -> None:
    """One step from states that are random codes; new states may be one code away."""
    signed, unsigned = functional.create_dynamic_map(signed=True), functional.create_dynamic_map(signed=False)
    for (name, formula), dtype, count in product(STEPS.items(), TYPES, (1024, 1500)):
        blocks = -(-count // BLOCK_OF_STATE)
        first = torch.randint(160 if name in OF_SQUARES else 0, 256, (count,), dtype=torch.uint8)
        second = torch.randint(100, 256, (count,), dtype=torch.uint8)
        scales = [torch.rand(blocks) + 0.5 for _ in range(2)]
        p, g = torch.randn(count).to(dtype), torch.randn(count).to(dtype)
        m = meant(first, scales[0], signed.double(), BLOCK_OF_STATE)
        v = meant(second, scales[1], unsigned.double(), BLOCK_OF_STATE)
        wanted, m, v = formula(p.double(), g.double(), m, v, 2)
        on_musa, codes, own = p.musa(), [first.musa(), second.musa()], [scale.musa() for scale in scales]
        maps = [signed.musa(), unsigned.musa()]
        has_second = name == "adam"
        functional.optimizer_update_8bit_blockwise(
            name, g.musa(), on_musa, codes[0], codes[1] if has_second else None, B1, B2, 0.0, 0.0, EPS, 2, LR,
            maps[0], maps[1] if has_second else None, own[0], own[1] if has_second else None,
        )  # fmt: skip
        unit = torch.finfo(dtype).eps
        torch.testing.assert_close(on_musa.cpu().double(), wanted, rtol=2 * unit, atol=2 * unit)
        for code, scale, table, state in list(zip(codes, own, (signed, unsigned), (m, v)))[: 1 + has_second]:
            rows = in_blocks(state, BLOCK_OF_STATE)
            torch.testing.assert_close(scale.cpu().double(), rows.abs().amax(dim=1), rtol=1e-5, atol=0)
            gaps = torch.nn.functional.pad((table[1:] - table[:-1]).double(), (1, 1))
            gap = torch.maximum(gaps[1:], gaps[:-1])[code.cpu().long()]
            gap = (in_blocks(gap, BLOCK_OF_STATE) * scale.cpu().double()[:, None]).flatten()[:count]
            got = meant(code, scale, table.double(), BLOCK_OF_STATE)
            assert bool(((got - state).abs() <= gap * 1.01).all()), name


if __name__ == "__main__":
    run_all()
