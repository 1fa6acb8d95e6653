import sys

import torch

torch.ops.load_library(sys.argv[1])
print(torch.musa.initial_seed())
torch.musa.manual_seed(8)
print(torch.ops.musa_dropout.dropout(torch.ones(5000, device="musa"), 0.5)[1].int().tolist())
