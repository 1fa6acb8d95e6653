"""The toolkit's CUDA version, and the CUDA architecture of each of MUSA's: `__CUDA_ARCH__` and compute capability.

These two must agree, and they depend on the card alone, not on the architectures that a build asks nvcc for. They are
the highest whose features porting takes for granted (porting/engine/rewrites.py): 750 for every card, 800 from mp_22
on. mp_31 stops at 890, because from 900 on code uses clusters of blocks and tensor maps, which have no translation.
Not verified on MUSA hardware.
"""

from __future__ import annotations

from typing import Optional

from ..porting.engine.announced_cuda import CUDA_ARCHITECTURES, DEFAULT_EMULATED_CUDA

#: The CUDA release that the toolkit announces. CMake has C++20 only from 12.0 on, PyTorch refuses anything below 12.1.
VERSION, BUILD = DEFAULT_EMULATED_CUDA, "131"


def capability_header(fixed: Optional[int] = None) -> str:
    """Return the text of musa_cuda/capability.h: the numbers of this module for C and C++.

    `fixed` is the user's choice of `__CUDA_ARCH__` for all cards.
    """
    rows = ((0, fixed),) if fixed else CUDA_ARCHITECTURES
    conditional = " : ".join(f"architecture >= {musa} ? {cuda // 10}" for musa, cuda in rows[:-1])
    last = f"{rows[-1][1] // 10}"
    expression = f"{conditional} : {last}" if conditional else last
    branches = "".join(
        f"#{'if' if index == 0 else 'elif'} __MUSA_ARCH__ >= {musa}\n#define MUSA_CUDA_ARCH {cuda}\n"
        for index, (musa, cuda) in enumerate(rows)
    )
    return f"""\
#ifndef MUSA_CUDA_CAPABILITY_H
#define MUSA_CUDA_CAPABILITY_H

/* The compute capability of CUDA, 75 for 7.5, of one of MUSA's. */
static inline int musa_cuda_capability(int major, int minor) {{
    const int architecture = major * 100 + minor * 10;
    (void)architecture;
    return {expression};
}}

#if defined(__MUSA_ARCH__)
{branches}#endif
#endif

#endif
"""
