"""A coroutine after LLVM's split: which parameters its frame holds, and where it resumes."""

from __future__ import annotations

import pytest

from musa_sim.mcc.ir.blocks import code_of
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes.split_coroutine import SplitCoroutine, split_coroutine

START = """\
define hidden ptr @k(ptr %coro.memory, ptr %coro.size.out, i32 %n, ptr %"out$") {
coro.entry:
  store i64 56, ptr %coro.size.out, align 8
  %coro.align.out = getelementptr i8, ptr %coro.size.out, i64 8
  store i64 8, ptr %coro.align.out, align 8
  %coro.is.query = icmp eq ptr %coro.memory, null
  br i1 %coro.is.query, label %common.ret, label %coro.start

common.ret:
  %common.ret.op = phi ptr [ %coro.memory, %coro.start ], [ null, %coro.entry ]
  ret ptr %common.ret.op

coro.start:
  %resume.addr = getelementptr inbounds nuw %k.Frame, ptr %coro.memory, i32 0, i32 0
  store ptr @k.resume, ptr %resume.addr, align 8
  %"out$.spill.addr" = getelementptr inbounds %k.Frame, ptr %coro.memory, i32 0, i32 2
  store ptr %"out$", ptr %"out$.spill.addr", align 8
  %n.spill.addr = getelementptr inbounds %k.Frame, ptr %coro.memory, i32 0, i32 3
  store i32 %n, ptr %n.spill.addr, align 4
  %n.reload.addr = getelementptr inbounds %k.Frame, ptr %coro.memory, i32 0, i32 3
  %n.reload = load i32, ptr %n.reload.addr, align 4
  store i32 %n.reload, ptr %"out$", align 4
  store i8 1, ptr %coro.1.point, align 1
  %index.addr1 = getelementptr inbounds nuw %k.Frame, ptr %coro.memory, i32 0, i32 5
  store i2 0, ptr %index.addr1, align 1
  br label %common.ret
}
"""
RESUME = """\
define internal fastcc void @k.resume(ptr noundef %coro.frame) {
entry.resume:
  %index.addr = getelementptr inbounds nuw %k.Frame, ptr %coro.frame, i32 0, i32 5
  %index = load i2, ptr %index.addr, align 1
  switch i2 %index, label %unreachable [
    i2 0, label %resume.0
    i2 -2, label %resume.1
  ]

resume.0:
  %n.reload.addr = getelementptr inbounds %k.Frame, ptr %coro.frame, i32 0, i32 3
  %n.reload = load i32, ptr %n.reload.addr, align 4
  %kept.spill.addr = getelementptr inbounds %k.Frame, ptr %coro.frame, i32 0, i32 4
  store i32 %n.reload, ptr %kept.spill.addr, align 4
  store i8 2, ptr %coro.2.point, align 1
  br label %CoroSave

CoroSave:
  %index.addr2 = getelementptr inbounds nuw %k.Frame, ptr %coro.frame, i32 0, i32 5
  store i2 -2, ptr %index.addr2, align 1
  br label %CoroSuspend

CoroSuspend:
  br label %resume.1.landing

resume.1:
  br label %resume.1.landing

resume.1.landing:
  %0 = phi i8 [ -1, %CoroSuspend ], [ 0, %resume.1 ]
  switch i8 %0, label %CoroEnd [
    i8 0, label %coro.after.2
  ]

coro.after.2:
  %kept.reload.addr = getelementptr inbounds %k.Frame, ptr %coro.frame, i32 0, i32 4
  %kept.reload = load i32, ptr %kept.reload.addr, align 4
  %out.reload.addr = getelementptr inbounds %k.Frame, ptr %coro.frame, i32 0, i32 2
  %out.reload = load ptr, ptr %out.reload.addr, align 8
  store i32 %kept.reload, ptr %out.reload, align 4
  store i8 0, ptr %coro.end.point, align 1
  br label %CoroEnd

CoroEnd:
  ret void

unreachable:
  unreachable
}
"""
ONE_OF_TWO = "%x = phi ptr [ %n.reload.addr, %a ], [ %b, %c ]"
PASSED = {"%n": "%given.n", '%"out$"': "%given.out"}


def read(start: str = START, resume: str = RESUME) -> SplitCoroutine | None:
    found = Module.parse(start + resume).functions
    return split_coroutine(found["k"], found["k.resume"], PASSED, exited=0)


def test_parameters_are_known_without_the_frame() -> None:
    split = read()
    assert split is not None
    assert split.frame == "%coro.frame"
    assert "store i32 %given.n, ptr %kept.spill.addr" in code_of(split.resume)
    assert "store i32 %kept.reload, ptr %given.out" in code_of(split.resume)
    assert "%n.reload" not in code_of(split.resume) + split.start.text and "spill.addr" not in split.start.text
    assert 'store i32 %n, ptr %"out$", align 4' in split.start.text


