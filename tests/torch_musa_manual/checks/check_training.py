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
