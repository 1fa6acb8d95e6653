from setuptools import setup

from musa_build import BuildExtension, MUSAExtension

setup(
    name="my_ops",
    version="1.0",
    ext_modules=[MUSAExtension("my_ops._C", ["csrc/kernels.mu", "csrc/bindings.cpp"])],
    cmdclass={"build_ext": BuildExtension},
)
