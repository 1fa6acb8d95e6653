"""clic-inference-extensions on `musa` against PyTorch's operators in double precision on the CPU; forward alone."""

from __future__ import annotations

import importlib
from itertools import product

import torch
import torch.nn.functional as F
from comparing import run_all

clic = importlib.import_module("clic_inference_extensions._C")  # after torch: it needs PyTorch's libraries
TOLERANCES = {torch.float32: 2e-5, torch.float16: 1e-2}
SIZES = ((7, 9), (16, 24), (33, 40))  # rows of a number of elements that four divides, and not


def numbers(dtype: torch.dtype, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
    return [torch.randn(shape).mul(0.5).to(dtype) for shape in shapes]


def near(got: torch.Tensor, wanted: torch.Tensor) -> None:
    assert got.device.type == "musa" and got.dtype in TOLERANCES
    tolerance = TOLERANCES[got.dtype]
    scale = max(float(wanted.abs().max()), 1.0)
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=tolerance, atol=tolerance * scale)


def wsilu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(4 * x)


def by_channel(bias: torch.Tensor) -> torch.Tensor:
    return bias[None, :, None, None]


def block(x: torch.Tensor, given: list[torch.Tensor], shortcut: bool) -> torch.Tensor:
    """A block of a depthwise convolution and a network of two layers, before the last bias and shortcut."""
    w1, b1, wd, bd, w2, b2, f1, c1, f2, c2 = given
    t = F.conv2d(wsilu(F.conv2d(x, w1, b1)), wd, bd, padding=1, groups=wd.shape[0])
    t = F.conv2d(t, w2, b2) + x
    first, second = F.conv2d(t, f1, c1).chunk(2, 1)
    return F.conv2d(wsilu(first) + wsilu(second), f2, c2) + t + (x if shortcut else 0)


def check_depthwise_blocks() -> None:
    channels = 8
    shapes = [
        *((channels, channels, 1, 1), (channels,), (channels, 1, 3, 3), (channels,), (channels, channels, 1, 1)),
        *((channels,), (4 * channels, channels, 1, 1), (4 * channels,), (channels, 2 * channels, 1, 1), (channels,)),
    ]
    for dtype, size, shortcut in product(TOLERANCES, SIZES, (True, False)):
        x, to_cat, step, *given = numbers(dtype, (1, channels, *size), (1, 4, *size), (channels,), *shapes)
        wanted = block(x.double(), [each.double() for each in given], shortcut)
        proxy = clic.DepthConvProxy()
        proxy.set_param(*(each.musa() for each in given), shortcut)
        near(proxy.forward(x.musa()), wanted)
        stepped = proxy.forward_with_quant_step(x.musa(), step[None, :, None, None].musa())
        near(stepped, wanted * by_channel(step.double()))
        for first in (True, False):
            parts = (to_cat.double(), wanted) if first else (wanted, to_cat.double())
            near(proxy.forward_with_cat(x.musa(), to_cat.musa(), first), torch.cat(parts, 1))


def check_subpixels() -> None:
    for dtype, (rows, columns), padding in product(TOLERANCES, SIZES, (0, 1)):
        kernel = 2 * padding + 1
        shapes = ((1, 6, rows, columns), (20, 6, kernel, kernel), (20,), (1, 4, 2 * rows, 2 * columns))
        x, weight, bias, to_cat = numbers(dtype, *shapes)
        whole = F.conv2d(x.double(), weight.double(), bias.double(), padding=padding)
        wanted = F.pixel_shuffle(whole, 2)
        proxy = clic.SubpelConv2xProxy()
        proxy.set_param(weight.musa(), bias.musa(), padding)
        near(proxy.forward(x.musa()), wanted)
        near(proxy.forward_with_cat(x.musa(), to_cat.musa(), True), torch.cat((to_cat.double(), wanted), 1))
        x, bias = numbers(dtype, (1, 128, rows, columns), (128,))
        for clamp in (True, False):
            out = torch.empty(1, 2, 8 * rows, 8 * columns, dtype=dtype, device="musa")
            clic.bias_pixel_shuffle_8_cuda(out, x.musa(), bias.musa(), 128, rows * columns, columns, clamp)
            wanted = F.pixel_shuffle(x.double() + by_channel(bias.double()), 8)
            near(out, wanted.clamp(0, 1) if clamp else wanted)


def check_masks() -> None:
    """Residuals are compared where they are not half way between two integers."""
    for dtype, size, threshold in product(TOLERANCES, SIZES, (-1.0, 0.2)):
        shape = (1, 4, *size)
        y, means, scales = (4 * each for each in numbers(dtype, shape, shape, shape))
        mask = torch.randint(2, shape).to(dtype)
        got = clic.process_with_mask_cuda(*(each.musa() for each in (y, scales, means, mask)), threshold)
        scaled, centre = scales.double() * mask, means.double() * mask
        residual = ((y - means * mask) * mask).double()
        rounded = residual.round()
        if threshold > 0:
            rounded = rounded * (scaled > float(torch.tensor(threshold).to(dtype)))
        for one, other in zip(got, (residual, rounded, rounded + centre, scaled)):
            near(one, other)
        x, wide, mask = numbers(dtype, (1, 4, *size), (1, 16, *size), (1, 16, *size))
        out = torch.empty_like(x, device="musa")
        clic.combine_for_reading_2x_cuda(out[:, :2], *(each[:, :4].contiguous().musa() for each in (wide, mask)))
        near(out[:, :2], (wide[:, :4] * mask[:, :4]).double().unflatten(1, (2, 2)).sum(1))
        for parts, restore in ((2, clic.restore_y_2x_cuda), (4, clic.restore_y_4x_cuda)):
            means, chosen = wide[:, : 4 * parts].contiguous(), mask[:, : 4 * parts].contiguous()
            out = torch.empty_like(means, device="musa")
            restore(out, x.musa(), means.musa(), chosen.musa())
            near(out, (x.double().repeat(1, parts, 1, 1) + means.double()) * chosen.double())


def check_elements() -> None:
    for dtype, size in product(TOLERANCES, SIZES):
        shape = (1, 5, *size)
        x, y, q = numbers(dtype, shape, shape, shape)
        there = x.musa()
        clic.add_and_multiply_cuda(there, y.musa(), q.musa())
        near(there, (x.double() + y.double()) * q.double())
        divided, there = y.musa(), x.abs().musa()
        clamped = clic.clamp_reciprocal_with_quant_cuda(there, divided, 0.25)
        near(clamped, x.abs().double().clamp(min=0.25))
        near(divided, y.double() / x.abs().double().clamp(min=0.25))
        large = (200 * x).musa()
        bytes_ = clic.round_and_to_int8_cuda(large)
        wanted = (200 * x).double().round().clamp(-128, 127)
        near(large, wanted)
        assert torch.equal(bytes_.cpu().double(), wanted)
        padded = clic.replicate_pad_cuda(x.musa(), 3, 2)
        near(padded, F.pad(x.double(), (0, 2, 0, 3), mode="replicate"))


if __name__ == "__main__":
    run_all()
