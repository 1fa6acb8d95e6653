"""Devices and streams that are current in a function, called as it is and compiled by the backend of the argument."""

import sys

import torch

backend = sys.argv[1]


@torch.library.custom_op("musa_tests::where", mutates_args=())
def where(x: torch.Tensor) -> torch.Tensor:
    print(torch.musa.current_device(), torch.musa.current_stream().stream_id != 0, end="; ")
    return x.clone()


where.register_fake(lambda x: torch.empty_like(x))
there = torch.musa.Stream(device="musa:1")


def function(x):
    with torch.musa.device(1):
        y, made = where(x), torch.ones(2, device="musa")
        with torch.musa.device("musa:0"):
            y = where(y)
        with torch.musa.stream(there):
            y = where(y)
        y = where(y)
    return where(y), made, torch.musa.current_device()


x = torch.ones(2, device="musa:0")
for f in (function, torch.compile(function, backend=backend, fullgraph=True)):
    for current in (0, 1):
        with torch.musa.device(current):
            _, made, at = f(x)
            print(made.device, at, torch.musa.current_device(), torch.musa.current_stream(1).stream_id)
