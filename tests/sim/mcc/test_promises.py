"""What is removed from the front end's IR before anything is optimised, and what is put in its place."""

from __future__ import annotations

import pytest

from musa_sim.mcc.clang import arguments
from musa_sim.mcc.clang.cc1 import Cc1
from musa_sim.mcc.ir.promises import remove_ends_of_lifetimes, remove_fast_math, remove_promises_of_values
from musa_sim.mcc.passes.arithmetic import as_gpus


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("define nonnull ptr @f(ptr nonnull align 4 dereferenceable(4) %r) #0 {", "define ptr @f(ptr align 4 %r) #0 {"),
        ("declare ptr @f(ptr dereferenceable_or_null(8))", "declare ptr @f(ptr)"),
        ("  %1 = call nofpclass(nan inf) float @f(float nofpclass(nan) %x)", "  %1 = call float @f(float %x)"),
        (
            "  %r = load ptr, ptr %p, align 8, !nonnull !4, !align !5, !tbaa !6",
            "  %r = load ptr, ptr %p, align 8, !tbaa !6",
        ),
        ("  %a = getelementptr inbounds nuw i8, ptr %p, i64 %n", "  %a = getelementptr inbounds i8, ptr %p, i64 %n"),
        ('@s = constant [10 x i8] c" nonnull \\00"', '@s = constant [10 x i8] c" nonnull \\00"'),
    ],
)
def test_promises_of_values(line: str, left: str) -> None:
    assert remove_promises_of_values(line) == left


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("  %d = fdiv fast float %x, %y", "  %d = fdiv float %x, %y"),
        ("  %c = fcmp nnan ninf uno float %x, %x", "  %c = fcmp uno float %x, %x"),
        ('  %"a b" = tail call reassoc arcp float @f(float %x)', '  %"a b" = tail call float @f(float %x)'),
        ("  %s = select contract i1 %c, float %x, float %y", "  %s = select i1 %c, float %x, float %y"),
        ("  %p = phi nsz afn float [ %x, %a ], [ %y, %b ]", "  %p = phi float [ %x, %a ], [ %y, %b ]"),
        ("  %i = call fastcc i32 @fast(i32 %n)", "  %i = call fastcc i32 @fast(i32 %n)"),
        (
            'attributes #0 = { nounwind "no-nans-fp-math"="true" "target-cpu"="x86-64" "unsafe-fp-math"="true" }',
            'attributes #0 = { nounwind "target-cpu"="x86-64" }',
        ),
    ],
)
def test_permissions_of_fast_math(line: str, left: str) -> None:
    assert remove_fast_math(line) == left


def test_variables_live_to_the_end() -> None:
    start = "  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %a) #3\n"
    assert remove_ends_of_lifetimes(start + start.replace("start", "end")) == start


@pytest.mark.parametrize(
    "line",
    [
        "  %s = shl i32 %x, 31",
        "  %s = ashr exact i64 %x, 2",
        "  %q = sdiv i32 %x, -7",
        "  %q = urem i64 %x, 10, !dbg !4",
        "  %q = fdiv float %x, 0.0",
    ],
)
def test_operations_with_a_result_stay(line: str) -> None:
    assert as_gpus(line) == line


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("  %s = shl nsw i32 %x, %n", "  %s = select i1 %musa.shift.fits.1, i32 %musa.shift.shifted.1, i32 0"),
        ("  %s = lshr i64 %x, 64", "  %s = select i1 %musa.shift.fits.1, i64 %musa.shift.shifted.1, i64 0"),
        ("  %s = ashr i32 %x, %n, !dbg !4", "  %s = ashr i32 %x, %musa.shift.amount.1, !dbg !4"),
        (
            "  %s = shl <2 x i32> %x, <i32 1, i32 %n>",
            "  %s = select <2 x i1> %musa.shift.fits.1, <2 x i32> %musa.shift.shifted.1, <2 x i32> <i32 0, i32 0>",
        ),
        ("  %q = udiv i32 %x, %n", "  %q = select i1 %musa.division.zero.1, i32 -1, i32 %musa.division.divided.1"),
        ("  %q = sdiv i32 %x, 0", "  %q = select i1 %musa.division.zero.1, i32 -1, i32 %musa.division.value.1"),
        ("  %q = srem i64 %x, -1", "  %q = select i1 %musa.division.zero.1, i64 -1, i64 %musa.division.divided.1"),
    ],
)
def test_the_others_get_one(line: str, last: str) -> None:
    assert as_gpus(line).split("\n")[-1] == last


def test_counts_and_absolute_values_have_a_result() -> None:
    line = "  %a = call {} @llvm.{}.i32(i32 %x, i1 {})"
    for name in ("abs", "ctlz", "cttz"):
        assert as_gpus(line.format("i32", name, "true")) == line.format("i32", name, "false")


def test_device_code_is_compiled_without_fast_math() -> None:
    given = Cc1(
        ("clang", "-cc1"),
        ("-triple", "x86_64", "-ffast-math", "-ffp-contract=fast", "-mrecip=all", "-target-cpu", "x86-64"),
    )
    assert arguments.device_backend_args(given) == [
        *("-triple", "x86_64", "-ffp-contract=on", "-target-cpu", "x86-64"),
        "-w",
    ]
    assert "-ffast-math" in arguments.backend_args(given)
