import torch

p = torch.musa.get_device_properties()
print(p.major, p.minor, p.warp_size, torch.musa.get_device_capability("musa:0") == (p.major, p.minor))
print(torch.musa.is_bf16_supported(), torch.musa.get_arch_list(), torch.musa.get_device_name() == p.name)
assert p.total_memory > 2**30 and p.multi_processor_count > 0 and p.max_threads_per_block == 1024
