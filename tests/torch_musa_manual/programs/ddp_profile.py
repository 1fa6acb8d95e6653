"""The training loop that the manual's two programs of chapter 8.1 have in common. The saved file is an addition."""

import torch
import torch.profiler


def train_profiled(model, trainloader, criterion, optimizer, rank):
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.MUSA],
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=2),
        on_trace_ready=torch.profiler.tensorboard_trace_handler("result", worker_name="worker" + str(rank)),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True),
    ) as p:
        for step, data in enumerate(trainloader, 0):
            inputs, labels = data[0].to("musa"), data[1].to("musa")
            outputs = model(inputs)
            loss = criterion(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            p.step()
            if step + 1 >= 4:
                break
    torch.save(dict(model.module.named_parameters()), f"rank{rank}.pt")
