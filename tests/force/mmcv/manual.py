"""The examples of Moore Threads' manual, chapter 7, which end with the numbers that they must print."""

from __future__ import annotations

import mmcv.ops as ops
import torch
from table import OPERATORS

# Three quadrilaterals each, as corners (x, y) in turn.
FIRST = [[1, 1, 3, 4, 4, 4, 4, 1], [2, 2, 3, 4, 4, 2, 3, 1], [7, 7, 8, 8, 9, 7, 8, 6]]
SECOND = [[0, 0, 0, 2, 2, 2, 2, 0], [2, 1, 2, 4, 4, 4, 4, 1], [7, 6, 7, 8, 9, 8, 9, 6]]
OVERLAPS = {
    "iou": [[0.0714, 1, 0], [0, 0.5, 0], [0, 0, 0.5]],
    "iof": [[0.1111, 1, 0], [0, 1, 0], [0, 0, 1]],
}


@OPERATORS("nms (manual)", "the numbers in the manual")
def _(dtype: str) -> None:
    boxes = torch.tensor([[6.0, 3, 8, 7], [3, 6, 9, 11], [3, 7, 10, 12], [1, 4, 13, 7]])
    scores = torch.tensor([0.6, 0.9, 0.7, 0.2])
    found, indices = ops.nms(boxes.musa(), scores.musa(), iou_threshold=0.3, offset=0)
    assert found.device.type == "musa"
    wanted = torch.tensor([[3.0, 6, 9, 11, 0.9], [6, 3, 8, 7, 0.6], [1, 4, 13, 7, 0.2]])
    torch.testing.assert_close(found.cpu(), wanted, rtol=0, atol=0)
    assert indices.tolist() == [1, 0, 3]


@OPERATORS("box_iou_quadri (manual)", "the numbers in the manual")
def _(dtype: str) -> None:
    first, second = torch.tensor(FIRST).float().musa(), torch.tensor(SECOND).float().musa()
    for mode, numbers in OVERLAPS.items():
        wanted = torch.tensor(numbers)
        torch.testing.assert_close(ops.box_iou_quadri(first, second, mode=mode).cpu(), wanted, rtol=1e-5, atol=1e-4)
        aligned = ops.box_iou_quadri(first, second, mode=mode, aligned=True)
        torch.testing.assert_close(aligned.cpu(), wanted.diagonal(), rtol=1e-5, atol=1e-4)
