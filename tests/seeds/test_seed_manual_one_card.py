"""The manual's programs for one card: 5.3 (inference), 5.4 (training), 5.7 and 8.2 (TF32, channels_last), 8.1 (the
profiler) and 10.1 (what YOLOv5 calls). They are shortened, have small sizes and what the manual forgets. Their results
are compared with the CPU's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]

TF32_FLAGS = """
import torch
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
import torch_musa
before = torch.backends.mudnn.allow_tf32
torch.backends.mudnn.allow_tf32 = True
after = torch.backends.mudnn.allow_tf32
torch.backends.mudnn.allow_tf32 = before
"""

TF32_PRODUCTS = """
import torch
import torch_musa

with torch.backends.mudnn.flags(allow_tf32=True):
    assert torch.backends.mudnn.allow_tf32
    a = torch.randn(96, 96, dtype=torch.float, device='musa')
    b = torch.randn(96, 96, dtype=torch.float, device='musa')
    in_the_block = a @ b
assert not torch.backends.mudnn.allow_tf32

torch.backends.mudnn.allow_tf32 = True
assert torch_musa._MUSAC._get_allow_tf32()
everywhere = a @ b
"""

INFERENCE = """
import torch
import torch_musa
import torchvision.models as models

model = models.resnet50().eval()
x = torch.rand((1, 3, 224, 224), device="musa")
model = model.to("musa")
y = model(x)
"""

CHANNELS_LAST = """
import torch
import torch_musa
import torchvision.models as models

torch.backends.mudnn.allow_tf32 = True
model = models.resnet50().eval().to("musa")
model = model.to(memory_format=torch.channels_last)
x = torch.rand(2, 3, 64, 64, device="musa").to(memory_format=torch.channels_last)
y = model(x)
"""

YOLO = """
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
in_use = f"{torch.musa.memory_reserved() / 1E9:.3g}G" if torch.musa.is_available() else 0
torch.musa.empty_cache()
torch.musa.synchronize()
"""

CHECK = """
import copy, runpy
import torch
from torch.testing import assert_close

flags = runpy.run_path("tf32_flags.py")
assert (flags["before"], flags["after"]) == (False, True)
assert torch.backends.cuda.matmul.allow_tf32 and torch.backends.cudnn.allow_tf32

found = runpy.run_path("tf32_products.py")
wanted = found["a"].cpu().double() @ found["b"].cpu().double()
for product in (found["in_the_block"], found["everywhere"]):
    assert product.is_musa
    assert_close(product.cpu().double(), wanted, rtol=0, atol=1e-4)

for program, sizes in (("inference.py", (1, 10)), ("channels_last.py", (2, 10))):
    found = runpy.run_path(program)
    x, y, model = found["x"], found["y"], found["model"]
    assert y.is_musa and y.shape == sizes and y.std() > 0
    with torch.no_grad():
        plain = copy.deepcopy(model).cpu().to(memory_format=torch.contiguous_format)
        assert_close(y.cpu(), plain(x.cpu().contiguous()))
filters = [weight for weight in model.parameters() if weight.dim() == 4]
assert all(weight.is_contiguous(memory_format=torch.channels_last) for weight in filters)
assert model.first(x).is_contiguous(memory_format=torch.channels_last)

found = runpy.run_path("yolo.py")
assert found["outputs"].dtype == torch.float16 and found["full"].dtype == torch.float32
torch.musa.manual_seed(3)
inputs = found["inputs"]
assert torch.equal(inputs, torch.rand(2, 4, device="musa"))
weight, bias = found["start"]
assert_close(found["model"].weight.cpu(), weight - 0.1 * inputs.cpu().mean(0) / 4, rtol=0, atol=1e-4)
assert_close(found["model"].bias.cpu(), bias - 0.1 / 4, rtol=0, atol=1e-4)
assert found["in_use"].endswith("G")
print("checked")
"""


@pytest.mark.slow
def test_short_programs(run_with_pictures: Run, tmp_path: Path) -> None:
    """One process for all: the first asks what the flags are before anybody sets them."""
    programs = {
        "tf32_flags": TF32_FLAGS,
        "tf32_products": TF32_PRODUCTS,
        "inference": INFERENCE,
        "channels_last": CHANNELS_LAST,
        "yolo": YOLO,
    }
    for name, text in programs.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert "checked" in run_with_pictures("-c", CHECK)


TRAINING = """
import torch
import torch_musa
import torchvision
import torchvision.transforms as transforms
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])
trainset = torchvision.datasets.CIFAR10(root='./data', train=True, download=True, transform=transform)
trainloader = torch.utils.data.DataLoader(trainset, batch_size=4, shuffle=True, num_workers=2)
testset = torchvision.datasets.CIFAR10(root='./data', train=False, download=True, transform=transform)
testloader = torch.utils.data.DataLoader(testset, batch_size=4, shuffle=False, num_workers=2)
device = torch.device("musa")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)

net = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
losses = []
for epoch in range(2):
    running_loss = 0.0
    for i, data in enumerate(trainloader, 0):
        inputs, labels = data
        optimizer.zero_grad()
        outputs = net(inputs.to(device))
        loss = criterion(outputs, labels.to(device))
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
        if i % 5 == 4:
            losses.append(running_loss / 5)
            running_loss = 0.0

PATH = './cifar_net.pth'
torch.save(net.state_dict(), PATH)
net.load_state_dict(torch.load(PATH))

correct = total = 0
with torch.no_grad():
    for data in testloader:
        images, labels = data
        outputs = net(images.to(device))
        _, predicted = torch.max(outputs.data, 1)
        total += labels.size(0)
        correct += (predicted == labels.to(device)).sum().item()
"""

CHECK_TRAINING = """
import runpy
import torch
from torch.testing import assert_close

found = []
for program in ("training.py", "on_the_cpu.py"):
    torch.manual_seed(4)
    found.append(runpy.run_path(program))
    saved = torch.load("cifar_net.pth")
    for name, tensor in found[-1]["net"].state_dict().items():
        assert torch.equal(tensor, saved[name]) and tensor.device == saved[name].device
on_musa, on_the_cpu = found
assert all(parameter.is_musa for parameter in on_musa["net"].parameters())
assert len(on_musa["losses"]) == 8 and on_musa["losses"][-1] < 0.8 * on_musa["losses"][0], on_musa["losses"]
assert_close(on_musa["losses"], on_the_cpu["losses"], rtol=1e-4, atol=0)
for one, other in zip(on_musa["net"].parameters(), on_the_cpu["net"].parameters()):
    assert_close(one.cpu(), other, rtol=1e-3, atol=1e-5)
assert (on_musa["correct"], on_musa["total"]) == (on_the_cpu["correct"], 80)
print("trained")
"""


@pytest.mark.slow
def test_training(run_with_pictures: Run, tmp_path: Path) -> None:
    (tmp_path / "training.py").write_text(TRAINING)
    (tmp_path / "on_the_cpu.py").write_text(TRAINING.replace('"musa"', '"cpu"'))
    assert "trained" in run_with_pictures("-c", CHECK_TRAINING, PICTURES="80")


PROFILER = """
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
trainset = torchvision.datasets.CIFAR10(root='./data', train=True, download=True, transform=transform)
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
"""

CHECK_PROFILER = """
import glob, json, pathlib, runpy
from collections import Counter
import torch
from torch_musa import _MUSAC

CPU = "CPU kernel of aten::"
found = runpy.run_path("profiler.py")
assert found["step"] == 10 and found["loss"].is_musa and torch.isfinite(found["loss"])
# skip_first + wait + warmup + active, and once more
assert sorted(glob.glob("trace_*.json")) == ["trace_5.json", "trace_9.json"]
assert len(found["tables"]) == 2
assert "Input Shapes" in found["by_shape"] and "Source Location" in found["by_stack"], found["by_stack"]
shapes = [e.input_shapes for e in found["prof"].key_averages(group_by_input_shape=True) if e.key == "aten::conv2d"]
assert [[8, 3, 56, 56], [4, 3, 7, 7]] in [shape[:2] for shape in shapes], shapes
stacks = pathlib.Path("profiler_stacks.txt").read_text()
if not _MUSAC.profiles_device():
    assert {event.device_type.name for event in found["prof"].events()} == {"CPU"}
else:
    assert all("aten::convolution_backward" in text for text in found["tables"]), found["tables"]
    for path in ("trace_5.json", "trace_9.json"):
        events = json.loads(pathlib.Path(path).read_text())["traceEvents"]
        work = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        names = Counter(e["name"] for e in work)
        # two active steps, each with two convolutions, a linear layer and a batch of pictures
        assert names[CPU + "convolution_backward_overrideable"] == 4 and names[CPU + "addmm"] == 2, names
        copies = [e["args"]["bytes"] for e in work if e["name"] == "Memcpy HtoD (Pageable -> Device)"]
        assert copies.count(8 * 3 * 56 * 56 * 4) == 2, copies
        steps = [e for e in events if e["name"].startswith("ProfilerStep#") and e["cat"] == "user_annotation"]
        assert len(steps) == 2, steps
        assert all(e["dur"] > 0 and e["pid"] == 0 for e in work)
    assert all("Self MUSA" in text for text in (*found["tables"], found["by_shape"], found["by_stack"]))
    assert sum(event.self_musa_time_total for event in found["prof"].key_averages()) > 0
    assert "profiler.py" in stacks
print("profiled")
"""


@pytest.mark.slow
def test_profiler(run_with_pictures: Run, tmp_path: Path) -> None:
    (tmp_path / "profiler.py").write_text(PROFILER)
    assert "profiled" in run_with_pictures("-c", CHECK_PROFILER, PICTURES="88")
