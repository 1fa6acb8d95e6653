# expect missing=none
"""Names of torch.cuda that scripts use, and that torch.musa of torch_musa 2.7.1 has."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa(device=False)
NAMES = (
    "Event", "ExternalStream", "MUSAGraph", "Stream", "StreamContext", "amp", "can_device_access_peer",
    "comm", "current_device", "current_stream", "default_generators", "default_stream", "device",
    "device_count", "device_of", "empty_cache", "get_arch_list", "get_device_capability", "get_device_name",
    "get_device_properties", "get_rng_state", "get_rng_state_all", "graph", "graph_pool_handle", "init",
    "initial_seed", "is_available", "is_bf16_supported", "is_initialized", "make_graphed_callables",
    "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "mccl", "mem_get_info",
    "memory_allocated", "memory_reserved", "memory_snapshot", "memory_stats", "memory_summary", "random",
    "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_per_process_memory_fraction",
    "set_rng_state", "set_rng_state_all", "set_stream", "stream", "synchronize",
)  # fmt: skip
fact("missing", " ".join(name for name in NAMES if not hasattr(torch.musa, name)) or "none")
