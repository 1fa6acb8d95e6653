"""PyTorch's own CUDA headers, ported for torch_musa."""
