# expect missing=none
"""Names of torch.cuda that torch_musa 2.7 lacked, under the names that we gave them."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa(device=False)
NAMES = (
    "set_sync_debug_mode",
    "get_sync_debug_mode",
    "get_gencode_flags",
    "current_solver_handle",
    "FloatStorage",
    "sparse",
)
fact("missing", " ".join(name for name in NAMES if not hasattr(torch.musa, name)) or "none")
