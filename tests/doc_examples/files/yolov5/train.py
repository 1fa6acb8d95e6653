import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, device=device).sum().item())
