# expect version=(2, 11, 4)
"""The value of torch.musa.mccl.version()."""

from torch_probe import fact, torch_with_musa, undecided

torch = torch_with_musa(device=False)
mccl = getattr(torch.musa, "mccl", None)
if mccl is None or not hasattr(mccl, "version"):
    undecided("torch.musa has no mccl.version")
fact("version", mccl.version())
