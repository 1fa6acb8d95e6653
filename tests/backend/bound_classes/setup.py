from setuptools import setup
from torch_musa.utils.musa_extension import BuildExtension, MUSAExtension

setup(
    name="musa_bound_classes",
    ext_modules=[MUSAExtension("musa_bound_classes", ["bound.cpp"], extra_compile_args={"cxx": ["-O0"]})],
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
)
