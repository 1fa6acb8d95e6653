"""The package's Python: it asks for its device by name."""

DEVICE = "cuda"


def on_device(tensor):
    return tensor.is_cuda
