"""The same training on the CPU in float32, from the same start, for comparison."""

import runpy

import torch

names = runpy.run_path("mixed_precision.py", run_name="__main__")
for low_dtype, tolerance in ((torch.float16, 5e-3), (torch.bfloat16, 4e-2)):
    torch.manual_seed(7)
    loss = names["train_in_amp"](low_dtype)
    assert loss.device.type == "musa"

    torch.manual_seed(7)
    model = names["SimpleModel"]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(6, 5), torch.randn(6, 3)
    for _ in range(20):
        optimizer.zero_grad()
        wanted = torch.nn.functional.mse_loss(model(inputs), targets)
        wanted.backward()
        optimizer.step()
    torch.testing.assert_close(loss.cpu().float(), wanted, rtol=tolerance, atol=0)
