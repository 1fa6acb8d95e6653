"""torch.utils.cpp_extension.load and load_inline of CUDA sources, in a program that runs with FORCE_MUSA=1."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from forcing import Project, contents

RUN = """
import subprocess
import numpy
from torch.utils.cpp_extension import load, load_inline

affine = load("affine", ["csrc/bindings.cpp", "csrc/affine.cu"], extra_cflags=["-O1 -DGREETING='\\"two words\\"'"],
              extra_cuda_cflags=["-DMCC_FLAG=7 -Xptxas -O3", "--expt-relaxed-constexpr"],
              extra_ldflags=["-Wl,--no-as-needed -lcudart -lcurand", "-Wl,-rpath,'$$ORIGIN/more libraries'"],
              extra_include_paths=["more headers"])
values = numpy.arange(5, dtype=numpy.float32)
assert affine.affine_(values, 2.0) == 0
print(values.tolist(), affine.greeting())
print(subprocess.run(["readelf", "-d", affine.__file__], capture_output=True, text=True).stdout)

bindings = open("csrc/bindings.cpp").read()
kernel = open("csrc/affine.cu").read().replace('#include "offset.cuh"', "#define OFFSET 3")
inline = load_inline("affine", cpp_sources=bindings, cuda_sources=kernel, no_implicit_headers=True)
values = numpy.arange(5, dtype=numpy.float32)
assert inline.affine_(values, 2.0) == 0
print(values.tolist())
"""


@pytest.mark.compiles
def test_load_ports_and_runs(new_project: Callable[[str], Project]) -> None:
    project = new_project("affine_cuda")
    (project.folder / "more headers").mkdir()
    (project.folder / "csrc" / "offset.cuh").rename(project.folder / "more headers" / "offset.cuh")
    before = contents(project.folder)
    outcome = project.run("-c", RUN)
    assert outcome.returncode == 0, outcome.output
    assert "[1.0, 3.0, 5.0, 7.0, 9.0] ('two words', 7)" in outcome.output
    assert "[libmurand.so" in outcome.output and "$ORIGIN/more libraries" in outcome.output
    assert "[3.0, 5.0, 7.0, 9.0, 11.0]" in outcome.output
    assert contents(project.folder) == before
