"""tests/force/mmcv/table.py writes results as a table; mmcv itself is not needed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from script_modules import module_of

DIFFERS = "AssertionError: Tensor-likes are not close! Mismatched elements: 1 / 2"


@pytest.fixture
def table() -> ModuleType:
    module = module_of(Path(__file__).parent / "mmcv" / "table.py", "mmcv_table")
    module.OPERATORS("right", "a formula", "float16 float32")(lambda dtype: None)
    module.OPERATORS("wrong", "a formula", known="a race in it")(lambda dtype: None)
    return module


def test_widths_that_say_the_same_share_a_column(table: ModuleType) -> None:
    results = {"right": {"float16": "agrees", "float32": "agrees"}, "wrong": {"float32": DIFFERS}}
    assert table.lines({"32": results, "128": results}) == [
        "| operator | against | warps of 32 and of 128 |",
        "|---|---|---|",
        "| right | a formula | float16, float32 |",
        "| wrong | a formula | no: a race in it |",
    ]


def test_widths_that_differ_have_a_column_each(table: ModuleType) -> None:
    narrow, wide = (
        {"right": {"float16": "agrees", "float32": "agrees"}},
        {"right": {"float16": "no", "float32": "agrees"}},
    )
    assert table.lines({"32": narrow, "128": wide})[2:] == [
        "| right | a formula | float16, float32 | float32; float16: no |"
    ]


@pytest.mark.parametrize(
    "said", ["-: the process ended with -11", "RuntimeError: MUSA error: unspecified", "AssertionError"]
)
def test_only_a_difference_is_expected_of_an_operator_that_is_known_to_differ(table: ModuleType, said: str) -> None:
    right, wrong = table.OPERATORS.all["right"], table.OPERATORS.all["wrong"]
    assert table.expected(DIFFERS, wrong)
    assert not table.expected(said, wrong)
    assert not table.expected(DIFFERS, right)
    assert said in table.cell(wrong, {"float32": said})
