import torch
import torch_musa  # noqa: F401

torch.manual_seed(0)
value, source, index = torch.randn(7, 5), torch.randn(400, 5), torch.randint(0, 7, (400,))
operands = [each.to("musa") for each in (value, index, source)]
print(torch.equal(operands[0].index_add(0, *operands[1:]).cpu(), value.index_add(0, index, source)))
