"""mcc's additions to checked device code, held against IR as both supported clangs write it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from musa_sim.mcc.command_line.invocation import check_bits, parse_checks
from musa_sim.mcc.errors import DriverError
from musa_sim.mcc.ir.instructions import Instruction
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes import instrument
from musa_sim.mcc.passes.source_locations import SourceLocations
from musa_sim.mcc.runtime_abi.names import CONTEXT, LOCATION_OFFSET

READ, WRITE, ATOMIC, CARRY = 1, 2, 4, 8

MODULE = """\
target triple = "x86_64-unknown-linux-gnu"

@threadIdx = extern_weak global [3 x i32], align 4
@table = externally_initialized global [8 x i32] zeroinitializer, align 16
@weights = internal unnamed_addr constant [2 x float] [float 1.0, float 2.0], align 4
@tile = internal thread_local unnamed_addr global [64 x float] undef, align 16

define void @k(ptr noundef %p, i64 %n) #0 !dbg !4 {
  %own = alloca [4 x i32], align 4
  %part = getelementptr inbounds nuw i8, ptr %own, i64 4
BODY
  ret void
}

declare void @__musa_sim_sync_threads() #1

attributes #0 = { nounwind }
attributes #1 = { convergent nounwind "musa-suspends" }

!1 = !DIFile(filename: "kernel.mu", directory: "DIRECTORY")
!2 = !DIFile(filename: "/sdk/include/atomics.h", directory: "DIRECTORY")
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, unit: !9)
!5 = distinct !DISubprogram(name: "atomicAdd", file: !2, line: 7, unit: !9)
!6 = !DILocation(line: 3, column: 9, scope: !4)
!7 = !DILocation(line: 8, column: 1, scope: !5, inlinedAt: !6)
!8 = !DILocation(line: 0, scope: !4)
"""


def module(body: str) -> str:
    return MODULE.replace("BODY", body).replace("DIRECTORY", str(Path.cwd()))


def instrumented(text: str, shared: dict[str, dict[str, str]], libraries: list[str]) -> str:
    return instrument.instrument(Module.parse(text), shared, libraries).text


def source_locations(text: str, libraries: list[str]) -> SourceLocations:
    return SourceLocations(Module.parse(text).debug_nodes, libraries)


def checks_of(body: str) -> list[str]:
    """The calls that are put before a body's instructions."""
    text = instrumented(module(body), {"k": {"tile": "[64 x float]"}}, ["/sdk/include"])
    function = text[text.index("define void @k(") : text.index("\n}\n")]
    return [line.strip() for line in function.split("\n") if "__musa_sim_check" in line]


def word(flags: int, element: int, align: int) -> int:
    return flags | (element.bit_length() - 1) << 8 | (align.bit_length() - 1) << 16


CASES = {
    "  %v = load i32, ptr %p, align 4": (4, READ, 4, 4),
    "  %v = load volatile double, ptr %p, align 8, !tbaa !3": (8, READ, 8, 8),
    "  %v = load <4 x float>, ptr %p, align 16": (16, READ, 4, 16),
    "  %v = load <3 x i16>, ptr %p, align 2": (6, READ, 2, 2),
    "  %v = load atomic i32, ptr %p monotonic, align 4": (4, READ | ATOMIC, 4, 4),
    "  store i8 0, ptr %p, align 1": (1, WRITE, 1, 1),
    "  store ptr null, ptr %p, align 8": (8, WRITE, 8, 8),
    "  store [2 x i64] [i64 1, i64 2], ptr %p, align 8": (16, WRITE, 8, 8),
    "  store atomic volatile i64 %n, ptr %p release, align 8": (8, WRITE | ATOMIC, 8, 8),
    "  %v = atomicrmw volatile add ptr %p, i32 2 monotonic, align 4": (4, READ | WRITE | ATOMIC, 4, 4),
    "  %v = cmpxchg weak ptr %p, i64 %n, i64 1 monotonic monotonic, align 8": (8, READ | WRITE | ATOMIC, 8, 8),
}


@pytest.mark.parametrize("line", CASES)
def test_access(line: str) -> None:
    size, flags, element, align = CASES[line]
    (call,) = checks_of(line + ", !dbg !6")
    expected = f"call void @__musa_sim_check_access(ptr %p, i64 {size}, i32 {word(flags, element, align)}, ptr "
    assert call == expected + "@__musa_sim_location_0), !dbg !6"


def test_structures_are_measured_by_llvm() -> None:
    (call,) = checks_of("  %v = load { i8, double }, ptr %p, align 8")
    assert "i64 ptrtoint (ptr getelementptr ({ i8, double }, ptr null, i32 1) to i64)" in call
    assert call.endswith("ptr null)")  # nothing says which line it is


def test_own_variables_are_checked_with_their_bounds() -> None:
    """Where the address was computed: what is the variable's own, or as long as it, cannot leave it."""
    assert checks_of("  store i32 1, ptr %own, align 4") == []
    (read,) = checks_of("  %v = load i32, ptr %part, align 4")
    arguments = f"ptr %part, i64 4, i32 {word(READ, 4, 4)}, ptr null"
    assert read == f"call void @__musa_sim_check_local({arguments}, ptr %own, i64 16, ptr @__musa_sim_location_0)"
    several = "  %rows = alloca i32, i64 %n, align 4\n  %row = getelementptr i8, ptr %rows, i64 %n\n"
    assert checks_of(several + "  %v = load i32, ptr %row, align 4") == []
    unnamed = "  %ref.tmp3 = alloca { i8, double }, align 8\n  %at = getelementptr i8, ptr %ref.tmp3, i64 %n\n"
    (write,) = checks_of(unnamed + "  store i8 1, ptr %at, align 1")
    assert write.endswith("i64 ptrtoint (ptr getelementptr ({ i8, double }, ptr null, i32 1) to i64), ptr null)")


