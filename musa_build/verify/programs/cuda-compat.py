# expect device=musa
# expect gradient=6.0
# expect memory=True
"""Runs a script that was written for CUDA, by musa_tools.cuda_compat."""

import runpy
import sys
import tempfile
from pathlib import Path

from torch_probe import torch_with_musa, undecided

SCRIPT = """
import torch
x = torch.full((3,), 1.0, device="cuda", requires_grad=True)
model = torch.nn.Linear(3, 2).cuda()
with torch.cuda.stream(torch.cuda.Stream()):
    y = model(x).sum()
torch.cuda.synchronize()
(x * 2).sum().backward()
print(f"device={x.device.type}", f"gradient={float(x.grad.sum())}", sep="\\n")
print(f"memory={torch.cuda.memory_allocated() > 0 and torch.cuda.is_available()}")
with torch.autocast("cuda", dtype=torch.bfloat16):
    model(x)
"""

torch_with_musa()
with tempfile.TemporaryDirectory() as folder:
    script = Path(folder, "for_cuda.py")
    script.write_text(SCRIPT, encoding="utf-8")
    sys.argv = ["cuda_compat", "-q", str(script)]
    try:
        runpy.run_module("musa_tools.cuda_compat", run_name="__main__", alter_sys=True)
    except ImportError as error:
        undecided(f"no musa_tools: {error}")
    except SystemExit as ended:
        sys.exit(ended.code)
