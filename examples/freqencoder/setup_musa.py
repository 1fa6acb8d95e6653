"""Build freqencoder for Moore Threads MUSA: port the CUDA sources, compile them with mcc."""

from setuptools import find_packages, setup
from torch_musa.utils.musa_extension import BuildExtension, MUSAExtension
from torch_musa.utils.simple_porting import SimplePorting

# porting .cu to .mu
SimplePorting(
    cuda_dir_path="freqencoder/src",
    mapping_rule={
        "x.device().is_cuda()": "true",
        "#include <ATen/cuda/CUDAContext.h>": '#include "torch_musa/csrc/aten/musa/MUSAContext.h"',
        "#include <c10/cuda/CUDAGuard.h>": '#include "torch_musa/csrc/core/MUSAGuard.h"',
    },
).run()

setup(
    name="freqencoder",  # package name, import this to use python API
    packages=find_packages(),
    ext_modules=[
        MUSAExtension(
            name="freqencoder._MUSAC",  # extension name, import this to use MUSA API
            sources=["freqencoder/src_musa/freqencoder.mu", "freqencoder/src_musa/bindings.cpp"],
            extra_compile_args={"cxx": ["-O3"], "mcc": ["-O2"]},
        ),
    ],
    cmdclass={"build_ext": BuildExtension},
)
