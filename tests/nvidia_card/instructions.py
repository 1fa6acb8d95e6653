"""Record what an NVIDIA card computes for each instruction of inline PTX that porting knows.

    PYTHONPATH=tests:tests/porting python -m nvidia_card.instructions compile FOLDER
    sh FOLDER/run.sh                                  on a machine with a card of compute capability 9.0
    PYTHONPATH=tests:tests/porting python -m nvidia_card.instructions record FOLDER NAME-OF-THE-CARD

The record is records/instructions/NAME-OF-THE-CARD.json. test_instructions.py compares it with what the tests of the
port expect (tests/porting/ptx_cases.py, ptx_matrices.py).
"""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import ptx_cases
import ptx_matrices
from ptx_cases import ROWS, WORDS

RECORDS = Path(__file__).parent / "records" / "instructions"
#: name of a program -> architectures whose cases it runs, all on a card of compute capability 9.0
PROGRAMS = {"simple": ("80", "90"), "simple_a": ("90a",)}
MATRICES = (80, 90)
_RUN = """cd "$(dirname "$0")"
for name in simple simple_a matrices; do
    ./$name $name.in $name.out || echo "$name ended with $?"
done
"""

Words = list[list[int]]


def simple(architectures: tuple[str, ...]) -> list[tuple[int, ptx_cases.Case]]:
    """Return the cases, with their numbers, that these architectures have."""
    return [(number, case) for number, case in enumerate(ptx_cases.cases()) if case.arch in architectures]


def matrices() -> list[ptx_matrices.Case]:
    return [case for case in ptx_matrices.cases() if case.arch in MATRICES]


def compile_programs(folder: Path) -> None:
    """Write programs, inputs and run.sh. Raises CalledProcessError if nvcc fails."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = {"matrices": ptx_matrices.source(matrices())}
    inputs = {"matrices": b"".join(map(ptx_matrices.input_bytes, matrices()))}
    for name, architectures in PROGRAMS.items():
        cases = simple(architectures)
        sources[name] = ptx_cases.source(cases)
        rows = (row for number, case in cases for row in ptx_cases.rows(case, number))
        inputs[name] = b"".join(struct.pack(f"<{WORDS}Q", *row) for row in rows)
    for name, source in sources.items():
        (folder / f"{name}.cu").write_text(source, encoding="utf-8")
        (folder / f"{name}.in").write_bytes(inputs[name])
        target = "arch=compute_90a,code=sm_90a"
        subprocess.run(["nvcc", "-w", "-gencode", target, f"{name}.cu", "-o", name], cwd=folder, check=True)
    (folder / "run.sh").write_text(_RUN, encoding="utf-8")


def record(folder: Path, card: str) -> None:
    """Keep the outputs of the programs that ran in `folder`."""
    kept: dict[str, Any] = {"card": card, "simple": {}, "matrices": {}}
    size = 3 * WORDS * ROWS * 8
    for name, architectures in PROGRAMS.items():
        content = (folder / f"{name}.out").read_bytes()
        for i, (number, case) in enumerate(simple(architectures)):
            words = np.frombuffer(content[i * size : (i + 1) * size], "<u8").reshape(ROWS, 3 * WORDS)
            kept["simple"][case.template] = {"number": number, "words": _packed(words[:, _columns(case)])}
    content, size = (folder / "matrices.out").read_bytes(), ptx_matrices.output_size()
    for i, of_matrices in enumerate(matrices()):
        registers, memory = ptx_matrices.of_output(content[i * size : (i + 1) * size])
        kept["matrices"][of_matrices.template] = {"registers": _packed(registers[..., : len(of_matrices.outputs)])}
        if (memory != of_matrices.data.memory).any():
            kept["matrices"][of_matrices.template]["memory"] = _packed(memory)
    RECORDS.mkdir(parents=True, exist_ok=True)
    (RECORDS / f"{card}.json").write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _columns(case: ptx_cases.Case) -> list[int]:
    """Which of a thread's words of output mean something: the operands, and the first words of the memory."""
    start = 2 * WORDS if case.inputs.startswith("S") else WORDS
    operands = len(case.outputs.replace("+", ""))
    return [*range(operands), *(range(start, start + 4) if case.memory else ())]


def _packed(array: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 9)).decode()


def _unpacked(text: str, dtype: str, *shape: int) -> np.ndarray[Any, Any]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype).reshape(shape)


def simple_records(kept: dict[str, Any]) -> Iterator[tuple[ptx_cases.Case, int, Words]]:
    """Yield each recorded case, the number that its inputs depend on, and the words of each thread."""
    cases = {case.template: case for case in ptx_cases.cases()}
    for template, entry in kept["simple"].items():
        if template in cases:
            columns = _columns(cases[template])
            words = np.zeros((ROWS, 3 * WORDS), np.uint64)
            words[:, columns] = _unpacked(entry["words"], "<u8", ROWS, len(columns))
            yield cases[template], entry["number"], words.tolist()


def matrix_records(kept: dict[str, Any]) -> Iterator[tuple[ptx_matrices.Case, ptx_matrices.Array, ptx_matrices.Array]]:
    """Yield each recorded case, its registers and its memory."""
    shape = ptx_matrices.WARPS, ptx_matrices.LANES
    cases = {case.template: case for case in ptx_matrices.cases()}
    for template, entry in kept["matrices"].items():
        if template in cases:
            case = cases[template]
            registers = _unpacked(entry["registers"], "<u8", *shape, len(case.outputs))
            memory = _unpacked(entry["memory"], "<u2", *shape, 8) if "memory" in entry else case.data.memory
            yield case, registers, memory


if __name__ == "__main__":
    if sys.argv[1] == "compile":
        compile_programs(Path(sys.argv[2]))
    else:
        record(Path(sys.argv[2]), sys.argv[3])
