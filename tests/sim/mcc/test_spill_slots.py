"""Slots that values share: random coroutines read what they read with a slot for each value."""

from __future__ import annotations

import random

import pytest

from musa_sim.mcc.ir.blocks import Block, parse_blocks
from musa_sim.mcc.ir.instructions import Instruction
from musa_sim.mcc.passes.spilled_values import Column, FieldAccess, share_slots

SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "<4 x float>": 16, "[3 x i32]": 12}


class Coroutine:
    """The code of two functions that load and store fields, suspend and resume."""

    def __init__(self, code: str, types: dict[str, str], starts_at: str) -> None:
        self.blocks = {block.name: block for block in parse_blocks(code)}
        names = list(self.blocks)
        at = names.index(starts_at)
        self.resume = [self.blocks[name] for name in names[:at]]
        self.start = [self.blocks[name] for name in names[at:]]
        self.accesses: dict[Instruction, FieldAccess] = {}
        self.resumed_at: dict[Instruction, str] = {}
        for block in self.blocks.values():
            for item in block.instructions:
                field = item.uses[0] if item.uses else ""
                if item.callee in ("load", "store"):
                    kind = types[field]
                    self.accesses[item] = FieldAccess(field, item.callee == "load", SIZES[kind])
                elif item.callee == "suspend":
                    self.resumed_at[item] = field.removeprefix("%")

    def columns(self) -> dict[str, Column]:
        return share_slots(self.start, self.resume, self.accesses, self.resumed_at)

    def follow(self, columns: dict[str, Column], rng: random.Random, steps: int) -> None:
        """Take one path, and assert that each load finds the value that was stored last in its field."""
        slots: dict[Column, tuple[str, int]] = {}
        last: dict[str, int] = {}
        block: Block = self.start[0]
        for step in range(steps):
            following = list(block.successors)
            for number, item in enumerate(block.instructions):
                access = self.accesses.get(item)
                if access is None:
                    following += [self.resumed_at[item]] if item in self.resumed_at else []
                elif not access.is_load:
                    last[access.field] = step * 1000 + number
                    slots[columns[access.field]] = (access.field, last[access.field])
                elif access.field in last:
                    assert slots[columns[access.field]] == (access.field, last[access.field])
            if not following:
                return
            block = self.blocks[rng.choice(following)]


def random_coroutine(rng: random.Random) -> Coroutine:
    """Write some blocks that access fields at random, and lead to others at random."""
    fields = {f"%f{number}": rng.choice(list(SIZES)) for number in range(rng.randint(1, 12))}
    count, resumed = rng.randint(2, 14), rng.randint(1, 6)
    resumed = min(resumed, count - 1)
    names = [f"b{number}" for number in range(count)]
    lines: list[str] = []
    for number, name in enumerate(names):
        lines += ["", f"{name}:"]
        for _ in range(rng.randint(0, 5)):
            field = rng.choice(list(fields))
            lines.append(f"  call void @{rng.choice(('load', 'store'))}(ptr {field})")
        targets = names[:resumed] if number < resumed else names[resumed:]
        end = rng.randint(0, 3)
        if end == 0:
            lines += [f"  call void @suspend(ptr %{rng.choice(names[:resumed])})", "  ret void"]
        elif end == 1:
            lines.append(f"  br label %{rng.choice(targets)}")
        elif end == 2:
            lines.append(f"  br i1 %c, label %{rng.choice(targets)}, label %{rng.choice(targets)}")
        else:
            lines.append("  ret void")
    return Coroutine("\n".join(lines[1:]) + "\n", fields, names[resumed])


@pytest.mark.parametrize("seed", range(8))
def test_every_load_finds_what_was_stored(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        coroutine = random_coroutine(rng)
        columns = coroutine.columns()
        end = 0
        for column in sorted(set(columns.values())):
            assert column.offset == end and column.offset % 64 == 0
            end = column.end
        assert all(columns[access.field].size == access.size for access in coroutine.accesses.values())
        for _ in range(40):
            coroutine.follow(columns, rng, 60)


def test_terms_of_a_sum_share_a_slot() -> None:
    steps = "".join(
        f"r{at}:\n  call void @load(ptr %s{at})\n  call void @store(ptr %s{at + 1})\n"
        f"  call void @suspend(ptr %r{at + 1})\n  ret void\n\n"
        for at in range(10)
    )
    code = f"{steps}r10:\n  call void @load(ptr %s10)\n  ret void\n\nstart:\n  call void @store(ptr %s0)\n"
    code += "  call void @suspend(ptr %r0)\n  ret void\n"
    columns = Coroutine(code, {f"%s{at}": "i32" for at in range(11)}, "start").columns()
    assert len(columns) == 11 and set(columns.values()) == {Column(0, 4)}


def test_two_values_of_one_suspend_point_do_not_share() -> None:
    code = """r0:
  call void @load(ptr %a)
  call void @load(ptr %b)
  ret void

start:
  call void @store(ptr %a)
  call void @store(ptr %b)
  call void @suspend(ptr %r0)
  ret void
"""
    assert Coroutine(code, {"%a": "i32", "%b": "i32"}, "start").columns() == {"%a": Column(0, 4), "%b": Column(4160, 4)}
