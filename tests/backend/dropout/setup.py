from setuptools import setup
from torch_musa.utils.musa_extension import BuildExtension, MUSAExtension
from torch_musa.utils.simple_porting import SimplePorting

SimplePorting(cuda_dir_path="csrc").run()

setup(
    name="musa_dropout",
    ext_modules=[MUSAExtension("musa_dropout", ["csrc_musa/dropout.mu"], extra_compile_args={"mcc": ["-O2"]})],
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
)
