"""Load an extension from its files and from texts."""

import subprocess
from inspect import signature
from pathlib import Path

import numpy
from torch.utils.cpp_extension import load, load_inline

affine = load(
    "affine",
    ["csrc/bindings.cpp", "csrc/affine.cu"],
    extra_cflags=["-O1 -DGREETING='\"two words\"'"],
    extra_cuda_cflags=["-DMCC_FLAG=7 -Xptxas -O3", "--expt-relaxed-constexpr"],
    extra_ldflags=["-Wl,--no-as-needed -lcudart -lcurand", "-Wl,-rpath,'$$ORIGIN/more libraries'"],
    extra_include_paths=["more headers"],
)
values = numpy.arange(5, dtype=numpy.float32)
assert affine.affine_(values, 2.0) == 0
print(values.tolist(), affine.greeting())
print(subprocess.run(["readelf", "-d", affine.__file__], capture_output=True, text=True).stdout)

bindings = Path("csrc/bindings.cpp").read_text()
kernel = Path("csrc/affine.cu").read_text().replace('#include "offset.cuh"', "#define OFFSET 3")
plain = {"no_implicit_headers": True} if "no_implicit_headers" in signature(load_inline).parameters else {}  # torch 2.8
inline = load_inline("affine", cpp_sources=bindings, cuda_sources=kernel, **plain)
values = numpy.arange(5, dtype=numpy.float32)
assert inline.affine_(values, 2.0) == 0
print(values.tolist())
