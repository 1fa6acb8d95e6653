"""Operators of mmcv on `musa` against mmcv's own code on the CPU, or against formulas where it has none."""

from __future__ import annotations

import torch  # before mmcv_slice, which needs its libraries

# isort: split
import mmcv_slice
from comparing import on_both, run_all, weights


def boxes(count: int, size: float = 60.0) -> torch.Tensor:
    """Rectangles (x1, y1, x2, y2) of at least one pixel, float32."""
    corners = torch.rand(count, 2) * size
    return torch.cat([corners, corners + 1 + torch.rand(count, 2) * size / 3], dim=1)


def check_nms() -> None:
    """Also the example of mmcv's documentation, which keeps three boxes."""
    for count in (1, 64, 300, 1000):
        on_both(lambda b, s: mmcv_slice.nms(b, s, 0.3, 0), [boxes(count), torch.randperm(count).float()])
    known = [[49.1, 32.4, 51.0, 35.9], [49.3, 32.9, 51.0, 35.3], [49.2, 31.8, 51.0, 35.4], [35.1, 11.5, 39.1, 15.7]]
    known += [[35.6, 11.8, 39.3, 14.2], [35.3, 11.5, 39.9, 14.5], [35.2, 11.7, 39.7, 15.7]]
    scores = torch.tensor([0.9, 0.9, 0.5, 0.5, 0.5, 0.4, 0.3])
    assert len(mmcv_slice.nms(torch.tensor(known).musa(), scores.musa(), 0.6, 0)) == 3


def check_roi_align() -> None:
    features = torch.randn(2, 5, 30, 40)
    rois = torch.cat([torch.randint(0, 2, (50, 1)).float(), boxes(50)], dim=1)
    for pool_mode in (0, 1):
        for aligned in (True, False):

            def forward_and_backward(
                x: torch.Tensor, r: torch.Tensor, mode: int = pool_mode, a: bool = aligned
            ) -> object:
                output, argmax_y, argmax_x = (x.new_zeros(50, 5, 7, 7) for _ in range(3))
                arguments = (7, 7, 0.5, 2, mode, a)
                mmcv_slice.roi_align_forward(x, r, output, argmax_y, argmax_x, *arguments)
                gradient = torch.zeros_like(x)
                mmcv_slice.roi_align_backward(weights(output), r, argmax_y, argmax_x, gradient, *arguments)
                return output, gradient

            on_both(forward_and_backward, [features, rois], rtol=1e-4, atol=1e-4)


def check_box_iou_rotated() -> None:
    one, two = (torch.cat([torch.rand(n, 2) * 20, torch.rand(n, 2) * 9 + 1, torch.randn(n, 1)], 1) for n in (70, 45))
    for mode in (0, 1):

        def overlaps(a: torch.Tensor, b: torch.Tensor, mode: int = mode) -> torch.Tensor:
            result = a.new_zeros(a.shape[0] * b.shape[0])
            mmcv_slice.box_iou_rotated(a, b, result, mode, False)
            return result

        on_both(overlaps, [one, two], rtol=1e-4, atol=1e-5)


def check_psamask() -> None:
    for kind in (0, 1):

        def forward_and_backward(x: torch.Tensor, kind: int = kind) -> object:
            output = x.new_zeros(2, 12 * 10, 12, 10)
            arguments = (kind, 2, 12, 10, 5, 7, 2, 3)
            mmcv_slice.psamask_forward(x, output, *arguments)
            gradient = torch.zeros_like(x)
            mmcv_slice.psamask_backward(weights(output), gradient, *arguments)
            return output, gradient

        on_both(forward_and_backward, [torch.randn(2, 35, 12, 10)])


def check_active_rotated_filter() -> None:
    indices = torch.stack([torch.randperm(9).reshape(3, 3) + 1 for _ in range(8 * 8)]).reshape(8, 8, 3, 3)

    def forward_and_backward(x: torch.Tensor, i: torch.Tensor) -> object:
        output = x.new_zeros(4 * 8, 6 * 8, 3, 3)
        mmcv_slice.active_rotated_filter_forward(x, i, output)
        gradient = torch.zeros_like(x)
        mmcv_slice.active_rotated_filter_backward(weights(output), i, gradient)
        return output, gradient

    on_both(forward_and_backward, [torch.randn(4, 6, 8, 3, 3), indices.permute(0, 2, 3, 1).int().contiguous()])


def check_modulated_deform_conv() -> None:
    x, kernel, bias = torch.randn(2, 4, 14, 17), torch.randn(6, 4, 3, 3), torch.randn(6)
    offset, mask = torch.randn(2, 2 * 2 * 9, 14, 17), torch.rand(2, 2 * 9, 14, 17)

    def forward_and_backward(*tensors: torch.Tensor) -> object:
        x, kernel, bias, offset, mask = tensors
        output, ones, columns = x.new_empty(2, 6, 14, 17), x.new_empty(0), x.new_empty(0)
        arguments = (3, 3, 1, 1, 1, 1, 1, 1, 1, 2, True)
        mmcv_slice.modulated_deform_conv_forward(x, kernel, bias, ones, offset, mask, output, columns, *arguments)
        gradients = [torch.zeros_like(tensor) for tensor in tensors]
        of_x, of_kernel, of_bias, of_offset, of_mask = gradients
        forward = (x, kernel, bias, ones, offset, mask, columns)
        backward = (of_x, of_kernel, of_bias, of_offset, of_mask, weights(output))
        mmcv_slice.modulated_deform_conv_backward(*forward, *backward, *arguments)
        return (output, *gradients)

    on_both(forward_and_backward, [x, kernel, bias, offset, mask], rtol=1e-3, atol=1e-3)


def check_sigmoid_focal_loss() -> None:
    """mmcv has no code for the CPU: the formula of Lin et al. (2017), and its gradient by automatic differentiation."""
    for dtype in (torch.float32, torch.float64):
        logits = torch.randn(37, 11, dtype=dtype, requires_grad=True)
        target, weight = torch.randint(0, 11, (37,)), torch.rand(11, dtype=dtype)
        p, positive = torch.sigmoid(logits), torch.nn.functional.one_hot(target, 11).bool()
        loss = torch.where(positive, -0.25 * (1 - p) ** 2 * torch.log(p), -0.75 * p**2 * torch.log(1 - p))
        loss = loss * weight[target][:, None]
        (slope,) = torch.autograd.grad(loss.sum(), logits)
        on_device = [tensor.detach().musa() for tensor in (logits, target, weight)]
        for call, wanted in (
            (mmcv_slice.sigmoid_focal_loss_forward, loss.detach()),
            (mmcv_slice.sigmoid_focal_loss_backward, slope),
        ):
            got = torch.zeros_like(on_device[0])
            call(*on_device, got, 2.0, 0.25)
            torch.testing.assert_close(got.cpu(), wanted, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    run_all()
