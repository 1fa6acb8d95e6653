"""Build freqencoder: for MUSA where torch_musa is installed (setup_musa.py), for CUDA everywhere else."""

import importlib.util
import runpy

from setuptools import find_packages, setup


def setup_cuda():
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension

    setup(
        name="freqencoder",
        packages=find_packages(),
        ext_modules=[
            CUDAExtension(
                name="freqencoder._CUDAC",
                sources=["freqencoder/src/freqencoder.cu", "freqencoder/src/bindings.cpp"],
                extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O2"]},
            )
        ],
        cmdclass={"build_ext": BuildExtension},
    )


if importlib.util.find_spec("torch_musa") is not None:
    runpy.run_path("setup_musa.py", run_name="__main__")
else:
    setup_cuda()
