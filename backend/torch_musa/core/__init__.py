"""The parts of torch.musa, one subject per module. They are put together in torch_musa/__init__.py."""
