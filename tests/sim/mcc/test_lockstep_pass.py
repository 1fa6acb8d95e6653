"""Where lanes meet before a release: tests/sim/runtime/test_lockstep.py has programs that need it."""

from __future__ import annotations

import pytest

from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.passes.lockstep import in_lockstep
from musa_sim.mcc.runtime_abi.functions import BARRIER, CONVERGE, YIELD

#: A kernel that stores, and of which one lane sets a flag behind a fence; BEFORE is what comes before its branch.
KERNEL = """
define void @k(ptr %out, ptr %flag, i1 %first) {
entry:
BEFORE
  br i1 %first, label %release, label %end

release:
  fence seq_cst
  store i32 1, ptr %flag, align 4
  br label %end

end:
  ret void
}
"""
STORE = "  store i32 2, ptr %out, align 4"
MEET = f"  call void @{BARRIER}()"


@pytest.mark.parametrize(
    ("before", "meets"),
    [
        ([STORE], True),
        ([STORE, MEET], False),
        ([MEET, STORE], True),
        ([STORE, MEET, "  %x = call i32 @llvm.smax.i32(i32 1, i32 2)", "  %y = load i32, ptr %out, align 4"], False),
        ([MEET, "  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %flag, i64 64, i1 false)"], True),
        ([MEET, "  call void @stores(ptr %out)"], True),
        ([MEET, "  call void %out()"], True),
        ([MEET, "  %old = atomicrmw add ptr %out, i32 1 seq_cst, align 4"], True),
        ([STORE, f"  call void @{YIELD}()"], True),  # a pause is no meeting
    ],
)
def test_lanes_meet_unless_they_have_met_after_their_stores(before: list[str], meets: bool) -> None:
    module = in_lockstep(Module.parse(KERNEL.replace("BEFORE", "\n".join(before))))
    lines = module.functions["k"].text.splitlines()
    branch = next(number for number, line in enumerate(lines) if line.startswith("  br i1"))
    assert (f"@{CONVERGE}()" in lines[branch - 1]) == meets


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  fence seq_cst\n", ""),
        ("  store i32 1, ptr %flag, align 4\n", ""),
        ("  fence seq_cst\n", f"  fence seq_cst\n{MEET}\n"),
        ("label %end\n\nrelease", "label %release\n\nrelease"),
    ],
    ids=["no fence", "no write", "a barrier between", "no branch"],
)
def test_nothing_else_is_a_release(old: str, new: str) -> None:
    text = KERNEL.replace("BEFORE", STORE)
    assert old in text
    assert CONVERGE not in in_lockstep(Module.parse(text.replace(old, new))).functions["k"].text


MERGED = """
define void @k(ptr %out, ptr %flag, i1 %first, i1 %left) {
entry:
  br i1 %left, label %a, label %b

a:
  store i32 2, ptr %out, align 4
  br i1 %first, label %way, label %end

way:
  %next = getelementptr i32, ptr %flag, i64 1
  br label %release

b:
  store i32 3, ptr %out, align 4
  br i1 %first, label %release, label %end

release:
  %chosen = phi ptr [ %flag, %b ], [ %next, %way ]
  fence seq_cst
  store i32 1, ptr %chosen, align 4
  br label %end

end:
  ret void
}
"""


def test_lanes_meet_before_each_branch_to_a_release_that_several_share() -> None:
    lines = in_lockstep(Module.parse(MERGED)).functions["k"].text.splitlines()
    branches = [number for number, line in enumerate(lines) if line.startswith("  br i1 %first")]
    assert len(branches) == 2 and all(f"@{CONVERGE}()" in lines[number - 1] for number in branches)
    assert "".join(lines).count(f"@{CONVERGE}()") == 2
