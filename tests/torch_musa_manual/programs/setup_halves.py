from setuptools import setup
from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension

c_flags = {
    "cxx": ["force_mcc", "-DCXX_SCALE=2.0f"],
    "mcc": ["-O1"],
}
setup(
    name="halves",
    packages=[],
    ext_modules=[
        MUSAExtension(
            name="halves",
            sources=["halves.cpp"],
            extra_compile_args=c_flags,
        ),
    ],
    cmdclass={"build_ext": BuildExtension},
)
assert c_flags == {"cxx": ["force_mcc", "-DCXX_SCALE=2.0f"], "mcc": ["-O1"]}
