"""monai's Gaussian mixtures, compiled when they are used, on `musa` against the formulas in PyTorch on the CPU.

Images have 1024 elements: of more, 1.6.1's kernel leaves some out; for fewer, it writes past its scratch memory.
"""

from __future__ import annotations

import torch
from comparing import run_all
from monai.networks.layers.gmm import GaussianMixtureModel

EPSILON = 1e-5
Gaussian = tuple[float, torch.Tensor, torch.Tensor]


def statistics(features: torch.Tensor) -> Gaussian:
    """How many elements (rows), their mean, and their covariance."""
    mean = features.mean(0)
    covariance = features.T @ features / len(features) - torch.outer(mean, mean)
    return float(len(features)), mean, covariance + EPSILON * torch.eye(len(mean), dtype=mean.dtype)


def split(features: torch.Tensor) -> torch.Tensor:
    """Which elements go to the new component: those beyond the mean, along the direction that the iteration finds."""
    _, mean, covariance = statistics(features)
    direction = torch.arange(1, len(mean) + 1, dtype=features.dtype)
    for _ in range(10):
        direction = covariance @ direction
        direction = direction / direction.max()
    return features @ direction > mean @ direction


def components(features: torch.Tensor, labels: torch.Tensor, mixtures: int, size: int) -> list[list[Gaussian]]:
    """Of each class, its components. The kernel never moves the first 32 elements."""
    found = []
    for mixture in range(mixtures):
        chosen = labels == mixture
        beyond = torch.zeros_like(chosen)
        if size == 2:
            beyond[chosen] = split(features[chosen])
            beyond[:32] = False
        parts = (chosen & ~beyond, chosen & beyond)[:size]
        found.append([statistics(features[part]) for part in parts])
    return found


def probabilities(features: torch.Tensor, found: list[list[Gaussian]]) -> torch.Tensor:
    """Of each class, how likely it is for each element."""
    densities = []
    for parts in found:
        total = sum(count for count, _, _ in parts)
        of_class = torch.zeros(len(features), dtype=features.dtype)
        for count, mean, covariance in parts:
            offset = features - mean
            distance = (offset @ torch.linalg.inv(covariance) * offset).sum(1)
            of_class += count / ((torch.det(covariance) + EPSILON).sqrt() * total) * (-0.5 * distance).exp()
        densities.append(of_class)
    together = torch.stack(densities)
    return together / together.sum(0)


def compare(channels: int, mixtures: int, size: int) -> None:
    labels = torch.arange(1024) % (mixtures + 1) - 1  # -1: not labelled
    labels = labels[torch.randperm(1024)]
    features = torch.randn(1024, channels) + labels[:, None] * 2.0
    model = GaussianMixtureModel(channels, mixtures, size)
    image = features.T.reshape(1, channels, 32, 32).contiguous()
    model.learn(image.musa(), labels.int().reshape(1, 1, 32, 32).contiguous().musa())
    found = components(features.double(), labels, mixtures, size)
    for count in (1024, 700, 3):
        asked = torch.randn(count, channels) * 1.5  # farther away, float32 ends: the kernel then says 0
        got = model.apply(asked.T.reshape(1, channels, count, 1).contiguous().musa())
        assert got.device.type == "musa" and got.shape == (1, mixtures, count, 1)
        wanted = probabilities(asked.double(), found).float()
        torch.testing.assert_close(got.cpu().reshape(mixtures, count), wanted, rtol=1e-2, atol=1e-3)


def check_one_gaussian_per_class() -> None:
    compare(3, 3, 1)


def check_two_gaussians_per_class() -> None:
    compare(2, 2, 2)


if __name__ == "__main__":
    run_all()
