# expect bytes=16
# expect repeatable=True
# expect offset_grows=True
"""The state of a generator: a seed and an offset of 8 bytes each. The numbers of a seed are shown for comparison."""

from torch_probe import fact, torch_with_musa

torch = torch_with_musa()

torch.musa.manual_seed(1234)
state = torch.musa.get_rng_state()
fact("bytes", state.numel())
drawn = torch.rand(4, device="musa")
fact("offset_grows", not torch.equal(state, torch.musa.get_rng_state()))
torch.musa.manual_seed(1234)
fact("repeatable", torch.equal(drawn, torch.rand(4, device="musa")))
fact("drawn", " ".join(f"{value:.7f}" for value in drawn.cpu().tolist()))
