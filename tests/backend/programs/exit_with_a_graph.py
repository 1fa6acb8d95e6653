import torch

x = torch.zeros(1000, device="musa")
graph = torch.musa.MUSAGraph()
with torch.musa.graph(graph):
    y = x + 1
for _ in range(20):
    graph.replay()
print("done")
