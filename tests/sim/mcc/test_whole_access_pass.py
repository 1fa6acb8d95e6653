"""Which copies and accesses become atomic ones that LLVM does not take apart, in IR."""

from __future__ import annotations

import pytest

from musa_sim.mcc.clang import cpu
from musa_sim.mcc.ir.instructions import Instruction
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes.atomic_accesses import with_whole_accesses

FENCE = "  fence seq_cst"
MODULE = """\
target triple = "x86_64-unknown-linux-gnu"
@tile = thread_local global [4 x i8] undef, align 16
define void @k(ptr %p, ptr %q, ptr byval(%c) align 16 %by) {
  %own = alloca %c, align 16
  %part = getelementptr i8, ptr %own, i64 16
  %shared = call ptr @llvm.threadlocal.address.p0(ptr @tile)
BODY
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def copy(to: str, source: str, size: int, volatile: str = "false") -> str:
    return f"  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 {volatile}), !dbg !7"


def changed(line: str, widest: int = 16, beside: str = FENCE) -> list[str]:
    """Return the lines made of one in a kernel that has another one, too."""
    module = with_whole_accesses(Module.parse(MODULE.replace("BODY", f"{line}\n{beside}")), ["k"], widest)
    text = module.functions["k"].text
    return text[text.index("@tile)\n") + 7 : text.index(f"\n{beside}")].split("\n")


def test_a_copy_is_read_at_once() -> None:
    assert changed(copy("align 16 %own", "align 16 %p", 16)) == [
        "  %musa.whole.0.0 = load atomic i128, ptr %p unordered, align 16, !dbg !7",
        "  store i128 %musa.whole.0.0, ptr %own, align 16, !dbg !7",
    ]


def test_a_copy_is_written_at_once() -> None:
    assert changed(copy("align 8 %q", "align 4 %part", 8)) == [
        "  %musa.whole.0.0 = load i64, ptr %part, align 4, !dbg !7",
        "  store atomic i64 %musa.whole.0.0, ptr %q unordered, align 8, !dbg !7",
    ]


def test_a_volatile_copy_stays_volatile() -> None:
    assert changed(copy("align 4 %q", "align 4 %p", 4, "true")) == [
        "  %musa.whole.0.0 = load atomic volatile i32, ptr %p unordered, align 4, !dbg !7",
        "  store atomic volatile i32 %musa.whole.0.0, ptr %q unordered, align 4, !dbg !7",
    ]


@pytest.mark.parametrize(
    ("size", "align", "widest", "parts"),
    [
        (32, 16, 16, [16, 16]),
        (32, 32, 16, [16, 16]),
        (16, 16, 8, [8, 8]),
        (12, 4, 16, [4, 4, 4]),
        (6, 2, 16, [2, 2, 2]),
        (7, 4, 16, [4, 2, 1]),
    ],
)
def test_the_parts_of_a_copy(size: int, align: int, widest: int, parts: list[int]) -> None:
    lines = changed(copy("align 16 %own", f"align {align} %p", size), widest)
    reads = [found for line in lines if (found := Instruction(line).access) and found.opcode == "load"]
    assert [found.type for found in reads] == [f"i{8 * part}" for part in parts]
    assert all(found.is_whole and not found.is_atomic for found in reads)
    steps = [line.rpartition("i64 ")[2].partition(",")[0] for line in lines if "getelementptr i8, ptr %p" in line]
    assert [int(step) for step in steps] == [sum(parts[:at]) for at in range(1, len(parts))]


@pytest.mark.parametrize(
    "line",
    [
        copy("align 16 %own", "align 16 %by", 16),  # no other thread sees either
        copy("align 16 %part", "align 16 %shared", 16),
        copy("align 16 %own", "align 1 %p", 16),  # cards read each byte
        copy("align 16 %own", "align 16 %p", 64),
        copy("align 16 %own", "align 16 %p", 1),
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %own, ptr align 16 %p, i64 %n, i1 false)",
        "  %v = load i64, ptr %p, align 8",
        "  %v = load <4 x float>, ptr %own, align 16",
        "  %v = load <4 x float>, ptr %p, align 4",
        "  %v = load volatile <4 x float>, ptr %p, align 16",
    ],
)
def test_what_stays(line: str) -> None:
    assert changed(line) == [line]


def test_vectors_and_wide_integers() -> None:
    assert changed("  %v = load <4 x float>, ptr %p, align 16") == [
        "  %musa.whole.0 = load atomic i128, ptr %p unordered, align 16",
        "  %v = bitcast i128 %musa.whole.0 to <4 x float>",
    ]
    assert changed("  store i128 %v, ptr %p, align 16") == [
        "  %musa.whole.0 = bitcast i128 %v to i128",
        "  store atomic i128 %musa.whole.0, ptr %p unordered, align 16",
    ]


@pytest.mark.parametrize(
    ("beside", "is_changed"),
    [
        ("  store volatile i32 1, ptr %q, align 4", True),
        ("  %o = atomicrmw add ptr %q, i32 1 seq_cst, align 4", True),
        ('  call void asm sideeffect "", "~{memory}"()', True),
        ("  store i32 1, ptr %q, align 4", False),
    ],
)
def test_kernels_that_tell_others_nothing_stay(beside: str, is_changed: bool) -> None:
    line = copy("align 8 %own", "align 8 %p", 8)
    assert (changed(line, beside=beside) != [line]) == is_changed


def test_functions_of_such_kernels() -> None:
    """A kernel is changed with the functions that it calls, through pointers as well."""
    line = copy("align 8 %q", "align 8 %p", 8)
    callee = f"define void @f(ptr %p, ptr %q) {{\n{line}\n  ret void\n}}\n"
    for call, kernel, is_changed in (
        ("  call void @f(ptr %p, ptr %q)", FENCE, True),
        ("  call void %p(ptr %p, ptr %q)", FENCE, True),
        ("  call void @f(ptr %p, ptr %q)", "  store i32 1, ptr %p, align 4", False),
        ("  store i32 1, ptr %p, align 4", FENCE, False),
    ):
        module = Module.parse(MODULE.replace("BODY", f"{call}\n{kernel}") + callee)
        text = with_whole_accesses(module, ["k"], 16).functions["f"].text
        assert ("unordered" in text) == is_changed


def test_which_processors_have_sixteen_bytes() -> None:
    assert [cpu.widest_access(name, ["-target-cpu", "x86-64"]) for name in ("", cpu.V3, cpu.V4)] == [8, 16, 16]
    assert cpu.widest_access("", ["-target-cpu", "znver3", "-target-feature", "+avx", "-target-feature", "+cx16"]) == 16
