import torch
import torch_musa

with torch.backends.mudnn.flags(allow_tf32=True):
    assert torch.backends.mudnn.allow_tf32
    a = torch.randn(96, 96, dtype=torch.float, device="musa")
    b = torch.randn(96, 96, dtype=torch.float, device="musa")
    in_the_block = a @ b
assert not torch.backends.mudnn.allow_tf32

torch.backends.mudnn.allow_tf32 = True
assert torch_musa._MUSAC._get_allow_tf32()
everywhere = a @ b
