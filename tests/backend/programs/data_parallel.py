"""torch.nn.parallel.comm and torch.nn.DataParallel on three devices, against the same on one."""

import torch
from torch import nn
from torch.nn.parallel import comm

devices = [0, 1, 2]
torch.manual_seed(0)


def equal(found, wanted, device):
    assert found.device == torch.device("musa", device), found.device
    assert torch.equal(found.cpu(), wanted.cpu()), (found, wanted)


data = torch.randn(7, 4)
for source in (data, data.to("musa:1")):
    for piece, wanted, device in zip(comm.scatter(source, devices), data.chunk(3), devices):
        equal(piece, wanted, device)
pieces = comm.scatter(data, devices, chunk_sizes=[1, 4, 2], streams=[torch.musa.Stream(i) for i in devices])
torch.musa.synchronize(0), torch.musa.synchronize(1), torch.musa.synchronize(2)
for piece, wanted, device in zip(pieces, data.split([1, 4, 2]), devices):
    equal(piece, wanted, device)
equal(comm.gather(pieces, destination=2), data, 2)
assert torch.equal(comm.gather(pieces, destination="cpu"), data)
out = [torch.empty(3, 4, device="musa:0"), torch.empty(4, 4, device="musa:2")]
comm.scatter(data, out=out)
equal(out[1], data[3:], 2)
equal(comm.gather(out, out=torch.empty(7, 4, device="musa:1")), data, 1)
for copy, device in zip(comm.broadcast(data, devices), devices):
    equal(copy, data, device)
for copy in comm.broadcast(data, out=[torch.empty(7, 4, device="musa:1")]):
    equal(copy, data, 1)
at_home = [data.to("musa:0"), data[0].to("musa:0")]
copies = comm.broadcast_coalesced(at_home, devices)
equal(copies[2][1], data[0], 2)
equal(comm.reduce_add([data.to(f"musa:{i}") for i in devices], 1), data * 3, 1)
(summed,) = comm.reduce_add_coalesced([[data.to(f"musa:{i}")] for i in devices], 0)
equal(summed, data * 3, 0)
for wrong in (
    lambda: comm.scatter(data, devices, chunk_sizes=[1, 1, 1]),
    lambda: comm.broadcast_coalesced(at_home, [1, 0]),
):
    try:
        wrong()
    except RuntimeError as error:
        assert "sum 7" in str(error) or "devices[0]" in str(error), error
    else:
        raise AssertionError("no error")


def make():
    torch.manual_seed(1)
    layers = nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0), nn.Linear(8, 2)
    return nn.Sequential(*layers).to("musa").eval()


alone, parallel = make(), nn.DataParallel(make(), device_ids=devices)
inputs = torch.randn(10, 4, device="musa")
wanted, found = alone(inputs), parallel(inputs)
torch.testing.assert_close(found, wanted)
assert found.device == torch.device("musa", 0)
wanted.square().sum().backward()
found.square().sum().backward()
for mine, other in zip(parallel.module.parameters(), alone.parameters()):
    torch.testing.assert_close(mine.grad, other.grad)
parallel.train()
parallel(inputs).sum().backward()
print("parallel")
