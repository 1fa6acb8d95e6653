import torch

memory = torch.ones(20)
musart = torch.musa.musart()
assert not memory.is_pinned()
torch.musa.check_error(musart.musaHostRegister(memory.data_ptr(), memory.nbytes, 0))
assert memory.is_pinned()
