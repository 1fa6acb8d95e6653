import torch

f = torch.compile(lambda x: x + torch.musa.current_device(), backend="eager", fullgraph=True)
x = torch.zeros(1)
print(f(x).item(), end=" ")
torch.musa.set_device(1)
print(f(x).item())
