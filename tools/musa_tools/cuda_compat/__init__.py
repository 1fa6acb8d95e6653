"""Run a CUDA script that cannot be edited on MUSA: while it is installed, CUDA's names mean MUSA's device.

    python -m musa_tools.cuda_compat train.py --epochs 3
    import torch_musa.cuda_compat            # the same, from within a program

Converting the script is the better way: it costs nothing at run time, and nothing stays hidden. This is for code in
somebody else's packages. `restore` puts everything back.
"""

from __future__ import annotations

from .shim import install, installed, report, restore

__all__ = ["install", "installed", "report", "restore"]
