"""Operators on sparse tensors: against the dense ones, looked at where the sparse result has points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mmcv.ops as ops
import torch
import torch.nn.functional as functional
from mmcv import _ext
from mmcv.ops import sparse_ops
from mmcv.ops.sparse_conv import SubMConv4d
from precision import ALL, agree
from table import OPERATORS
from torch import Tensor
from twins import distinct

DENSE = "the dense operator"
HALVES = "float16 float32"  # others are refused by mmcv's Python side
SPACE = (6, 6, 8)


def scene(channels: int = 3, space: tuple[int, ...] = SPACE) -> tuple[Tensor, Tensor]:
    """Features (n, channels), positive and distinct, and the points (n, 1 + dimensions) that they are at."""
    cells = (torch.rand(space) > 0.7).nonzero().int()
    points = torch.cat([torch.zeros(len(cells), 1, dtype=torch.int32), cells], 1)
    found = distinct(len(points), channels).detach()
    return (found - found.min() + 1 / 256).requires_grad_(), points


def dense(features: Tensor, points: Tensor, space: tuple[int, ...] = SPACE) -> Tensor:
    """(1, channels, *space), zero where there is no point."""
    empty = features.new_zeros(*space, features.shape[1])
    return empty.index_put(points[:, 1:].long().unbind(1), features).movedim(-1, 0)[None]


def kernel(weight: Tensor) -> Tensor:
    """mmcv's (*size, in, out) as PyTorch's (out, in, *size)."""
    return weight.movedim((-1, -2), (0, 1))


def weights(*shape: int) -> Tensor:
    return (torch.randn(*shape) * 0.3).requires_grad_()


def through(layer: Any, space: tuple[int, ...] = SPACE, with_grid: bool = False) -> Callable[..., Tensor]:
    """A function of features, points and the weight of `layer`: its dense result on the device.

    `with_grid` gives mmcv the room in which it looks up points, which it makes itself otherwise.
    """

    def on_device(features: Tensor, points: Tensor, *weight: Tensor) -> Tensor:
        grid = points.new_full((math.prod(space),), -1) if with_grid else None
        given = ops.SparseConvTensor(features, points, list(space), 1, grid)
        called = torch.func.functional_call(layer, {"weight": weight[0]} if weight else {}, (given,))
        result: Tensor = called.dense()
        return result

    return on_device


def where_points(result: Tensor, points: Tensor) -> Tensor:
    """`result` at the points alone, which is all that a submanifold convolution has."""
    mask = dense(torch.ones(len(points), 1), points, tuple(result.shape[2:]))
    return result * mask.to(result.dtype)


@OPERATORS("sparse_conv", DENSE, HALVES)
def _(dtype: str) -> None:
    layer = ops.SubMConv3d(3, 4, 3, padding=1, bias=False)
    for with_grid in (False, True):
        agree(
            dtype,
            lambda x, p, w: where_points(functional.conv3d(dense(x, p), kernel(w), padding=1), p),
            [*scene(), weights(3, 3, 3, 3, 4)],
            other_device=through(layer, with_grid=with_grid),
            near=1e-4,
        )


@OPERATORS("sparse_conv_strided", DENSE, HALVES)
def _(dtype: str) -> None:
    layer = ops.SparseConv3d(3, 4, 3, stride=2, padding=1, bias=False)
    for with_grid in (False, True):
        agree(
            dtype,
            lambda x, p, w: functional.conv3d(dense(x, p), kernel(w), stride=2, padding=1),
            [*scene(), weights(3, 3, 3, 3, 4)],
            other_device=through(layer, with_grid=with_grid),
            near=1e-4,
        )


@OPERATORS("sparse_conv_2d", DENSE, HALVES)
def _(dtype: str) -> None:
    layer, space = ops.SparseConv2d(3, 4, 3, stride=2, padding=1, bias=False), (9, 11)
    for with_grid in (False, True):
        agree(
            dtype,
            lambda x, p, w: functional.conv2d(dense(x, p, space), kernel(w), stride=2, padding=1),
            [*scene(space=space), weights(3, 3, 3, 4)],
            other_device=through(layer, space, with_grid),
            near=1e-4,
        )


@OPERATORS("sparse_conv_4d", DENSE, HALVES)
def _(dtype: str) -> None:
    """PyTorch has three dimensions: the first of four is a sum over three neighbours."""
    layer, space = SubMConv4d(2, 4, 3, padding=1, bias=False), (4, 3, 4, 5)

    def formula(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        padded = functional.pad(dense(x, p, space), (0, 0, 0, 0, 0, 0, 1, 1))
        slices = [
            sum(functional.conv3d(padded[:, :, at + k], kernel(w[k]), padding=1) for k in range(3))
            for at in range(space[0])
        ]
        return where_points(torch.stack(slices, 2), p)

    agree(dtype, formula, [*scene(2, space), weights(3, 3, 3, 3, 2, 4)], other_device=through(layer, space), near=1e-4)


@OPERATORS("sparse_conv_transposed", DENSE, HALVES)
def _(dtype: str) -> None:
    layer = ops.SparseConvTranspose3d(3, 4, 3, stride=2, padding=1, bias=False)
    agree(
        dtype,
        lambda x, p, w: functional.conv_transpose3d(dense(x, p), w.movedim((-2, -1), (0, 1)), stride=2, padding=1),
        [*scene(), weights(3, 3, 3, 3, 4)],
        other_device=through(layer),
        near=1e-4,
    )


@OPERATORS("sparse_conv_inverse", DENSE, HALVES)
def _(dtype: str) -> None:
    """A strided convolution and back to the points that it came from: the transposed one, looked at there."""
    down = ops.SparseConv3d(3, 4, 3, stride=2, padding=1, bias=False, indice_key="there").musa()
    up = ops.SparseInverseConv3d(4, 2, 3, indice_key="there", bias=False).musa()

    def formula(x: Tensor, p: Tensor, v: Tensor, w: Tensor) -> Tensor:
        small = functional.conv3d(dense(x, p), kernel(v), stride=2, padding=1)
        large = functional.conv_transpose3d(small, w.movedim((-2, -1), (0, 1)), None, 2, 1, (1, 1, 1))
        return where_points(large, p)

    def on_device(x: Tensor, p: Tensor, v: Tensor, w: Tensor) -> Tensor:
        small = torch.func.functional_call(down, {"weight": v}, (ops.SparseConvTensor(x, p, list(SPACE), 1),))
        result: Tensor = torch.func.functional_call(up, {"weight": w}, (small,)).dense()
        return result

    inputs = [*scene(), weights(3, 3, 3, 3, 4), weights(3, 3, 3, 4, 2)]
    agree(dtype, formula, inputs, other_device=on_device, near=1e-4)


def strided(x: Tensor, p: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Add the bias only to cells that one of the points reaches."""
    reach = functional.conv3d(dense(torch.ones_like(x), p), torch.ones_like(kernel(w)), stride=2, padding=1) > 0
    return functional.conv3d(dense(x, p), kernel(w), b, stride=2, padding=1) * reach


