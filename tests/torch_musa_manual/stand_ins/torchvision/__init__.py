"""A substitute for torchvision in the manual's programs: its names, with a small network and pictures made on the spot.

The real one would download weights and data sets, and its networks take minutes on a CPU.
"""

from torchvision import datasets, models, transforms

__all__ = ["datasets", "models", "transforms"]
