import os
import sys

from musa_tools.convert.environment import translate_environment

translate_environment()
print(os.environ["MUSA_VISIBLE_DEVICES"], os.environ["MCCL_DEBUG"], flush=True)
if len(sys.argv) == 1:
    os.environ["CUDA_VISIBLE_DEVICES"], os.environ["NCCL_DEBUG"] = "1", "WARN"
    os.execv(sys.executable, [sys.executable, __file__, "child"])
