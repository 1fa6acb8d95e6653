"""Tensors that torch.multiprocessing sends: what the argument names."""

import sys

import torch
import torch.multiprocessing as multiprocessing


def double(inbox, outbox):
    tensor = inbox.get()
    tensor.mul_(2)
    torch.musa.synchronize()
    outbox.put((tensor.device.index, tuple(tensor.shape), tensor.is_contiguous(), tensor.requires_grad))
    del tensor
    inbox.get()


def send(outbox, done, count):
    for number in range(count):
        outbox.put(torch.full((3,), float(number), device="musa"))
    done.wait()


def start(context, target, *arguments):
    process = context.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def a_view_of_another_device(context):
    there, back = context.Queue(), context.Queue()
    whole = torch.arange(12.0, device="musa:1").reshape(3, 4)
    process = start(context, double, there, back)
    there.put(whole[:, 1:3])
    assert back.get(timeout=100) == (1, (3, 2), False, False)
    assert whole.tolist() == [[0, 2, 4, 3], [4, 10, 12, 7], [8, 18, 20, 11]]
    there.put(None)
    process.join(60)
    assert process.exitcode == 0
    assert (whole + 1).sum().item() == sum(map(sum, whole.tolist())) + 12


def tensors_of_a_child(context):
    back, done = context.Queue(), context.Event()
    process = start(context, send, back, done, 5)
    received = [back.get(timeout=100) for _ in range(5)]
    assert [tensor.tolist() for tensor in received] == [[float(number)] * 3 for number in range(5)]
    assert torch.stack(received).sum().item() == 30
    done.set()
    process.join(60)
    assert process.exitcode == 0


def to_itself(context):
    there = context.Queue()
    first = torch.ones(3, device="musa")
    alias = first[1:]
    for tensor in (first, alias, torch.empty(0, device="musa")):
        there.put(tensor)
    again, part, empty = (there.get(timeout=100) for _ in range(3))
    again.add_(1)
    assert first.tolist() == [2, 2, 2] == [*alias.tolist(), 2] == [*part.tolist(), 2]
    assert empty.shape == (0,) and empty.device == torch.device("musa:0")
    del first, alias, tensor
    again.add_(1)
    assert part.tolist() == [3, 3]


if __name__ == "__main__":
    globals()[sys.argv[1]](multiprocessing.get_context("spawn"))
