# expect class=True
# expect is_high_priority_stream=True
"""Which options the process group takes."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa(device=False)
dist = torch.distributed

group = getattr(dist, "ProcessGroupMCCL", None)
options = getattr(group, "Options", None)
fact("class", options is not None)
fact("is_high_priority_stream", options is not None and hasattr(options(), "is_high_priority_stream"))
