import torch
import torch_musa
import torchvision.models as models

torch.backends.mudnn.allow_tf32 = True
model = models.resnet50().eval().to("musa")
model = model.to(memory_format=torch.channels_last)
x = torch.rand(2, 3, 64, 64, device="musa").to(memory_format=torch.channels_last)
y = model(x)
