import torch
from freqencoder import freq_encode

inputs = torch.randn(50, 3).to("musa:1").requires_grad_()
assert torch.musa.current_device() == 0
outputs = freq_encode(inputs, 1)
outputs.sum().backward()
assert outputs.device == inputs.grad.device == torch.device("musa:1") and torch.musa.current_device() == 0
x = inputs.detach().cpu()
torch.testing.assert_close(outputs.cpu(), torch.cat((x, x.sin(), x.cos()), -1))
torch.testing.assert_close(inputs.grad.cpu(), 1 + x.cos() - x.sin())
