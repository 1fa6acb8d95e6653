# expect all_reduce_sum=accepted
# expect band=refused
# expect bor=refused
# expect bxor=refused
# expect average_of_bool=refused
"""The reductions that the process group mccl refuses, with one rank. Two ranks on one device are not tried."""

import os
import socket

from torch_probe import fact, torch_with_musa, undecided

torch = torch_with_musa()
dist = torch.distributed

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")
try:
    dist.init_process_group("mccl")
except (RuntimeError, ValueError) as error:
    undecided(f"no process group mccl: {error}".splitlines()[0])


def tried(operation: object, dtype: object) -> str:
    """Return whether a reduction is accepted."""
    try:
        dist.all_reduce(torch.ones(4, device="musa", dtype=dtype), op=operation)
        torch.musa.synchronize()
    except (RuntimeError, ValueError, TypeError):
        return "refused"
    return "accepted"


fact("all_reduce_sum", tried(dist.ReduceOp.SUM, torch.float32))
fact("band", tried(dist.ReduceOp.BAND, torch.int32))
fact("bor", tried(dist.ReduceOp.BOR, torch.int32))
fact("bxor", tried(dist.ReduceOp.BXOR, torch.int32))
fact("average_of_bool", tried(dist.ReduceOp.AVG, torch.bool))
dist.destroy_process_group()