def test_the_context_is_not_checked() -> None:
    context = f"  %c = call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT})\n"
    assert checks_of(context + "  %f = getelementptr i8, ptr %c, i64 64\n  %v = load ptr, ptr %f, align 4") == []


def test_constant_addresses() -> None:
    (call,) = checks_of("  %v = load i32, ptr getelementptr inbounds (i8, ptr @table, i64 4), align 4")
    assert "(ptr getelementptr inbounds (i8, ptr @table, i64 4), i64 4," in call


def test_copies() -> None:
    copy = "  call void @llvm.memcpy.p0.p0.i64(ptr noundef align 4 %p, ptr align 8 {}, i64 %n, i1 false)"
    (both,) = checks_of(copy.format("@table"))
    aligns = 2 << 16 | 3 << 24
    assert both == f"call void @__musa_sim_check_copy(ptr %p, ptr @table, i64 %n, i32 {aligns}, ptr null)"
    read_own, write = checks_of(copy.format("%own"))
    assert read_own.startswith(f"call void @__musa_sim_check_local(ptr %own, i64 %n, i32 {word(READ | CARRY, 1, 8)},")
    assert write == f"call void @__musa_sim_check_access(ptr %p, i64 %n, i32 {word(WRITE, 1, 4)}, ptr null)"
    (read,) = checks_of("  tail call void @llvm.memmove.p0.p0.i64(ptr %own, ptr align 2 %p, i64 12, i1 false)")
    assert read == f"call void @__musa_sim_check_access(ptr %p, i64 12, i32 {word(READ | CARRY, 1, 2)}, ptr null)"
    (fill,) = checks_of("  call void @llvm.memset.p0.i64(ptr align 16 %p, i8 0, i64 32, i1 false)")
    assert fill == f"call void @__musa_sim_check_access(ptr %p, i64 32, i32 {word(WRITE, 1, 16)}, ptr null)"


def test_the_heap_of_kernels() -> None:
    body = "  %m = call noalias ptr @malloc(i64 16)\n  call void @free(ptr %m)"
    assert checks_of(body) == [
        "%m = call noalias ptr @__musa_sim_check_malloc(i64 16)",
        "call void @__musa_sim_check_free(ptr %m)",
    ]


def test_a_thread_that_waits_says_where() -> None:
    text = instrumented(module("  call void @__musa_sim_sync_threads(), !dbg !6"), {}, [])
    assert f"getelementptr i8, ptr %musa.check.0, i64 {LOCATION_OFFSET}, !dbg !6" in text
    assert "store ptr @__musa_sim_location_0, ptr %musa.check.0.at, align 8, !dbg !6" in text
    assert '@__musa_sim_location_0 = private unnamed_addr constant [14 x i8] c"kernel.mu:3:9\\00"' in text


def test_variables_get_red_zones_and_a_table() -> None:
    text = instrumented(module(""), {"k": {"tile": "[64 x float]"}}, [])
    zero = "zeroinitializer"
    assert f"@table = externally_initialized global {{ [8 x i32], [64 x i8] }} {zero}, align 16" in text
    assert f"@tile = internal thread_local unnamed_addr global {{ [64 x float], [256 x i8] }} {zero}, align 16" in text
    assert "@weights = internal unnamed_addr constant [2 x float] [float 1.0, float 2.0], align 4" in text
    # the table ends at a null address, which @threadIdx, defined nowhere, may be
    table = re.search(r"^@__musa_sim_globals = constant .*$", text, re.M)
    assert table
    assert re.findall(r"ptr @(\w+), i64 (\d+)", table.group(0)) == [("table", "32"), ("weights", "8")]
    assert "define void @__musa_sim_shared_k(ptr %visit, ptr %state) nounwind {" in text
    assert "call void %visit(ptr %state, ptr %at0, i64 256, ptr @__musa_sim_shared_name_0)" in text


def test_locations_are_the_users_own() -> None:
    locations = source_locations(module(""), ["/sdk/include"])
    assert locations.location(Instruction("  x, !dbg !6")) == "kernel.mu:3:9"
    assert locations.location(Instruction("  x, !dbg !7")) == "kernel.mu:3:9"  # inlined from a header of the SDK
    assert locations.location(Instruction("  x, !dbg !8")) == ""
    assert locations.location(Instruction("  x")) == ""
    below = source_locations(module("").replace("/sdk/include/", "sdk/include/"), [str(Path.cwd() / "sdk/include")])
    assert below.location(Instruction("  x, !dbg !7")) == "kernel.mu:3:9"  # the SDK lies below the working directory
    elsewhere = source_locations(module("").replace(str(Path.cwd()), "/elsewhere"), [])
    assert elsewhere.location(Instruction("  x, !dbg !6")) == "/elsewhere/kernel.mu:3:9"
    assert elsewhere.location(Instruction("  x, !dbg !7")) == "/sdk/include/atomics.h:8:1"


def test_names_of_checks() -> None:
    assert parse_checks("race, memory", "x") == ("memory", "race")
    assert parse_checks("all", "x") == ("memory", "race", "init", "sync", "leaks")
    assert parse_checks("all,host", "x")[-1] == "host"
    assert parse_checks("", "x") == parse_checks("none", "x") == ()
    with pytest.raises(DriverError, match="'rase' in MUSA_SIM_CHECK is no check"):
        parse_checks("rase", "MUSA_SIM_CHECK")
    assert check_bits(("memory", "init")) == 5
