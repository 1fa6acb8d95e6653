"""torch.distributed's backend `mccl`: collectives on musa tensors, by libmccl.

`torch.distributed.init_process_group("mccl")` makes a process group. `init_process_group()` does so too, because mccl
is the device's default. The names are those of Moore Threads' package.
"""

from __future__ import annotations

import torch.distributed as dist


def register() -> None:
    """Register the backend with torch.distributed. A PyTorch that was built without it is left alone."""
    if not dist.is_available():
        return
    from torch_musa.distributed.process_group import ProcessGroupMCCL, create_process_group

    dist.Backend.register_backend("mccl", create_process_group, extended_api=True, devices=["musa"])
    dist.ProcessGroupMCCL = ProcessGroupMCCL  # type: ignore[attr-defined]  # torch_musa has it there
