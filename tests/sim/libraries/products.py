"""Products of matrices in any of the SDK's types: random operands, and a run of the program that multiplies them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt
from sim_programs import Program

#: musaDataType_t
SINGLE, DOUBLE, HALF, BYTE, COMPLEX, DOUBLE_COMPLEX, INTEGER, BFLOAT = 0, 1, 2, 3, 4, 5, 10, 14
#: operations on a matrix before it is multiplied
PLAIN, TRANSPOSE, ADJOINT = 0, 1, 2
DTYPES = {
    SINGLE: np.float32,
    DOUBLE: np.float64,
    HALF: np.float16,
    BYTE: np.int8,
    COMPLEX: np.complex64,
    DOUBLE_COMPLEX: np.complex128,
    INTEGER: np.int32,
    BFLOAT: np.uint16,
}

Matrix = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Product:
    """The numbers of a product, in the program's order; each library adds its own."""

    type: int
    type_out: int
    compute: int


def random(rng: np.random.Generator, kind: int, *shape: int) -> Matrix:
    if kind in (BYTE, INTEGER):
        return rng.integers(-100, 100, shape).astype(DTYPES[kind])
    values = rng.standard_normal(shape)
    if kind == BFLOAT:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return (values + 1j * rng.standard_normal(shape) if kind in (COMPLEX, DOUBLE_COMPLEX) else values).astype(
        DTYPES[kind]
    )


def in_memory(matrices: Matrix, by_columns: bool) -> Matrix:
    """Return a batch of matrices as a program reads them, or from what it wrote: NumPy's are by rows."""
    return np.ascontiguousarray(matrices.transpose(0, 2, 1) if by_columns else matrices)


def multiplied(program: Program, product: Product, inputs: Iterable[Matrix], c: Matrix, by_columns: bool) -> Matrix:
    """Run a program; return the C that it computed."""
    result = program("multiply", *astuple(product), inputs=[np.ascontiguousarray(array) for array in inputs])
    assert (result.status, result.stderr) == (0, "")
    written = np.frombuffer(result.stdout, c.dtype).reshape(in_memory(c, by_columns).shape)
    return in_memory(written, by_columns)