def test_each_suspend_point_has_its_own_code() -> None:
    split = read()
    assert split is not None and dict(split.targets) == {1: "%resume.0", 2: "%resume.1"}
    first, second = code_of(split.resume_at(1)), code_of(split.resume_at(2))
    assert "coro.after.2" not in first and "store i8 2" in first
    assert "store i8 2" not in second and "store i32 %kept.reload, ptr %given.out" in second
    assert not any(
        "index.addr" in text or "store i2" in text for text in (first, second, split.start_without_state.text)
    )
    assert "store i2 0" in split.start.text and "store i2 -2" in code_of(split.resume)


def test_each_slot_is_a_column_of_all_threads_and_the_state_the_last() -> None:
    split = read()
    assert split is not None and split.frame_size == 0
    assert (split.columns_without_state, split.columns) == (4 * 1024 + 64, 4 * 1024 + 64 + 1024 + 64)
    assert split.start.parameters[0] == "ptr noalias %coro.memory" and split.start.parameters[-1] == "i64 %musa.rank"
    resumed = code_of(split.resume)
    kept, state = "{ [0 x i8], [1024 x [4 x i8]] }", "{ [4160 x i8], [1024 x [1 x i8]] }"
    thread = "ptr %coro.frame, i64 0, i32 1, i64 %musa.rank"
    assert f"%kept.spill.addr = getelementptr inbounds {kept}, {thread}" in resumed
    assert f"%index.addr2 = getelementptr inbounds {state}, {thread}" in resumed


@pytest.mark.parametrize("kind", ["variable", "structure"])
def test_a_frame_with_a_variable_or_a_structure_stays(kind: str) -> None:
    store = "store i32 %kept.reload,"
    resume = RESUME.replace(store, f"call void @f(ptr %kept.reload.addr)\n  {store}")
    if kind == "structure":
        resume = RESUME.replace("load i32, ptr %kept", "load { i32 }, ptr %kept")
    split = read(resume=resume)
    assert split is not None and (split.frame_size, split.alignment, split.columns) == (56, 8, 0)
    assert len(split.start.parameters) == 4
    assert "%kept.spill.addr = getelementptr inbounds %k.Frame, ptr %coro.frame, i32 0, i32 4" in code_of(split.resume)


def test_a_field_whose_address_is_used_is_a_variable() -> None:
    split, store = read(), "store i32 %kept.reload,"
    passed_on = read(resume=RESUME.replace(store, f"call void @f(ptr %kept.reload.addr)\n  {store}"))
    assert split is not None and not split.has_variables
    assert passed_on is not None and passed_on.has_variables


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # two values in one field, whatever the name says
        ("i32 0, i32 4\n  store i32 %n.reload,", "i32 0, i32 3\n  store i32 %other,"),
        # a vector of two fields
        ("%n.reload = load i32,", "%n.reload = load <2 x i32>,"),
        # one of two addresses
        ("%n.reload = load i32, ptr %n.reload.addr,", f"{ONE_OF_TWO}\n  %n.reload = load i32, ptr %x,"),
        # an address that goes elsewhere
        ("  store i8 2,", "  store ptr %n.reload.addr, ptr %somewhere\n  store i8 2,"),
    ],
)
def test_a_field_that_may_hold_something_else_is_loaded(old: str, new: str) -> None:
    assert old in RESUME
    split = read(resume=RESUME.replace(old, new))
    assert split is not None
    assert "%given.n" not in code_of(split.resume) and " %n.reload = load " in code_of(split.resume)
    assert "store i32 %n, ptr %n.spill.addr" in split.start.text
    assert "%given.out" in code_of(split.resume)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("store i2 -2,", "store i2 %merged,"),
        ("store i2 -2,", "store i2 0,"),
        ("store i8 2, ptr %coro.2.point", "store i8 1, ptr %coro.1.point"),
        ("store i8 2, ptr %coro.2.point", "store i8 %merged, ptr %coro.2.point"),
        ("    i2 -2, label %resume.1\n", ""),
    ],
)
def test_states_that_do_not_identify_suspend_points_stay_in_the_frame(old: str, new: str) -> None:
    split = read(resume=RESUME.replace(old, new))
    assert split is not None and not split.targets


def test_a_frame_that_is_used_otherwise_is_not_understood() -> None:
    odd = "  %at = getelementptr inbounds nuw i8, ptr %coro.frame, i64 %chosen\n"
    assert read(resume=RESUME.replace("resume.0:\n", f"resume.0:\n{odd}")) is None
    assert read(start=START.replace("i64 56", "i64 %size")) is None
