"""optimum-quanto's kernels on `musa`: products with weights of 4 and 8 bits against double precision, and unpacking."""

from __future__ import annotations

from itertools import product

import torch
from comparing import run_all
from optimum.quanto import qfloat8_e4m3fn, qint4
from optimum.quanto.tensor import group
from optimum.quanto.tensor.packed import PackedTensor
from optimum.quanto.tensor.weights.awq import AWQWeightQBitsTensor
from optimum.quanto.tensor.weights.marlin import MarlinF8QBytesTensor
from optimum.quanto.tensor.weights.marlin.int4 import MarlinInt4WeightQBitsTensor
from optimum.quanto.tensor.weights.qbits import WeightQBitsTensor

GROUP = 128  # of the kernels for 4 bits


def assert_near(got: torch.Tensor, left: torch.Tensor, weight: torch.Tensor) -> None:
    """Check a product in 16 bits: products are added up in 32 bits, and the weight may be rounded to 16 before."""
    assert got.device.type == "musa" and got.dtype == left.dtype
    wanted = left.double() @ weight.t()
    unit = torch.finfo(left.dtype).eps
    size = (left.double() ** 2 @ weight.t() ** 2).sqrt()  # of the terms of each element
    error = (got.detach().cpu().double() - wanted).abs() / (unit * (2 * size + wanted.abs() + 1e-3))
    assert float(error.max()) < 1, float(error.max())


def weight_of_four_bits(rows: int, columns: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Random codes, with a scale and a shift for each group, and the weight that they mean."""
    codes = torch.randint(0, 16, (rows, columns), dtype=torch.uint8)
    scale = (torch.rand(rows * columns // GROUP, 1) * 0.1 + 0.01).half()
    shift = torch.rand(rows * columns // GROUP, 1).half()
    grouped = group(codes, axis=0, group_size=GROUP)
    weight = (grouped.double() * scale.double() - shift.double()).reshape(rows, columns)
    return grouped, scale, shift, weight


def check_products_of_four_bits() -> None:
    """Marlin's kernel for few rows, and AWQ's for many: docs/corpus.md has what other shapes give."""
    for (rows, columns), length in product(((128, 256), (512, 384)), (1, 5, 16, 33, 70)):
        codes, scale, shift, weight = weight_of_four_bits(rows, columns)
        size, left = torch.Size((rows, columns)), torch.randn(length, columns).half()
        kind = MarlinInt4WeightQBitsTensor if length <= 16 else AWQWeightQBitsTensor
        other = kind(qint4, 0, GROUP, size, (columns, 1), codes.musa(), scale.musa(), shift.musa())
        assert_near(torch.nn.functional.linear(left.musa(), other), left, weight)


def check_the_package_takes_its_kernel() -> None:
    """WeightQBitsTensor.create asks for the device, the version of CUDA and the compute capability."""
    codes, scale, shift, weight = weight_of_four_bits(128, 256)
    size = torch.Size((128, 256))
    made = WeightQBitsTensor.create(qint4, 0, GROUP, size, (256, 1), codes.musa(), scale.musa(), shift.musa())
    assert isinstance(made, AWQWeightQBitsTensor)
    back = made.dequantize().cpu().double()
    torch.testing.assert_close(back, weight, rtol=2e-3, atol=2e-3)


def check_products_of_eight_bits() -> None:
    """Marlin's kernel for float8."""
    for dtype, (rows, columns), length in product(
        (torch.float16, torch.bfloat16), ((128, 128), (256, 192), (64, 256)), (1, 17, 70)
    ):
        numbers = torch.randn(rows, columns).to(torch.float8_e4m3fn)
        scale = (torch.rand(rows, 1) + 0.5).to(dtype)
        other = MarlinF8QBytesTensor(
            qfloat8_e4m3fn, 0, torch.Size((rows, columns)), (columns, 1), numbers.musa(), scale.musa()
        )
        left = torch.randn(length, columns).to(dtype)
        weight = numbers.double() * scale.double()
        assert_near(torch.nn.functional.linear(left.musa(), other), left, weight)


def check_gradient_of_the_input() -> None:
    codes, scale, shift, weight = weight_of_four_bits(128, 256)
    given = (codes.musa(), scale.musa(), shift.musa())
    other = AWQWeightQBitsTensor(qint4, 0, GROUP, torch.Size((128, 256)), (256, 1), *given)
    left, gradient = torch.randn(9, 256).half(), torch.randn(9, 128).half()
    on_musa = left.musa().requires_grad_()
    torch.nn.functional.linear(on_musa, other).backward(gradient.musa())
    assert on_musa.grad is not None
    assert_near(on_musa.grad, gradient, weight.t())


def check_unpacking() -> None:
    for bits, shape in product((2, 4), ((16, 32), (64, 7))):
        codes = torch.randint(0, 2**bits, shape, dtype=torch.uint8)
        packed = PackedTensor.pack(codes, bits=bits)
        assert torch.equal(torch.ops.quanto.unpack(packed._data.musa(), bits).cpu()[: shape[0]], codes)


if __name__ == "__main__":
    run_all()
