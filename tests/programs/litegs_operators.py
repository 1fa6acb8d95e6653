"""The operators of LiteGS and of simple-knn against plain PyTorch in double precision on the CPU, forward and backward.

    python -m tests.programs.litegs_operators     # one line of JSON: each comparison, and what differed

Random small scenes. LiteGS blends in half precision, hence the tolerance of the rasterizer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from .comparisons import Case, print_differences

# isort: split
import litegs_fused  # type: ignore[import-not-found]  # after torch, whose libraries it needs
from simple_knn._C import distCUDA2  # type: ignore[import-not-found]

HALF, SINGLE = 2e-2, 2e-4
SIZES = (1, 37, 300)
TILES = ((8, 16), (12, 16), (16, 16), (8, 8))


def on_device(*tensors: Tensor) -> list[Tensor]:
    """Return float copies on the device."""
    return [tensor.detach().float().to("musa").contiguous() for tensor in tensors]


def check(got: Tensor, wanted: Tensor, tolerance: float = SINGLE) -> None:
    """Compare by the norm of the difference; raises AssertionError."""
    found, expected = got.detach().cpu().double(), wanted.detach().double()
    assert found.shape == expected.shape, f"shape {tuple(found.shape)}, not {tuple(expected.shape)}"
    assert found.isfinite().all(), "not finite"
    error = (found - expected).norm().item() / max(expected.norm().item(), 1e-6)
    assert error <= tolerance, f"relative error {error:.3g}"


def gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """Return random gradients of the outputs, and PyTorch's of the inputs."""
    given = [torch.randn_like(output) for output in outputs]
    return given, list(torch.autograd.grad(outputs, inputs, given))


def leaves(*tensors: Tensor) -> list[Tensor]:
    return [tensor.detach().double().requires_grad_() for tensor in tensors]


def rotation(q: Tensor) -> Tensor:
    """Return the matrices, [3, 3, points], of unit quaternions, [4, points], for row vectors."""
    r, x, y, z = q
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + r * z), 2 * (x * z - r * y)],
        [2 * (x * y - r * z), 1 - 2 * (x * x + z * z), 2 * (y * z + r * x)],
        [2 * (x * z + r * y), 2 * (y * z - r * x), 1 - 2 * (x * x + y * y)],
    ]
    return torch.stack([torch.stack(row) for row in rows])


def unit(points: int) -> Tensor:
    return torch.nn.functional.normalize(torch.randn(4, points, dtype=torch.float64), dim=0)


def view_of(params: Tensor) -> Tensor:
    """Return the view matrix, [1, 4, 4], of a quaternion and a translation."""
    top = torch.cat([rotation(params[0, :4].unsqueeze(1)).squeeze(-1), params.new_zeros(3, 1)], 1)
    return torch.cat([top, torch.cat([params[0, 4:], params.new_ones(1)])[None]])[None]


def projection_of(scale: Tensor, height: int, width: int, near: float, far: float) -> Tensor:
    rows = scale.new_zeros(4, 4)
    rows[2, 2], rows[2, 3], rows[3, 2] = far / (far - near), 1, -far * near / (far - near)
    at_00 = torch.zeros(4, 4, dtype=torch.float64)
    at_00[0, 0], at_00[1, 1] = 1, width / height
    return (rows + scale[0] * at_00)[None]


def camera(height: int, width: int) -> tuple[Tensor, Tensor]:
    """Return view and projection of a camera that looks at points near (0, 0, 4)."""
    params = torch.tensor([[1, 0.02, -0.03, 0.01, 0.1, -0.1, 0.05]], dtype=torch.float64)
    params[:, :4] = torch.nn.functional.normalize(params[:, :4], dim=1)
    return view_of(params), projection_of(torch.tensor([1.2], dtype=torch.float64), height, width, 0.1, 100.0)


def cloud(points: int) -> Tensor:
    """Return homogeneous positions, [4, points], in front of the camera."""
    position = torch.randn(4, points, dtype=torch.float64)
    position[2] = 4 + 0.5 * position[2].clamp(-3, 3)
    position[3] = 1
    return position


