import torch
import torch_musa
from torch_musa import amp

torch.musa.manual_seed(3)
torch.musa.manual_seed_all(3)
inputs = torch.rand(2, 4, device="musa")
model = torch.nn.Linear(4, 4).to("musa")
start = [parameter.detach().cpu() for parameter in model.parameters()]
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scaler = torch.musa.amp.GradScaler(enabled=True)
with torch.musa.amp.autocast(True):
    outputs = model(inputs)
    loss = outputs.float().mean()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=10.0)
scaler.step(optimizer)
scaler.update()
with torch_musa.amp.autocast(enabled=True), amp.autocast(enabled=False):
    full = model(inputs)
assert isinstance(torch_musa.amp.GradScaler(), torch.amp.GradScaler)
in_use = f"{torch.musa.memory_reserved() / 1e9:.3g}G" if torch.musa.is_available() else 0
torch.musa.empty_cache()
torch.musa.synchronize()
