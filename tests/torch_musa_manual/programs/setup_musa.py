import os
from setuptools import setup, find_packages
from torch_musa.utils.simple_porting import SimplePorting
from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension

_src_path = os.path.dirname(os.path.abspath(__file__))

c_flags = []
if os.name == "posix":
    c_flags = {"cxx": ["-O3", "-std=c++14"], "mcc": ["-O2"]}

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
    ext_modules=[
        MUSAExtension(
            name="freqencoder._MUSAC",  # extension name, import this to use MUSA API
            sources=[
                os.path.join(_src_path, "freqencoder/src_musa", f)
                for f in [
                    "freqencoder.mu",
                    "bindings.cpp",
                ]
            ],
            extra_compile_args=c_flags,
        ),
    ],
    cmdclass={"build_ext": BuildExtension},
)
