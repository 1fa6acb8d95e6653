"""An ordinary setup.py of a CUDA package, as its authors write it: not a word about other devices."""

import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

MORE = os.environ.get("MORE_SOURCES", "").split()

setup(
    name="affine-cuda",
    version="1.0",
    py_modules=["affine_python"],
    ext_modules=[
        CUDAExtension(
            "affine",
            ["csrc/bindings.cpp", "csrc/affine.cu", *MORE],
            include_dirs=["csrc"],
            define_macros=[("GREETING", '"CUDA"')],
            extra_compile_args={
                "cxx": ["-O2"],
                "nvcc": ["-O3", "-DMCC_FLAG=7", "--use_fast_math", "-gencode", "arch=compute_80,code=sm_80"],
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
