"""Grid-stride loops as rows of threads, and atomics on shared memory as plain accesses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from musa_sim.mcc.ir.blocks import code_of, parse_code
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes import grid_rows
from musa_sim.mcc.passes.atomic_accesses import plain_shared_atomics
from musa_sim.mcc.passes.thread_independence import (
    is_independent,
    marked_accesses,
    unchanged_arguments,
    unchanged_classes,
    with_plain_pointers,
)

SOURCE = Path(__file__).with_name("rows_and_atomics.mu")


def run(program: Path, fibers: str) -> list[str]:
    env = {**os.environ, "MUSA_SIM_FIBERS": fibers}
    done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_rows_and_fibers_agree(sim_sdk_root: Path, tmp_path: Path) -> None:
    # the checked build keeps both its loops and its atomics as they are
    programs = {"plain": [], "checked": ["--sim-check=memory"]}
    for name, flags in programs.items():
        command = [sim_sdk_root / "bin/mcc", "-O2", *flags, SOURCE, "-lmusart", "-o", tmp_path / name]
        subprocess.run(command, check=True)
    expected = run(tmp_path / "checked", "1")
    assert len(expected) == 8 * 17 + 3
    assert all(": 0 " in line for line in expected)
    assert run(tmp_path / "plain", "0") == expected
    assert run(tmp_path / "plain", "1") == expected


LOOP = """define void @k(ptr %out, i32 %n, i32 %musa.thread_idx_x, i32 %musa.block_idx_x) {
entry:
  %block = add i32 %musa.block_idx_x, 0
  %size = add i32 %musa.block_dim_x, 0
  %mul = mul i32 %size, %block
  %thread = add i32 %musa.thread_idx_x, 0
  %add = add i32 %mul, %thread
  %wide = zext i32 %add to i64
  %bound = sext i32 %n to i64
  %cmp = icmp slt i64 %wide, %bound
  br i1 %cmp, label %before, label %done

before:                                           ; preds = %entry
  %grid = add i32 %musa.grid_dim_x, 0
  %step = mul i32 %grid, %size
  %step.wide = zext i32 %step to i64
  br label %body

body:                                             ; preds = %before, %body
  %i = phi i64 [ %next, %body ], [ %wide, %before ]
  %at = getelementptr float, ptr %out, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i64 %i, %step.wide
  %more = icmp slt i64 %next, %bound
  br i1 %more, label %body, label %done

done:                                             ; preds = %body, %entry
  ret void
}
"""
IN_LOOP = "  store float 1.0, ptr %at, align 4\n"


def found(code: str) -> grid_rows.GridRows | None:
    blocks = parse_code(code)
    return grid_rows.find(blocks, grid_rows.bounds_check(blocks))


def test_a_loop_that_is_rows() -> None:
    rows = found(LOOP)
    assert rows is not None
    assert rows.stride == "%musa.block_dim_x"
    once = code_of(rows.once)
    assert "  %i = phi i64 [ %wide, %before ]\n" in once
    assert "  %more = icmp slt i64 %next, %bound\n  br label %done\n" in once


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("icmp slt i64 %wide, %bound", "icmp sgt i64 %bound, %wide"),
        ("icmp slt i64 %next, %bound", "icmp sgt i64 %bound, %next"),
        (
            "icmp slt i64 %next, %bound\n  br i1 %more, label %body, label %done",
            "icmp sge i64 %next, %bound\n  br i1 %more, label %done, label %body",
        ),
        ("%size = add i32 %musa.block_dim_x, 0", "%size = add i32 256, 0"),
    ],
)
def test_the_same_loop_spelled_otherwise(old: str, new: str) -> None:
    assert old in LOOP
    assert found(LOOP.replace(old, new)) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("%step = mul i32 %grid, %size", "%step = mul i32 %grid, 128", id="another step"),
        pytest.param("%next, %bound", "%next, %step.wide", id="another bound"),
        pytest.param("icmp slt i64 %next", "icmp sle i64 %next", id="another comparison"),
        pytest.param(
            "br i1 %more, label %body, label %done", "br i1 %more, label %done, label %body", id="the other way"
        ),
        pytest.param(IN_LOOP, IN_LOOP + "  %mine = add i32 %block, 1\n", id="blockIdx in the loop"),
        pytest.param(IN_LOOP, IN_LOOP + "  %mine = add i32 %mul, 1\n", id="what is made of blockIdx in the loop"),
        pytest.param(IN_LOOP, "  %sum = phi i32 [ %sum1, %body ], [ 0, %before ]\n" + IN_LOOP, id="a sum"),
        pytest.param("  ret void", "  store i32 1, ptr %out, align 4\n  ret void", id="work after the loop"),
        pytest.param("  br label %body", "  store i32 1, ptr %out, align 4\n  br label %body", id="work before it"),
        pytest.param("%add = add i32 %mul, %thread", "%add = sub i32 %mul, %thread", id="another start"),
        pytest.param(
            "%add = add i32 %mul, %thread",
            "%twice = add i32 %mul, %thread\n  %add = add i32 %twice, %thread",
            id="two threads apart",
        ),
        pytest.param(
            IN_LOOP,
            IN_LOOP + "  %c = icmp eq i64 %i, 5\n  br i1 %c, label %done, label %on\n\non:\n",
            id="a second way out",
        ),
    ],
)
def test_loops_that_are_no_rows(old: str, new: str) -> None:
    assert old in LOOP
    assert found(LOOP.replace(old, new)) is None


@pytest.mark.parametrize(
    ("line", "independent"),
    [
        ("%a = load i32, ptr %p, align 4", True),
        ("%a = load volatile i32, ptr %p, align 4", False),
        ("%a = atomicrmw add ptr %p, i32 1 monotonic, align 4", False),
        ("%a = alloca i32, align 4", False),
        ("%a = call ptr @llvm.threadlocal.address.p0(ptr @tile)", False),
    ],
)
def test_what_makes_threads_depend_on_each_other(line: str, independent: bool) -> None:
    (kernel,) = Module.parse(f"define void @k(ptr %p) {{\n  {line}\n  ret void\n}}\n").functions.values()
    assert is_independent(kernel, kernel) is independent
    assert (", !llvm.access.group !" in code_of(marked_accesses(kernel.blocks))) is (
        "load" in line or "atomicrmw" in line
    )


def test_constant_classes_are_not_copied_for_each_thread() -> None:
    module = """%struct.Small = type { ptr, [2 x i32], i16 }
