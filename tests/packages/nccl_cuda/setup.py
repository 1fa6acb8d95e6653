"""An ordinary setup.py of a CUDA package that calls NCCL from C++."""

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="nccl-cuda",
    version="1.0",
    ext_modules=[
        CUDAExtension(
            "all_devices",
            ["csrc/bindings.cpp", "csrc/all_devices.cu"],
            extra_link_args=["-lnccl"],
            libraries=["nccl"],
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
