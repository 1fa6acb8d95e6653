"""A network with a ResNet's parts: convolutions, batch norm, pooling, a residual connection, a linear layer."""

from __future__ import annotations

import enum

import torch
from torch import nn

CHANNELS, CLASSES = 4, 10


class ResNet50_Weights(enum.Enum):
    IMAGENET1K_V1 = "the same numbers in every process"


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(
            nn.Conv2d(3, CHANNELS, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(CHANNELS), nn.ReLU(inplace=True)
        )
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.residual = nn.Sequential(nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False), nn.BatchNorm2d(CHANNELS))
        self.average = nn.AdaptiveAvgPool2d(1)
        self.last = nn.Linear(CHANNELS, CLASSES)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.first(pictures))
        x = torch.relu(x + self.residual(x))
        return self.last(self.average(x).flatten(1))


def resnet50(weights: ResNet50_Weights | None = None) -> Network:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(50)
        return Network()