def project(position: Tensor, view: Tensor, projection: Tensor) -> tuple[Tensor, Tensor]:
    in_view = (position.t() @ view).transpose(1, 2)
    homogeneous = (in_view.transpose(1, 2) @ projection).transpose(1, 2)
    return in_view, homogeneous / homogeneous[:, 3:]


def harmonics(degree: int, sh: Tensor, dirs: Tensor) -> Tensor:
    """Return the colours of real spherical harmonics up to degree 3, in the order and with the signs of 3DGS."""
    x, y, z = dirs[:, 0:1], dirs[:, 1:2], dirs[:, 2:3]
    basis = [torch.full_like(x, math.sqrt(1 / (4 * math.pi)))]
    if degree > 0:
        one = math.sqrt(3 / (4 * math.pi))
        basis += [-one * y, one * z, -one * x]
    if degree > 1:
        two = math.sqrt(15 / (4 * math.pi))
        basis += [two * x * y, -two * y * z, math.sqrt(5 / (16 * math.pi)) * (2 * z * z - x * x - y * y)]
        basis += [-two * x * z, two / 2 * (x * x - y * y)]
    if degree > 2:
        a, b, c = (math.sqrt(v / math.pi) for v in (35 / 32, 105 / 4, 21 / 32))
        basis += [-a * y * (3 * x * x - y * y), b * x * y * z, -c * y * (4 * z * z - x * x - y * y)]
        basis += [math.sqrt(7 / (16 * math.pi)) * z * (2 * z * z - 3 * x * x - 3 * y * y)]
        basis += [-c * x * (4 * z * z - x * x - y * y), b / 2 * z * (x * x - y * y), -a * x * (x * x - 3 * y * y)]
    return sum((value * sh[i] for i, value in enumerate(basis)), torch.zeros_like(sh[0])) + 0.5


def transform_matrix(points: int) -> None:
    q, scale = leaves(unit(points), torch.rand(3, points) + 0.1)
    wanted = rotation(q) * scale.unsqueeze(1)
    (grad,), wanted_grads = gradients([wanted], [q, scale])
    device_q, device_scale, device_grad = on_device(q, scale, grad)
    check(litegs_fused.createTransformMatrix_forward(device_q, device_scale, None), wanted)
    got = litegs_fused.createTransformMatrix_backward(device_grad, device_q, device_scale, None)
    for each, expected in zip(got, wanted_grads):
        check(each, expected)


def jacobian(in_view: Tensor, projection: Tensor, height: int, width: int) -> Tensor:
    x, y, z = in_view[:, 0], in_view[:, 1], in_view[:, 2]
    x_most, y_most = (1.3 * z / projection[:, i, i, None] for i in (0, 1))
    x, y = torch.minimum(x, x_most).maximum(-x_most), torch.minimum(y, y_most).maximum(-y_most)
    focal_x, focal_y = projection[:, 0, 0, None] * width / 2, projection[:, 1, 1, None] * height / 2
    result = in_view.new_zeros(in_view.shape[0], 3, 3, in_view.shape[2])
    result[:, 0, 0], result[:, 1, 1] = focal_x / z, focal_y / z
    result[:, 2, 0], result[:, 2, 1] = -focal_x * x / z**2, -focal_y * y / z**2
    return result


def ray_space(points: int) -> None:
    view, projection = camera(48, 80)
    in_view, _ = project(cloud(points), view, projection)
    got = litegs_fused.jacobianRayspace(*on_device(in_view, projection), 48, 80, None)
    check(got, jacobian(in_view, projection, 48, 80))


