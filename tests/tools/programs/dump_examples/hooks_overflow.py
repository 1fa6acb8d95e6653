import torch
import torch.nn as nn
from torch_npu.hooks import register_hook, wrap_checkoverflow_hook

model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 5))
model.musa()
register_hook(model, wrap_checkoverflow_hook)
inputs = torch.randn(1, 3, 8, 8)
labels = torch.randint(5, (1,))
criterion = nn.CrossEntropyLoss()
inputs = inputs.musa()
labels = labels.musa()
output = model(inputs)
loss = criterion(output, labels)
loss.backward()
