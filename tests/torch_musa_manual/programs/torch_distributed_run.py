import os
import torch
import torch.distributed as dist

LOCAL_RANK = int(os.getenv("LOCAL_RANK", -1))
assert torch.musa.device_count() > LOCAL_RANK, "insufficient MUSA devices for DDP command"
torch.musa.set_device(LOCAL_RANK)
device = torch.device("musa", LOCAL_RANK)
dist.init_process_group(backend="mccl")
x = torch.arange(3, device=device) * 10 + LOCAL_RANK
dist.all_reduce(x)
torch.save({"sum": x}, f"rank{dist.get_rank()}.pt")
dist.destroy_process_group()
