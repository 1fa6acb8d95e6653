"""`-Wall -Wextra` has nothing to say about the CUDA programs of these tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")
#: and -Wno-missing-field-initializers, as fields that are left out are zero
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-Wno-sign-compare")
MORE_FLAGS = {
    "calling.cu": ("-rdc=true",),  # a function of another file
    # GCC's own <algorithm> calls a function that it calls deprecated
    "cccl.cu": ("-DTYPE=float", "-Xcompiler", "-Wno-deprecated-declarations"),
    # an alias in the header of matrix products, which is included before any file
    "matrix_product.cu": ("-Xcompiler", "-Wno-unused-local-typedef"),
}


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("name", sorted(path.name for path in PROGRAMS.iterdir() if path.suffix in (".cu", ".cpp")))
def test_a_cuda_program_has_no_warnings(name: str, run: Callable[..., object]) -> None:
    options = ("-std=c++17", "--extended-lambda", "-Xcompiler", ",".join(WARNINGS))
    run("nvcc", *options, *MORE_FLAGS.get(name, ()), "-c", PROGRAMS / name, "-o", "program.o")
