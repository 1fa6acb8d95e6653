import torch

x = torch.randn(20, 20, device="musa", requires_grad=True)
y = torch.sgn(x)
y.backward(torch.ones_like(y))
