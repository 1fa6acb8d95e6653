"""Observers hear of memory that is refused, before the error; what they raise is raised."""

import torch

seen = []
torch.musa._MUSAC._musa_attach_out_of_memory_observer(lambda *arguments: seen.append(arguments))
try:
    torch.empty(1 << 50, device="musa")
except torch.OutOfMemoryError:
    free, total = torch.musa.mem_get_info()
    assert seen == [(0, 4 << 50, total, free)], seen


def failing(*arguments):
    raise KeyError("from the observer")


torch.musa._MUSAC._musa_attach_out_of_memory_observer(failing)
try:
    torch.empty(1 << 50, device="musa")
except KeyError:
    print("raised")
torch.empty(8, device="musa")
