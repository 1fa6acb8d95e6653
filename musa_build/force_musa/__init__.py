"""FORCE_MUSA=1: an unmodified CUDA package of PyTorch's builds for MUSA.

`startup` is what Python runs at its start; the other rooms are loaded when a build imports PyTorch.
"""
