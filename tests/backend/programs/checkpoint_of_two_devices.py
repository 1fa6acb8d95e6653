"""Gradients of a call on two devices, with dropout, and of its checkpoint, reentrant if the argument is True."""

import sys

import torch
from torch.nn.functional import dropout
from torch.utils.checkpoint import checkpoint

assert not torch.musa._initialized


def run(x, y):
    return (dropout(x, 0.5).to("musa:1") * dropout(y, 0.25)).sum()


def gradients(call):
    torch.manual_seed(5)
    x = torch.ones(300, device="musa:0", requires_grad=True)
    y = torch.ones(300, device="musa:1", requires_grad=True)
    call(x, y).backward()
    return x.grad.cpu(), y.grad.cpu()


wanted = gradients(run)
found = gradients(lambda x, y: checkpoint(run, x, y, use_reentrant=sys.argv[1] == "True"))
print(torch.equal(found[0], wanted[0]), torch.equal(found[1], wanted[1]))
