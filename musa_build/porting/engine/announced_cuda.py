"""The CUDA of everything that musa_build shows to a package: ported code, setup.py, the CUDA toolkit, wheels' modules.

Declared choices, not facts about MUSA: docs/decisions/0055-cmake-builds-get-the-toolkit.md and
0058-wheels-have-cudas-numbers.md.
"""

#: The version of its macros, of PyTorch's answer and of nvcc.
DEFAULT_EMULATED_CUDA = "12.4"
#: The smallest `__MUSA_ARCH__` -> `__CUDA_ARCH__`, the newest first. Not verified on MUSA hardware.
CUDA_ARCHITECTURES = ((310, 890), (220, 800), (0, 750))
