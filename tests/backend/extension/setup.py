from setuptools import setup
from torch_musa.utils.musa_extension import BuildExtension, MUSAExtension

setup(
    name="musa_probe",
    ext_modules=[
        MUSAExtension(
            "musa_probe",
            ["kernels.mu", "host.cpp"],
            libraries=["musparse", "musa"],  # muBLAS comes with torch_musa
            extra_compile_args={"cxx": ["-O1"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
)
