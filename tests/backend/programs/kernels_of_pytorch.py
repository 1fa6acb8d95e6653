"""PyTorch's sum and softmax of many shapes, against the CPU's."""

import itertools
import sys

import torch

torch.ops.load_library(sys.argv[1])
torch.manual_seed(2026)
checked = 0


def check(got, wanted, what):
    global checked
    checked += 1
    assert torch.allclose(got.cpu(), wanted, rtol=1e-4, atol=1e-4), (what, got.cpu(), wanted)


vectors = [(1,), (33,), (100,), (1000,), (100003,)]
for shape in [*vectors, (33, 65), (65, 33), (64, 64), (7, 128), (300, 300), (3, 100, 70)]:
    x = torch.randn(shape)
    for count in range(1, len(shape) + 1):
        for dims in itertools.combinations(range(len(shape)), count):
            for data in (x, x.T.contiguous().T if x.dim() == 2 else x):
                wanted = data.double().sum(dims, keepdim=True).float()
                out = torch.full(wanted.shape, torch.nan, device="musa")
                torch.ops.musa_probe.launch_sum(data.musa(), out)
                check(out, wanted, (shape, dims))
for rows, columns in itertools.product((1, 40), (1, 7, 32, 33, 64, 65, 128, 129, 1024)):
    x = torch.randn(rows, columns)
    out = torch.full_like(x, torch.nan, device="musa")
    torch.ops.musa_probe.launch_softmax(x.musa(), out)
    check(out, x.softmax(1), (rows, columns))
print(checked)
