"""Runs one operation of the simulated muDNN in programs/mudnn_layers.cpp."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np
import torch
from sim_programs import Program

KINDS = {
    torch.float: "float",
    torch.double: "double",
    torch.half: "half",
    torch.bfloat16: "bfloat16",
    torch.int: "int32",
    torch.long: "int64",
    torch.uint8: "uint8",
    torch.bool: "bool",
    torch.int8: "qint8",
    torch.float8_e4m3fn: "e4m3",
    torch.float8_e5m2: "e5m2",
}
FLOATING = [torch.float, torch.half, torch.bfloat16]
# of one rounding, and of scales and sums that are float
TOLERANCES = {torch.float: 1e-5, torch.double: 1e-9, torch.half: 2e-3, torch.bfloat16: 1e-2}

NOT_SUPPORTED, INVALID = 4, 1


@dataclass(frozen=True)
class Out:
    """A tensor that the operation writes."""

    sizes: Sequence[int]
    dtype: torch.dtype
    format: str = ""


@dataclass(frozen=True)
class In:
    """A tensor that the operation reads, and writes if it is held."""

    tensor: torch.Tensor
    format: str = ""
    held: bool = False


Operand = Union[torch.Tensor, Out, In, None]


def _bytes(tensor: torch.Tensor) -> np.ndarray:
    """The elements in the tensor's memory, if it is contiguous; else in a copy."""
    dense = tensor.contiguous()
    return dense.view(-1).view(torch.uint8).numpy() if dense.numel() else np.empty(0, np.uint8)


def _word(operand: Operand) -> str:
    if operand is None:
        return "none"
    if isinstance(operand, Out):
        return f"out:{KINDS[operand.dtype]}:{','.join(map(str, operand.sizes))}:{operand.format}"
    role = "inout" if isinstance(operand, In) and operand.held else "in"
    tensor, layout = (operand.tensor, operand.format) if isinstance(operand, In) else (operand, "")
    return f"{role}:{KINDS[tensor.dtype]}:{','.join(map(str, tensor.shape))}:{layout}"


def _setting(value: object) -> str:
    numbers = value if isinstance(value, (list, tuple)) else [value]
    return ",".join(str(int(number) if isinstance(number, bool) else number) for number in numbers)


class Operations:
    """The program, as a function from operands to those that the operation has written."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __call__(self, operation: str, *operands: Operand, **settings: object) -> list[torch.Tensor]:
        status, output, complaint = self._run(operation, operands, settings)
        assert (status, complaint) == (0, ""), complaint
        written = [each for each in operands if isinstance(each, Out) or (isinstance(each, In) and each.held)]
        dtypes = [each.dtype if isinstance(each, Out) else each.tensor.dtype for each in written]
        return list(_read(output, dtypes))

    def status(self, operation: str, *operands: Operand, **settings: object) -> int:
        """The status of what is refused; 0 if nothing is."""
        status, _, complaint = self._run(operation, operands, settings)
        assert status in (0, 3), complaint
        return int(complaint.split()[1]) if status == 3 else 0

    def _run(self, operation: str, operands: Sequence[Operand], settings: dict[str, object]) -> tuple[int, bytes, str]:
        words = [operation, *(f"{name}={_setting(value)}" for name, value in settings.items()), *map(_word, operands)]
        given = [each.tensor if isinstance(each, In) else each for each in operands]
        done = self._program(*words, inputs=[_bytes(each) for each in given if isinstance(each, torch.Tensor)])
        return done.status, done.stdout, done.stderr


def _read(output: bytes, dtypes: Sequence[torch.dtype]) -> Iterator[torch.Tensor]:
    rest = np.frombuffer(output, np.uint8)
    for dtype in dtypes:
        rank = int(rest[:8].copy().view(np.int64)[0])
        sizes = rest[8 : 8 * (1 + rank)].copy().view(np.int64).tolist()
        rest = rest[8 * (1 + rank) :]
        length = int(np.prod(sizes, dtype=np.int64)) * dtype.itemsize
        tensor = torch.empty(sizes, dtype=dtype)
        _bytes(tensor)[:] = rest[:length]
        yield tensor
        rest = rest[length:]
    assert len(rest) == 0


def drawn(rng: np.random.Generator, *sizes: int, dtype: torch.dtype = torch.float) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.standard_normal(sizes))).to(dtype)


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers in double, of which torch is to tell the gradient."""
    return tensor.double().requires_grad_()


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Compare with an exact result, which is rounded here."""
    tolerance = TOLERANCES.get(found.dtype, 0)
    torch.testing.assert_close(found, expected.detach().to(found.dtype), rtol=tolerance, atol=tolerance, equal_nan=True)
