import copy
import json

import torch
import torch.nn as nn
from torch_npu.hooks import register_hook, seed_all, set_dump_path, wrap_acc_cmp_hook

first = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True)
model_cpu = nn.Sequential(*first, nn.Flatten(), nn.Linear(144, 5))
model_cpu.eval()
model_npu = copy.deepcopy(model_cpu)
model_npu.eval()
seed_all()
register_hook(model_cpu, wrap_acc_cmp_hook)
register_hook(model_npu, wrap_acc_cmp_hook)
inputs = torch.randn(1, 3, 8, 8)
labels = torch.randint(5, (1,))
criterion = nn.CrossEntropyLoss()
set_dump_path("./cpu_resnet50_op.pkl")
output = model_cpu(inputs)
loss = criterion(output, labels)
loss.backward()
set_dump_path("./npu_resnet50_op.pkl")
model_npu.musa()
inputs = inputs.musa()
labels = labels.musa()
output = model_npu(inputs)
loss = criterion(output, labels)
loss.backward()

pkl_file = open("./cpu_resnet50_op.pkl", "r")  # noqa: PTH123, SIM115, UP015  as printed
tensor_line = pkl_file.readline()
tensor_data = json.loads(tensor_line)
print(tensor_data[0])
print(tensor_data[1])
print(tensor_data[2])
print(tensor_data[3])
