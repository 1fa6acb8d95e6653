"""Destroy a graph while it runs; its memory is free once it has ended."""

import ctypes

import torch

runtime = ctypes.CDLL("libmusart.so.5")
x = torch.zeros(1000, device="musa")
graph = torch.musa.MUSAGraph(keep_graph=True)
with torch.musa.graph(graph):
    x.add_(1)
executable = ctypes.c_void_p()
raw = ctypes.c_void_p(graph.raw_musa_graph())
assert runtime.musaGraphInstantiate(ctypes.byref(executable), raw, ctypes.c_ulonglong(0)) == 0
before = torch.musa.mem_get_info()[0]
torch.musa._sleep(200_000_000)
assert runtime.musaGraphLaunch(executable, None) == 0
assert runtime.musaGraphExecDestroy(executable) == 0
graph.reset()
del x
torch.musa.synchronize()
print(torch.musa.mem_get_info()[0] - before)
