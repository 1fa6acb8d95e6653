"""The numbers of MUSA's libraries for data types (musaDataType_t), and PyTorch's types of the same values."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")  # its conversions of 8-bit floats and bfloat16

SINGLE, DOUBLE, HALF, BYTE, COMPLEX, DOUBLE_COMPLEX, INTEGER, BFLOAT, E4M3, E5M2 = 0, 1, 2, 3, 4, 5, 10, 14, 28, 29
OF_TORCH = {
    SINGLE: torch.float32,
    DOUBLE: torch.float64,
    HALF: torch.float16,
    BFLOAT: torch.bfloat16,
    E4M3: torch.float8_e4m3fn,
    E5M2: torch.float8_e5m2,
    BYTE: torch.int8,
    INTEGER: torch.int32,
    COMPLEX: torch.complex64,
    DOUBLE_COMPLEX: torch.complex128,
}
