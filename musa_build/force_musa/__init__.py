"""FORCE_MUSA=1: build an unmodified CUDA package for PyTorch, for MUSA.

Python runs `import_hook` when it starts (musa_build_force.pth). All others are loaded when a build imports PyTorch.
"""
