import torch
import torch_musa
import torchvision.models as models
from torch.profiler import profile, record_function, schedule
import torch.nn as nn
import torch.optim
import torch.utils.data
import torchvision
import torchvision.transforms as T

model = models.resnet50(weights=models.ResNet50_Weights.IMAGENET1K_V1)
transform = T.Compose([T.Resize(64), T.CenterCrop(56), T.ToTensor()])
trainset = torchvision.datasets.CIFAR10(root="./data", train=True, download=True, transform=transform)
trainloader = torch.utils.data.DataLoader(trainset, batch_size=8, shuffle=True, num_workers=0)
criterion = nn.CrossEntropyLoss().musa()
device = torch.device("musa:0")
model.to(device).train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
my_schedule = schedule(skip_first=1, wait=1, warmup=1, active=2, repeat=2)
tables = []


def trace_handler(p):
    tables.append(p.key_averages().table(sort_by="self_musa_time_total", row_limit=10))
    p.export_chrome_trace("trace_" + str(p.step_num) + ".json")


with profile(
    schedule=my_schedule,
    on_trace_ready=trace_handler,
    profile_memory=True,
    record_shapes=True,
    with_stack=True,
    experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True),
) as prof:
    with record_function("model_training"):
        for step, data in enumerate(trainloader, 0):
            inputs, labels = data[0].to(device=device), data[1].to(device=device)
            outputs = model(inputs)
            loss = criterion(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            prof.step()
            if step >= 10:
                break
by_shape = prof.key_averages(group_by_input_shape=True).table(sort_by="musa_time_total", row_limit=10)
by_stack = prof.key_averages(group_by_stack_n=5).table(sort_by="self_musa_time_total", row_limit=2)
prof.export_stacks("profiler_stacks.txt", "self_musa_time_total")