def submanifold(x: Tensor, p: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return where_points(functional.conv3d(dense(x, p), kernel(w), b, padding=1), p)


def fused(stride: int, space: tuple[int, ...]) -> Callable[..., Tensor]:
    """Convolution and bias in one. mmcv's Python side takes float16 only, so the extension itself is called."""

    def on_device(x: Tensor, p: Tensor, w: Tensor, b: Tensor) -> Tensor:
        subm = stride == 1
        cells, pairs, counts = sparse_ops.get_indice_pairs(p, 1, list(SPACE), 3, stride, 1, subm=subm)
        out = _ext.fused_indice_conv_forward(x, w, b, pairs, counts, len(cells), 0, int(subm))
        return dense(out, cells, space)

    return on_device


def fused_inputs() -> list[Tensor]:
    """Features, points, weight and bias; there is no backward kernel."""
    return [tensor.detach() for tensor in (*scene(), weights(3, 3, 3, 3, 4), weights(4))]


@OPERATORS("fused_sparse_conv", DENSE, ALL)
def _(dtype: str) -> None:
    agree(dtype, strided, fused_inputs(), other_device=fused(2, (3, 3, 4)))
    *inputs, bias = fused_inputs()
    agree(dtype, submanifold, [*inputs, bias * 0], other_device=fused(1, SPACE))


LOST = "mmcv writes the first product over the bias"


@OPERATORS("fused_sparse_conv (submanifold with bias)", DENSE, ALL, known=LOST)
def _(dtype: str) -> None:
    agree(dtype, submanifold, fused_inputs(), other_device=fused(1, SPACE))


@OPERATORS("sparse_maxpool", DENSE, HALVES)
def _(dtype: str) -> None:
    agree(
        dtype,
        lambda x, p: functional.max_pool3d(dense(x, p), 2, 2),
        [*scene()],
        other_device=through(ops.SparseMaxPool3d(2, 2)),
    )
