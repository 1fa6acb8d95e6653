import sys

assert "torch" not in sys.modules and "typing" not in vars(sys.modules["musa_tools.compat_at_start"])
import torch_musa  # noqa: E402, F401, I001  before torch, which it imports
import torch  # noqa: E402
import os  # noqa: E402

print(torch.ones(2).cuda().device, torch.cuda.is_available(), type(torch.__loader__).__name__, os.environ["MCCL_DEBUG"])
print([finder for finder in sys.meta_path if type(finder).__module__.startswith("musa_tools")])
