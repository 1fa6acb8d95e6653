import torch

x = torch.ones(3, device="musa")
print((x * 3).tolist())
names = [count.name for count in torch.musa.fallback_report().operators]
print(torch.musa.operator_kinds()["aten::mul.out"], "aten::mul.out" in names)
