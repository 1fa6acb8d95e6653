from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="cuda_package",
    version="1.0",
    ext_modules=[CUDAExtension("cuda_package", ["csrc/kernels.cu", "csrc/bindings.cpp"])],
    cmdclass={"build_ext": BuildExtension},
)