%"struct.(anonymous namespace)::Large" = type { [10 x %struct.Small], [3 x double] }
define void @k(ptr readonly byval(%struct.Small) align 8 %a, ptr byval(%struct.Small) align 8 %b, \
ptr readonly byval(%"struct.(anonymous namespace)::Large") align 8 %c, ptr readonly %d) {
  ret void
}
"""
    (kernel,) = Module.parse(module).functions.values()
    unchanged = unchanged_classes(kernel)
    assert list(unchanged) == [0, 2]
    parameters = with_plain_pointers(unchanged, kernel.parameters)
    assert parameters[0] == "ptr noalias readonly %a"
    assert parameters[1] == "ptr byval(%struct.Small) align 8 %b"
    assert parameters[2] == "ptr noalias readonly %c"
    types = Module.parse(module).types
    code, call = unchanged_arguments(unchanged, types, "", "ptr %at0, ptr %at1, ptr %at2, ptr %value3")
    assert call == "ptr %copy0, ptr %at1, ptr align 8 %at2, ptr %value3"
    assert code.count("@llvm.memcpy") == 1  # of the small one, before the loop
    assert not is_independent(kernel, kernel)  # it may change %b


MODULE = """@tile = internal thread_local global [16 x i32] undef, align 4
@__musa_sim_context = external thread_local(initialexec) global [96 x i8], align 8
define void @k(ptr %global) {
entry:
  %0 = tail call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @tile)
  %1 = getelementptr inbounds [16 x i32], ptr %0, i64 0, i64 3
  %2 = atomicrmw OPERATION ptr %1, i32 7 monotonic, align 4
  %context = call ptr @llvm.threadlocal.address.p0(ptr @__musa_sim_context)
  %field = getelementptr i8, ptr %context, i64 64
  %dynamic = load ptr, ptr %field, align 8
  %3 = cmpxchg weak ptr %dynamic, i64 %a, i64 %b monotonic monotonic, align 8
  %4 = load atomic i32, ptr %1 acquire, align 4
  store atomic i32 %4, ptr %1 release, align 4
  %5 = atomicrmw add ptr %global, i32 7 monotonic, align 4
  %6 = atomicrmw volatile add ptr %1, i32 7 monotonic, align 4
  %7 = atomicrmw uinc_wrap ptr %1, i32 7 monotonic, align 4
  %other = getelementptr i8, ptr %context, i64 80
  %place = load ptr, ptr %other, align 8
  %8 = atomicrmw add ptr %place, i32 7 monotonic, align 4
  ret void
}
"""


@pytest.mark.parametrize("operation", ["add", "xchg", "max", "umin"])
def test_atomics_on_shared_memory_are_plain(operation: str) -> None:
    lines = plain_shared_atomics(Module.parse(MODULE.replace("OPERATION", operation))).text.splitlines()
    atomic = [line for line in lines if " atomicrmw " in line or " cmpxchg " in line or " atomic " in line]
    assert [line.split()[0] for line in atomic] == ["%5", "%6", "%7", "%8"]
    assert "  %2 = load i32, ptr %1, align 4" in lines
    assert "  %4 = load i32, ptr %1, align 4" in lines
    assert "  store i32 %4, ptr %1, align 4" in lines
    assert any(line.startswith("  %3 = insertvalue { i64, i1 } ") for line in lines)


def test_a_module_without_shared_memory_stays_as_it_is() -> None:
    module = MODULE.replace("thread_local global [16", "global [16").replace("i64 64", "i64 72")
    assert plain_shared_atomics(Module.parse(module)).text == module
