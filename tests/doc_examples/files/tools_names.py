"""The names that the examples of docs/tools.md use: the model of write_dumps.py, on a device where addmm goes wrong."""

import torch
from torch.nn.functional import mse_loss as criterion

from musa_tools.compare_tool import compare_for_single_op, nan_inf_track_for_single_op

torch.manual_seed(1)
model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(4)]).to("musa")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [torch.ones(2, 4, device="musa") for _ in range(2)]
batch = batches[0]
loader = [(batch, torch.zeros(2, 4, device="musa")) for batch in batches]


def wrong_addmm(bias, first, second, *, beta=1, alpha=1):
    return torch.full((first.shape[0], second.shape[1]), float("nan"), device=first.device)


library = torch.library.Library("aten", "IMPL")
library.impl("addmm", wrong_addmm, "PrivateUse1")


def train_step(model, batch):
    model(batch).sum().backward()