def positions(points: int) -> None:
    view, projection = camera(48, 80)
    (position,) = leaves(cloud(points))
    in_view, ndc = project(position, view, projection)
    given, (wanted,) = gradients([in_view, ndc[:, :3]], [position])
    device = on_device(position, view, projection)
    got_view, got_ndc = litegs_fused.mvp_transform_forward(*device, None)
    check(got_view, in_view)
    check(got_ndc[:, :3], ndc[:, :3])
    of_ndc = torch.cat([given[1], torch.zeros_like(given[1][:, :1])], 1)
    on = on_device(of_ndc, given[0])
    check(litegs_fused.mvp_transform_backward(*on, *device[1:], got_view, None), wanted)


def world_to_ndc(points: int) -> None:
    view, projection = camera(48, 80)
    (position,) = leaves(cloud(points))
    _, ndc = project(position, view, projection)
    (grad,), (wanted,) = gradients([ndc[:, :3]], [position])
    device, matrix = on_device(position, view @ projection)
    got, reciprocal = litegs_fused.world2ndc_forward(device, matrix)
    check(got[:, :3], ndc[:, :3])
    (padded,) = on_device(torch.cat([grad, torch.zeros_like(grad[:, :1])], 1))
    check(litegs_fused.world2ndc_backword(matrix, got, reciprocal, padded)[:3], wanted[:3])


def covariance(matrix: Tensor, of_rays: Tensor, view: Tensor) -> Tensor:
    """Return (M V J)^T (M V J) with the low-pass filter, [views, 2, 2, points]."""
    product = torch.einsum("ijp,vjk,vklp->vilp", matrix, view[:, :3, :3], of_rays[:, :, :2])
    return torch.einsum("vkip,vkjp->vijp", product, product) + 0.3 * torch.eye(2, dtype=torch.float64)[None, ..., None]


def covariances(points: int) -> None:
    view, projection = camera(48, 80)
    in_view, _ = project(cloud(points), view, projection)
    (matrix,) = leaves(rotation(unit(points)) * (torch.rand(3, 1, points) * 0.3 + 0.05))
    of_rays = jacobian(in_view, projection, 48, 80)
    wanted = covariance(matrix, of_rays, view)
    symmetric = torch.randn_like(wanted)
    symmetric = symmetric + symmetric.transpose(1, 2)
    (wanted_grad,) = torch.autograd.grad([wanted], [matrix], [symmetric])
    device = on_device(of_rays, view, matrix)
    check(litegs_fused.createCov2dDirectly_forward(*device, None), wanted)
    check(litegs_fused.createCov2dDirectly_backward(*on_device(symmetric), *device, None), wanted_grad)


def eigenvalues(points: int) -> None:
    half = torch.randn(1, 2, 2, points, dtype=torch.float64)
    (matrix,) = leaves(torch.einsum("vkip,vkjp->vijp", half, half) + 0.3 * torch.eye(2)[None, ..., None])
    rows = matrix.permute(0, 3, 1, 2)
    inverse = torch.linalg.inv(rows).permute(0, 2, 3, 1)
    (grad,), (wanted,) = gradients([inverse], [matrix])
    (device,) = on_device(matrix)
    values, vectors, got = litegs_fused.eigh_and_inv_2x2matrix_forward(device, None)
    check(got, inverse, 1e-3)
    check(values, torch.linalg.eigvalsh(rows).permute(0, 2, 1))
    rebuilt = torch.einsum("vikp,vkp,vjkp->vijp", *(each.cpu().double() for each in (vectors, values, vectors)))
    check(rebuilt, matrix, 1e-3)
    check(litegs_fused.inv_2x2matrix_backward(got, *on_device(grad), None), wanted, 1e-3)


def colours(points: int, degree: int) -> None:
    base, rest, dirs = leaves(torch.randn(1, 3, points), torch.randn(15, 3, points), torch.randn(1, 3, points))
    dirs = torch.nn.functional.normalize(dirs, dim=1).detach().requires_grad_()
    wanted = harmonics(degree, torch.cat([base, rest]), dirs)
    device_base, device_rest, device_dirs = on_device(base, rest, dirs)
    check(litegs_fused.sh2rgb_forward(degree, device_base, device_rest, device_dirs), wanted)
    grad = torch.randn_like(wanted)
    expected = torch.autograd.grad([wanted], [base, rest], [grad], allow_unused=True, materialize_grads=True)
    got = litegs_fused.sh2rgb_backward(degree, *on_device(grad), 15, device_dirs, device_base, device_rest)
    check(got[0], expected[0])
    check(got[1], expected[1])


