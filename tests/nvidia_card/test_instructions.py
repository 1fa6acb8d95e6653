"""NVIDIA's cards compute for inline PTX what the tests of the port expect."""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "porting"))

from test_porting_inline_ptx import differences

from nvidia_card import instructions

CARDS = sorted(instructions.RECORDS.glob("*.json"))

#: beginnings of statements of which a card says otherwise than the PTX ISA document, which the port follows
OTHERWISE = {
    "v*": "video instructions of one value: where the result is a part of a register, is clamped or has a second "
    "operation, nvcc 13 computes in another order than the document's pseudocode",
    "set.ge.f32.f32 *": "nvcc 13 gives the bits 1, the document the number 1",
    "mov.u32 %0, %%warpid;": "which slot a warp has is the card's choice",
}


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_instructions(path: Path) -> None:
    wrong, otherwise, count = [], set(), 0
    for case, number, words in instructions.simple_records(json.loads(path.read_text(encoding="utf-8"))):
        found, count = differences(case, number, words), count + 1
        listed = [pattern for pattern in OTHERWISE if fnmatchcase(case.template, pattern)]
        if listed and found:
            otherwise.update(listed)
        elif found:
            wrong.append(found[0])
    assert not wrong, f"{len(wrong)} of {count} instructions differ:\n" + "\n".join(wrong)
    assert count > 1000 and otherwise == OTHERWISE.keys()


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_matrix_instructions(path: Path) -> None:
    records = list(instructions.matrix_records(json.loads(path.read_text(encoding="utf-8"))))
    wrong = [
        f"{case.template} {difference}"
        for case, registers, memory in records
        for difference in case.differences(registers, memory)
    ]
    assert len(records) > 100 and not wrong, "\n".join(wrong[:20])
