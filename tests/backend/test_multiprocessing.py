"""torch.multiprocessing with musa tensors: both processes see one memory."""

from __future__ import annotations

import pytest

from .conftest import RunPython

RECEIVER = """
import os, sys
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

def start(target, *arguments):
    process = context.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process

context = multiprocessing.get_context("spawn")
if __name__ == "__main__":
    there, back, done = context.Queue(), context.Queue(), context.Event()
"""


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            """
    whole = torch.arange(12.0, device="musa:1").reshape(3, 4)
    process = start(double, there, back)
    there.put(whole[:, 1:3])
    assert back.get(timeout=100) == (1, (3, 2), False, False)
    assert whole.tolist() == [[0, 2, 4, 3], [4, 10, 12, 7], [8, 18, 20, 11]]
    there.put(None)
    process.join(60)
    assert process.exitcode == 0
    assert (whole + 1).sum().item() == sum(map(sum, whole.tolist())) + 12
""",
            id="a view of another device",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            """
    process = start(send, back, done, 5)
    received = [back.get(timeout=100) for _ in range(5)]
    assert [tensor.tolist() for tensor in received] == [[float(number)] * 3 for number in range(5)]
    assert torch.stack(received).sum().item() == 30
    done.set()
    process.join(60)
    assert process.exitcode == 0
    del received
""",
            id="tensors of a child",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            """
    first = torch.ones(3, device="musa")
    alias = first[1:]
    there.put(first), there.put(alias), there.put(torch.empty(0, device="musa"))
    again, part, empty = (there.get(timeout=100) for _ in range(3))
    again.add_(1)
    assert first.tolist() == [2, 2, 2] == alias.tolist() + [2] == part.tolist() + [2]
    assert empty.shape == (0,) and empty.device == torch.device("musa:0")
    del first, alias
    again.add_(1)
    assert part.tolist() == [3, 3]
""",
            id="to itself",
        ),
    ],
)
def test_sent_tensors_are_the_senders(code: str, run_python: RunPython) -> None:
    script = (
        f"open('main.py', 'w').write({RECEIVER + code!r}); import runpy; runpy.run_path('main.py', run_name='__main__')"
    )
    done = run_python(script, MUSA_SIM_DEVICES="2")
    assert done.returncode == 0, done.stderr
