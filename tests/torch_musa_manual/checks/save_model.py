"""Save a traced model on musa as model.pt in the working directory."""

import torch
import torch_musa  # noqa: F401
from torch.nn import Conv2d, Flatten, LazyLinear, ReLU

torch.manual_seed(1)
model = torch.nn.Sequential(Conv2d(3, 4, 7, stride=4), ReLU(), Flatten(), LazyLinear(5))
example = torch.rand(1, 3, 224, 224)
model(example)
torch.jit.trace(model.eval().to("musa"), example.to("musa"), check_trace=False).save("model.pt")
