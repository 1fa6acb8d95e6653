import copy
import runpy

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
