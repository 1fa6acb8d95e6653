import torch
from torch._subclasses.fake_tensor import FakeTensorMode

torch.musa.set_device(1)
with FakeTensorMode():
    print(torch.empty(1, device="musa").device)