def blend(ndc: Tensor, inverse: Tensor, colour: Tensor, opacity: Tensor, height: int, width: int) -> list[Tensor]:
    """Return the image and the transmittance of points that are sorted by depth, for one view."""
    x = ((ndc[0, 0] + 1) / 2 * width - 0.5)[:, None, None] - torch.arange(width)[None, None, :]
    y = ((ndc[0, 1] + 1) / 2 * height - 0.5)[:, None, None] - torch.arange(height)[None, :, None]
    a, b, c = (inverse[0, i, j][:, None, None] for i, j in ((0, 0), (0, 1), (1, 1)))
    alpha = opacity[0][:, None, None] * torch.exp(-0.5 * (a * x * x + 2 * b * x * y + c * y * y))
    alpha = torch.where(alpha >= 1 / 256, alpha.clamp(max=255 / 256), 0)
    left = torch.cumprod(1 - alpha, 0)
    before = torch.cat([torch.ones_like(left[:1]), left[:-1]])
    weight = torch.where(before > 1 / 8192, before * alpha, 0)
    return [torch.einsum("pyx,cp->cyx", weight, colour[0])[None], (1 - weight.sum(0))[None, None]]


def rasterizer(points: int, tile: tuple[int, int]) -> None:
    height, width = 48, 80
    view, projection = camera(height, width)
    position = cloud(points)
    in_view, ndc = project(position, view, projection)
    order = in_view[0, 2].argsort()
    in_view, ndc = in_view[..., order], ndc[..., order]
    # The last tile that has points has no end if it is not the image's last (tile_range_kernel), and stays empty.
    ndc[0, :2, -1] = 0.97
    matrix = rotation(unit(points)) * (torch.rand(3, 1, points) * 0.15 + 0.05)
    cov = covariance(matrix, jacobian(in_view, projection, height, width), view)
    inverse = torch.linalg.inv(cov.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
    inputs = leaves(ndc, inverse, torch.rand(1, 3, points), torch.rand(1, points) * 0.7 + 0.1)
    wanted = blend(*inputs, height, width)
    grad = torch.randn_like(wanted[0])
    expected = torch.autograd.grad([wanted[0]], inputs, [grad])

    shuffled = torch.randperm(points)
    back = shuffled.argsort()
    at_ndc, at_inverse, at_colour, at_opacity = on_device(*(each[..., shuffled] for each in inputs))
    (depth,) = on_device(in_view[:, 2, shuffled])
    sizes = litegs_fused.get_allocate_size(at_ndc, depth, at_inverse, at_opacity, height, width, *tile, None)[2]
    by_depth = depth.sort(dim=-1).indices
    ends = sizes.gather(1, by_depth).cumsum(1, dtype=torch.int32)
    tiles, ids = litegs_fused.create_table(
        at_ndc, at_inverse, at_opacity, ends, by_depth, None, None, height, width, *tile
    )
    starts = litegs_fused.tileRange(tiles, math.ceil(height / tile[0]) * math.ceil(width / tile[1]))
    got = litegs_fused.rasterize_forward(
        ids, starts, at_ndc, at_inverse, at_colour, at_opacity, None, height, width, *tile, False, True, False
    )
    image, transmittance, _, last, packed = got[:5]
    check(image[..., :height, :width], wanted[0].clamp(max=1), HALF)
    check(transmittance[..., :height, :width], wanted[1], HALF)
    padded = torch.zeros(image.shape, dtype=torch.float64)
    padded[..., :height, :width] = grad
    scale = padded.abs().max()
    found = litegs_fused.rasterize_backward(
        *(ids, starts, packed, None, transmittance.detach(), last, *on_device(padded / scale), None, None),
        *(*on_device(scale[None]), height, width, *tile, False),
    )
    check(found[0][:, :2, back], expected[0][:, :2], 5 * HALF)
    symmetric = (expected[1] + expected[1].transpose(1, 2)) / 2
    check(found[1][..., back], symmetric, 5 * HALF)
    check(found[2][..., back], expected[2], 2 * HALF)
    check(found[3][..., back], expected[3], 2 * HALF)


def cameras(height: int, width: int) -> None:
    params, scale = leaves(torch.cat([unit(1).t(), torch.randn(1, 3)], 1), torch.rand(1) + 0.5)
    unit_params = torch.cat([torch.nn.functional.normalize(params[:, :4], dim=1), params[:, 4:]], 1)
    view, projection = view_of(unit_params), projection_of(scale, height, width, 0.1, 50.0)
    both = view @ projection
    columns = both[0].t()
    planes = [columns[3] + columns[0], columns[3] - columns[0], columns[3] + columns[1], columns[3] - columns[1]]
    wanted = [view, projection, both, torch.stack([*planes, columns[2], columns[3] - columns[2]])[None]]
    device = on_device(params, scale)
    for got, each in zip(litegs_fused.create_viewproj_forward(*device, height, width, 0.1, 50.0), wanted):
        check(got, each)
    given, expected = gradients(wanted[:3], [params, scale])
    found = litegs_fused.create_viewproj_backward(*on_device(*given), *device, height, width, 0.1, 50.0)
    for got, each in zip(found, expected):
        check(got, each, 1e-3)


def culling() -> None:
    view, projection = camera(48, 80)
    columns = (view @ projection)[0].t()
    planes = [columns[3] + columns[0], columns[3] - columns[0], columns[3] + columns[1], columns[3] - columns[1]]
    frustum = torch.stack([*planes, columns[2], columns[3] - columns[2]])[None]
    origin, extent = torch.randn(3, 256, dtype=torch.float64) * 5, torch.rand(3, 256, dtype=torch.float64)
    reach = torch.einsum("npi,im->npm", frustum[..., :3], origin) + frustum[..., 3:]
    reach = reach + torch.einsum("npi,im->npm", frustum[..., :3].abs(), extent)
    wanted = (reach >= 0).all(1).any(0)
    visible, count, chunks = litegs_fused.frustum_culling_aabb(*on_device(origin, extent, frustum), None, None)
    assert torch.equal(visible.cpu(), wanted) and count.item() == wanted.sum().item(), "other chunks are visible"
    assert chunks.cpu().sort().values.tolist() == wanted.nonzero().flatten().tolist(), "other indices"


def activation(degree: int) -> None:
    chunks, size = 6, 32
    view, _ = camera(48, 80)
    shapes = ((3,), (3,), (4,), (1, 3), (15, 3), (1,))
    inputs = leaves(*(torch.randn(*shape, chunks, size) * 0.5 for shape in shapes))
    visible = torch.tensor([4, 0, 3])
    position, scale, quaternion, base, rest, opacity = (each[..., visible, :] for each in inputs)
    centre = -view[0, 3, :3] @ view[0, :3, :3].t()
    dirs = torch.nn.functional.normalize(position - centre[:, None, None], dim=0).detach()
    rgb = harmonics(degree, torch.cat([base, rest]).flatten(2), dirs.flatten(1)[None]).view(1, 3, 3, size)
    wanted = [
        torch.cat([position, torch.ones_like(position[:1])]),
        scale.exp(),
        torch.nn.functional.normalize(quaternion, dim=0),
        rgb,
        opacity.sigmoid(),
    ]
    given = [torch.randn_like(each) for each in wanted]
    expected = torch.autograd.grad(wanted, inputs, given, allow_unused=True, materialize_grads=True)
    device = [visible.musa(), torch.tensor([3], dtype=torch.int32).musa(), *on_device(view, *inputs)]
    for got, each in zip(litegs_fused.cull_compact_activate(degree, *device), wanted):
        check(got, each, 1e-3)
    found = litegs_fused.activate_backward(degree, *device, *on_device(*given))
    # LiteGS passes sigmoid(x) on as the opacity's derivative (compact.cu:952); that of sigmoid has a factor more.
    expected = (*expected[:5], expected[5] / (1 - inputs[5].sigmoid()).detach())
    for got, each in zip(found, expected):
        check(got, each[..., visible, :], 1e-3)


def adam(shape: tuple[int, ...]) -> None:
    values, moments, squares = torch.randn(shape), torch.randn(shape) * 0.1, torch.rand(shape)
    if len(shape) == 3:
        index, count = torch.tensor([2, 0]), torch.tensor([2], dtype=torch.int32).musa()
        grad = torch.randn(shape[0], 2, shape[2])
        dense = torch.zeros(shape)
        dense[:, index] = grad
        changed = torch.zeros(shape, dtype=torch.bool)
        changed[:, index] = True
    else:
        index, count = (torch.rand(shape[1]) < 0.5).long(), None
        grad = dense = torch.randn(shape)
        changed = index.bool().expand(shape)
    first, second = 0.9 * moments + 0.1 * dense, 0.99 * squares + 0.01 * dense**2
    stepped = values - 0.05 * first / (second.sqrt() + 1e-8)
    wanted = [torch.where(changed, new, old) for new, old in ((stepped, values), (first, moments), (second, squares))]
    device = on_device(values, grad, moments, squares)
    litegs_fused.adamUpdate(*device, index.musa(), count, 0.05, 0.9, 0.99, 1e-8)
    for got, each in zip((device[0], device[2], device[3]), wanted):
        check(got, each)


def scattering(operation: str, dtype: torch.dtype) -> None:
    into, of = (torch.randint(-50, 50, (2, 7, 32)).to(dtype), torch.randint(-50, 50, (2, 4, 32)).to(dtype))
    chunks = torch.tensor([6, 1, 3, 5])
    wanted = into.clone()
    function: dict[str, Any] = {"add": torch.add, "min": torch.minimum, "max": torch.maximum}
    wanted[:, chunks[:3]] = function[operation](into[:, chunks[:3]], of[:, :3])
    got, count = into.musa(), torch.tensor([3], dtype=torch.int32).musa()
    litegs_fused.gpu_driven_pipeline_sparse_op(got, of.musa(), chunks.musa(), count, operation)
    assert torch.equal(got.cpu(), wanted), "other values"


def neighbours(points: int) -> None:
    position = torch.rand(points, 3)
    distances = torch.cdist(position.double(), position.double()) ** 2 + torch.diag(torch.full((points,), math.inf))
    check(distCUDA2(position.musa()), distances.topk(3, largest=False).values.mean(1))


def cases() -> Iterator[Case]:
    """Yield each comparison with its name."""
    of_points = (transform_matrix, ray_space, positions, world_to_ndc, covariances, eigenvalues)
    for function in of_points:
        for points in SIZES:
            yield f"{function.__name__} {points}", partial(function, points)
    for degree in range(4):
        yield f"colours {degree}", partial(colours, 123, degree)
        yield f"activation {degree}", partial(activation, degree)
    for tile in TILES:
        for points in (12, 60):
            yield f"rasterizer {tile} {points}", partial(rasterizer, points, tile)
    for size in ((64, 64), (32, 96)):
        yield f"cameras {size}", partial(cameras, *size)
    yield "culling", culling
    for shape in ((3, 4, 32), (5, 70)):
        yield f"adam {shape}", partial(adam, shape)
    for operation in ("add", "min", "max"):
        for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
            yield f"scattering {operation} {dtype}", partial(scattering, operation, dtype)
    for points in (5, 700, 3000):
        yield f"neighbours {points}", partial(neighbours, points)


def main() -> None:
    """Compare, and print what differed ("" if nothing did) by the comparisons' names."""
    print_differences(cases())


if __name__ == "__main__":
    main()
