"""Importing this module makes CUDA's names mean MUSA's device, until `restore()`; it lives in musa_tools.

For code that cannot be edited. `musa-converter` changes code that can.
"""

from musa_tools.cuda_compat import install, report, restore

__all__ = ["install", "report", "restore"]

install()
