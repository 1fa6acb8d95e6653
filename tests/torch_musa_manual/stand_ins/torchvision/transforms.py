"""The transforms of the manual's programs: a tensor of bytes, colours first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

Step = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Compose:
    steps: Sequence[Step]

    def __call__(self, picture: torch.Tensor) -> torch.Tensor:
        for step in self.steps:
            picture = step(picture)
        return picture


class ToTensor:
    def __call__(self, picture: torch.Tensor) -> torch.Tensor:
        return picture.float() / 255


@dataclass(frozen=True)
class Normalize:
    mean: Sequence[float]
    std: Sequence[float]

    def __call__(self, picture: torch.Tensor) -> torch.Tensor:
        mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (self.mean, self.std))
        return (picture - mean) / std


@dataclass(frozen=True)
class Resize:
    size: int

    def __call__(self, picture: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(picture[None].float(), size=(self.size, self.size))[0].to(picture.dtype)


@dataclass(frozen=True)
class CenterCrop:
    size: int

    def __call__(self, picture: torch.Tensor) -> torch.Tensor:
        top, left = ((length - self.size) // 2 for length in picture.shape[-2:])
        return picture[..., top : top + self.size, left : left + self.size]
