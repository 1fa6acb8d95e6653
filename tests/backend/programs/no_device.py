import torch

print(torch.musa.is_available(), torch.musa.device_count(), torch.ones(2).sum().item())
try:
    torch.ones(1, device="musa")
except RuntimeError as error:
    print(error)
