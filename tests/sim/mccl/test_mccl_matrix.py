"""Every collective with every type and operation against NumPy, bit for bit, as threads and as processes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from mccl_programs import Build

Array = npt.NDArray[Any]

KINDS = ("all_reduce", "reduce", "reduce_scatter", "broadcast", "bcast", "all_gather")
OPS = ("sum", "prod", "max", "min", "avg", "premulsum")
# in the order of mcclDataType_t; NumPy has no bfloat16, so that type's numbers are kept as their bits
TYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16")
SMALL = 13
SEVERAL_STEPS = 150_001  # more than one slot of shared memory, and no multiple of anything


def from_bfloat16(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bfloat16(values: Array) -> Array:
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


@dataclass(frozen=True)
class Case:
    kind: str
    type: str
    op: str = "sum"
    count: int = SMALL
    root: int = 0
    in_place: bool = False
    factor_on_device: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint16 if self.type == "bfloat16" else self.type)

    def factor(self) -> Array:
        return to_bfloat16(np.array([3.0])) if self.type == "bfloat16" else np.array([3], self.dtype)

    def packed(self) -> bytes:
        return struct.pack(
            "<6i2q8s",
            KINDS.index(self.kind),
            TYPES.index(self.type),
            OPS.index(self.op),
            self.root,
            self.in_place,
            self.factor_on_device,
            self.count,
            self.dtype.itemsize,
            self.factor().tobytes(),
        )

    def inputs(self, ranks: int, rng: np.random.Generator) -> list[Array]:
        size = self.count * (ranks if self.kind == "reduce_scatter" else 1)
        if self.type == "bfloat16":
            return [to_bfloat16(rng.normal(0, 4, size)) for _ in range(ranks)]
        if self.dtype.kind == "f":
            return [rng.normal(0, 4, size).astype(self.dtype) for _ in range(ranks)]
        info = np.iinfo(self.dtype)
        return [rng.integers(info.min, info.max, size, self.dtype, endpoint=True) for _ in range(ranks)]

    def reduced(self, inputs: Sequence[Array]) -> Array:
        """The reduction in the order of ranks, where each step rounds to the type."""
        ranks = len(inputs)
        if self.type == "bfloat16":
            number, stored = from_bfloat16, to_bfloat16
            reciprocal = from_bfloat16(to_bfloat16(np.array([1 / np.float32(ranks)])))
        else:
            number = stored = np.asarray
            reciprocal = np.array([1], self.dtype) / np.array([ranks], self.dtype)
        values = [number(each) for each in inputs]
        floating = self.type == "bfloat16" or self.dtype.kind == "f"
        if self.op == "premulsum":
            values = [number(stored(value * number(self.factor()))) for value in values]
        elif self.op == "avg" and floating:
            values = [number(stored(value * reciprocal.astype(value.dtype))) for value in values]
        step: Callable[[Array, Array], Array] = {"prod": np.multiply, "max": np.maximum, "min": np.minimum}.get(
            self.op, np.add
        )
        result = values[0]
        for value in values[1:]:
            result = number(stored(step(result, value)))
        if self.op == "avg" and not floating:
            quotient = np.abs(result.astype(object)) // ranks * np.sign(result.astype(object))
            result = quotient.astype(self.dtype)
        return stored(result).astype(self.dtype)

    def expected(self, inputs: Sequence[Array], rank: int) -> Array | None:
        """The result of a rank; None if the library promises none."""
        if self.kind == "all_gather":
            return np.concatenate(inputs)
        if self.kind in ("broadcast", "bcast"):
            return inputs[self.root]
        if self.kind == "reduce" and rank != self.root:
            return None
        result = self.reduced(inputs)
        return result[rank * self.count : (rank + 1) * self.count] if self.kind == "reduce_scatter" else result


def cases(ranks: int) -> list[Case]:
    last = ranks - 1
    reductions = [
        Case(kind, type_, op, root=last if kind == "reduce" else 0, in_place=i % 2 == 1, factor_on_device=j % 2 == 1)
        for i, kind in enumerate(("all_reduce", "reduce", "reduce_scatter"))
        for j, type_ in enumerate(TYPES)
        for op in OPS
    ]
    copies = [
        Case(kind, type_, root=last, in_place=kind == "bcast" or (kind == "all_gather" and i % 2 == 1))
        for kind in ("broadcast", "bcast", "all_gather")
        for i, type_ in enumerate(TYPES)
    ]
    large = [
        *(Case(kind, "float32", "sum", SEVERAL_STEPS, last) for kind in KINDS if kind != "bcast"),
        Case("bcast", "int8", "sum", 3 * SEVERAL_STEPS, last, in_place=True),
        Case("all_reduce", "int8", "max", 3 * SEVERAL_STEPS, in_place=True),
        Case("all_reduce", "float64", "avg", SEVERAL_STEPS),
        Case("reduce_scatter", "float64", "prod", SEVERAL_STEPS, in_place=True),
        Case("all_gather", "float64", "sum", SEVERAL_STEPS, in_place=True),
        *(Case(kind, "int32", "sum", 0) for kind in KINDS),
    ]
    return [*reductions, *copies, *large]


@pytest.mark.parametrize("mode", ["threads", "processes"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_results_are_numpys_bit_for_bit(build: Build, tmp_path: Path, mode: str, ranks: int) -> None:
    rng = np.random.default_rng(20260729)
    todo = cases(ranks)
    with np.errstate(all="ignore"):
        inputs = [case.inputs(ranks, rng) for case in todo]
        data = b"".join(array.tobytes() for arrays in inputs for array in arrays)
        (tmp_path / "input").write_bytes(struct.pack("<q", len(todo)) + b"".join(c.packed() for c in todo) + data)
        run = build("matrix.cpp")(
            mode, ranks, tmp_path / "input", tmp_path / "output", env={"MUSA_SIM_DEVICES": str(ranks)}
        )
        assert (run.status, run.stderr) == (0, "")
        for rank in range(ranks):
            output = (tmp_path / f"output.{rank}").read_bytes()
            at = 0
            for case, arrays in zip(todo, inputs):
                size = case.count * (ranks if case.kind == "all_gather" else 1)
                found = np.frombuffer(output, case.dtype, size, at)
                at += found.nbytes
                wanted = case.expected(arrays, rank)
                if wanted is not None:
                    assert found.tobytes() == wanted.tobytes(), (case, rank, found[:5], wanted[:5])
            assert at == len(output)
