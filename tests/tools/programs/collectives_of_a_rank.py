"""Collectives and messages of one of two ranks, dumped."""

import sys

import torch
import torch.distributed as dist

from musa_tools.other_tools.msprobe import PrecisionDebugger

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=f"file://{sys.argv[2]}/meet", rank=rank, world_size=2)
debugger = PrecisionDebugger(dump_path=f"{sys.argv[2]}/dump", task="tensor")
debugger.start()
x = torch.full((3,), float(rank + 1))
dist.all_reduce(x)
y = [torch.zeros(3), torch.zeros(3)]
dist.all_gather(y, x * rank)
work = dist.broadcast(x, 0, async_op=True)
work.wait()
other = torch.ones(1)
if rank:
    dist.isend(x, 0).wait()
    dist.recv(other, 0)
else:
    sent = dist.isend(other, 1)
    dist.recv(x, 1)
    sent.wait()
debugger.stop()
assert x.tolist() == [3, 3, 3]
dist.destroy_process_group()
