import torch

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
import torch_musa

before = torch.backends.mudnn.allow_tf32
torch.backends.mudnn.allow_tf32 = True
after = torch.backends.mudnn.allow_tf32
torch.backends.mudnn.allow_tf32 = before
