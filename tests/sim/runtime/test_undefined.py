"""Code that C++ leaves undefined and kernels use all the same computes what nvcc's code does, in every form."""

from __future__ import annotations

import pytest
from sim_programs import Build

LOWEST = -(2**31)
EXPECTED = {
    # aliasing
    "halves_read_as_words": 124 + 124,
    "class_written_as_words": 10,
    "integer_and_float": 0x40000000,
    "two_classes": 2,
    "pointer_and_integer": 5,
    "members_of_a_union": 0x40000000,
    "two_names_of_dynamic_shared_memory": 0x40000000,
    # overflow
    "absolute_value_of_the_lowest": 1,
    "absolute_value_modulo": -8,
    "absolute_value_of_long": 1,
    "hash_of_products": 1,
    "product_in_a_loop": 1,
    "sum_that_overflows": LOWEST,
    # shifts
    "left_by_the_width": 0,
    "left_beyond": 0,
    "left_by_a_negative_number": 0,
    "right_by_the_width": 0,
    "arithmetic_right_beyond": -1,
    "arithmetic_right_of_a_positive_number": 0,
    "long_left_by_the_width": 1,
    "long_right_by_the_width": 1,
    "byte_left_beyond": 0,
    "mask_of_all_bits": -1,
    "rotation_by_nothing": 0x12345678,
    "shift_then_test": 0,
    "left_by_the_thread": 1,
    "right_by_the_thread": 1,
    "arithmetic_right_by_the_thread": 1,
    "vector_left_by_the_width": 14 + 7,
    # divisions
    "divided_by_zero": -1,
    "unsigned_divided_by_zero": -1,
    "long_divided_by_zero": -1,
    "remainder_by_zero": -1,
    "unsigned_remainder_by_zero": -1,
    "lowest_divided_by_minus_one": LOWEST,
    "lowest_modulo_minus_one": 0,
    "seven_divided_by_minus_one": -7,
    "divided_then_tested": 5,
    "divided_by_the_thread": 1,
    "leading_zeros_of_nothing": 32,
    "trailing_zeros_of_nothing": 64,
    # null
    "reference_to_null": 1,
    "this_is_null": 7,
    "member_that_refers_to_null": 8,
    "reference_beyond_the_end": 42,
    "reference_in_a_loop_that_does_not_run": 0,
    "new_that_fails": 1,
    # control flow
    "loop_without_effect": 3,
    "return_forgotten_on_a_path": 3,
    "return_forgotten": 6,
    "return_of_a_class_forgotten": 8,
    # values
    "enum_out_of_range": 40,
    "byte_read_as_bool": 1,
    "infinity_as_int": 2**31 - 1,
    "huge_as_byte": 255,
    "nan_as_int": 0,
    "unset_variable_is_one_value": 1,
    # pointers and lifetimes
    "array_that_starts_at_one": 3,
    "unsigned_negative_index": 19,
    "scope_that_ended": 11,
    "copy_onto_itself": 50,
    "beyond_a_row": 3,
}
LEVELS = [
    "-O0",
    pytest.param("-O1", marks=pytest.mark.slow),
    "-O2",
    pytest.param("-O3", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("fibers", ["0", "1"], ids=["", "fibers"])
@pytest.mark.parametrize("form", ["loop", "barrier"])
@pytest.mark.parametrize("level", LEVELS)
def test_undefined_behaviour_is_that_of_cards(build: Build, level: str, form: str, fibers: str) -> None:
    program = build("undefined.mu", flags=[level, "-w"])
    result = program(form, env={"MUSA_SIM_FIBERS": fibers, "MUSA_SIM_WATCHDOG": "20"})
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {name: str(value) for name, value in EXPECTED.items()}
