"""Seeds and states of two devices' generators."""

import torch


def states():
    return [state.tolist() for state in torch.musa.get_rng_state_all()]


torch.manual_seed(7)
one_seed = torch.equal(torch.rand(3, device="musa:0").cpu(), torch.rand(3, device="musa:1").cpu())
with torch.musa.device(1):
    torch.musa.manual_seed(3)
    assert torch.equal(torch.musa.get_rng_state(), torch.musa.get_rng_state("musa:1"))
print(one_seed, [generator.initial_seed() for generator in torch.musa.default_generators])
for devices in ([0, 1], [1]):
    before = states()
    with torch.random.fork_rng(devices=devices, device_type="musa"):
        torch.rand(3, device="musa:0"), torch.rand(3, device="musa:1")
    print([old == new for old, new in zip(before, states())])
