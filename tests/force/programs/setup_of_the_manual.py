import glob
import os
from setuptools import setup
import torch
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

cmd_class = {"build_ext": BuildExtension}
define_macros, include_dirs, extra_compile_args = [], [], {"cxx": []}
if torch.cuda.is_available() or os.getenv("FORCE_CUDA", "0") == "1":
    raise SystemExit("the branch for CUDA")
elif os.getenv("FORCE_MUSA", "0") == "1":
    from torch_musa.utils.simple_porting import SimplePorting
    from torch_musa.utils.musa_extension import MUSAExtension

    SimplePorting(
        cuda_dir_path="./demo/csrc",
        ignore_dir_paths=["./demo/csrc/npu"],
        mapping_rule={"DEMO_WITH_CUDA": "DEMO_WITH_MUSA", "_CU_H_": "_MU_H_", "/cuda/": "/musa/", ".cuh": ".muh"},
    ).run()
    op_files = glob.glob("./demo/csrc_musa/*.cpp") + glob.glob("./demo/csrc_musa/cuda/*.mu")
    from torch_musa.testing import get_musa_arch

    define_macros += [("DEMO_WITH_MUSA", None), ("MUSA_ARCH", str(get_musa_arch()))]
    os.environ["MUSA_ARCH"] = str(get_musa_arch())
    extension = MUSAExtension
    include_dirs.append(os.path.abspath("./demo/csrc_musa"))
    from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension

    cmd_class = {"build_ext": BuildExtension}
else:
    raise SystemExit("the branch for the CPU")
setup(
    name="demo",
    version="1.0",
    packages=["demo"],
    cmdclass=cmd_class,
    ext_modules=[
        extension(
            name="demo.affine",
            sources=op_files,
            include_dirs=include_dirs,
            define_macros=define_macros,
            extra_compile_args=extra_compile_args,
        )
    ],
)
