"""Promises are removed from the front end's IR, and replaced, before anything is optimised."""

from __future__ import annotations

import pytest

from musa_sim.mcc.clang import arguments
from musa_sim.mcc.clang.cc1 import Cc1
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes.undefined import as_on_cards


def prepared(line: str) -> str:
    """Return the result for one line of a module: one of its own, or one of a function."""
    head, end = ("define void @f() {\n", "}\n") if line.startswith(" ") else ("", "")
    end = "  unreachable\n}\n" if line.startswith("define") else end
    text = as_on_cards(Module.parse(f"{head}{line}\n{end}")).text.partition("\ndeclare ")[0]
    return text.removeprefix(head).removesuffix("\n").removesuffix(end.rstrip("\n")).removesuffix("\n")


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
    assert prepared(line) == left


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
    assert prepared(line) == left


def test_variables_live_to_the_end() -> None:
    start = "  call void @llvm.lifetime.start.p0(i64 4, ptr %a) #3"
    assert prepared(f"{start}\n{start.replace('start', 'end')}") == start


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
    assert prepared(line) == line


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
    assert prepared(line).split("\n")[-1] == last


def test_counts_and_absolute_values_have_a_result() -> None:
    line = "  %a = call {} @llvm.{}.i32(i32 %x, i1 {})"
    for name in ("abs", "ctlz", "cttz"):
        assert prepared(line.format("i32", name, "true")) == line.format("i32", name, "false")


def test_device_code_is_compiled_without_fast_math() -> None:
    given = Cc1(
        ("clang", "-cc1"),
        ("-triple", "x86_64", "-ffast-math", "-ffp-contract=fast", "-mrecip=all", "-target-cpu", "x86-64"),
    )
    assert arguments.device_backend_args(given) == [
        *("-triple", "x86_64", "-ffp-contract=on", "-target-cpu", "x86-64"),
        *("-w", "-mllvm", "-non-global-value-max-name-size=1000000"),
    ]
    assert "-ffast-math" in arguments.backend_args(given)


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("  %c = call i32 @llvm.fptosi.sat.i32.f32(float %x), !dbg !2", "  %c = add i32 %musa.sat.1, 0, !dbg !2"),
        ("  %c = call i8 @llvm.fptoui.sat.i8.f32(float noundef %x)", "  %c = trunc i32 %musa.sat.1 to i8"),
        ("  %c = call i32 @llvm.fptosi.sat.i32.f16(half %x)", "  %c = call i32 @llvm.fptosi.sat.i32.f16(half %x)"),
        (
            "  %c = call i64 @llvm.fptoui.sat.i64.f64(double %x)",
            "  %c = select i1 %musa.nan.1, i64 -9223372036854775808, i64 %musa.number.1",
        ),
        (
            "  %c = call i64 @llvm.fptoui.sat.i64.f80(x86_fp80 %x)",
            "  %c = call i64 @llvm.fptoui.sat.i64.f80(x86_fp80 %x)",
        ),
        ("  %b = trunc i8 %v to i1, !dbg !2", "  %b = icmp ne i8 %v, 0, !dbg !2"),  # clang 19
        ("  %b = trunc nuw i8 %v to i1", "  %b = icmp ne i8 %v, 0"),  # clang 22
        ("  %b = trunc i32 %v to i1", "  %b = trunc i32 %v to i1"),
    ],
)
def test_conversions(line: str, last: str) -> None:
    assert prepared(line).split("\n")[-1] == last
