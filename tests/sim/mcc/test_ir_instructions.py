"""Instructions, accesses to memory, blocks and loops of LLVM's IR."""

from __future__ import annotations

import pytest

from musa_sim.mcc.ir import blocks, instructions, metadata
from musa_sim.mcc.ir.function import Function
from musa_sim.mcc.ir.instructions import Instruction


def test_a_line_is_result_opcode_and_operands() -> None:
    item = Instruction("  %r = tail call i32 @f(i32 %n), !dbg !3")
    assert (item.result, item.opcode, item.operands) == ("%r", "call", "i32 @f(i32 %n)")
    assert item.uses == ["%n"]
    store = Instruction('  store i32 %v, ptr %"a b", align 4')
    assert (store.result, store.opcode, store.uses) == ("", "store", ["%v", '%"a b"'])
    record = Instruction("    #dbg_value(i32 %v, !4, !DIExpression(), !7)")
    assert (record.result, record.opcode, record.uses) == ("", "", [])
    quoted = Instruction('  call void asm sideeffect "a, !b", ""(), !srcloc !3')
    assert (quoted.operands, quoted.metadata) == ('void asm sideeffect "a, !b", ""()', ", !srcloc !3")


def test_operands() -> None:
    added = Instruction("  %s = add nuw nsw i32 %a, %b").binary
    assert added == instructions.Binary("nuw nsw", "i32", "%a", "%b")
    assert Instruction("  %s = or disjoint i32 %a, %b").binary == instructions.Binary("disjoint", "i32", "%a", "%b")
    assert Instruction("  %w = zext nneg i32 %a to i64").cast == instructions.Cast("i32", "%a", "i64")
    wanted = instructions.Compare("slt", "i32", "%a", "7")
    assert Instruction("  %c = icmp slt i32 %a, 7").compare == wanted
    assert Instruction("  %c = icmp samesign slt i32 %a, 7").compare == wanted  # clang 22
    assert Instruction("  %c = fcmp olt float %a, %b").compare is None


@pytest.mark.parametrize(
    ("operands", "kind", "base", "indices"),
    [
        ("inbounds { i64, double }, ptr %b, i32 0, i32 1", "{ i64, double }", "%b", ("0", "1")),  # clang 19
        ("inbounds nuw { i64, double }, ptr %b, i32 0, i32 1", "{ i64, double }", "%b", ("0", "1")),  # clang 22
        ("ptr, ptr %kernel_args, i32 3", "ptr", "%kernel_args", ("3",)),
        ("i8, ptr @table, i64 %n", "i8", "@table", ("%n",)),
    ],
)
def test_addresses_of_elements(operands: str, kind: str, base: str, indices: tuple[str, ...]) -> None:
    found = Instruction(f"  %a = getelementptr {operands}").element_address
    assert found == instructions.ElementAddress(kind, base, indices)


def test_variables_of_a_function() -> None:
    def variable(line: str) -> instructions.Alloca | None:
        return Instruction(line).alloca

    assert variable("  %a = alloca [4 x i32], align 4") == instructions.Alloca("%a", "[4 x i32]", "", 4)
    assert variable("  %a = alloca ptr, i64 5, align 16") == instructions.Alloca("%a", "ptr", "5", 16)
    assert variable("  %a = alloca i8, i64 %n, align 16") == instructions.Alloca("%a", "i8", "%n", 16)
    assert variable("  %a = load i32, ptr %b") is None
    assert [instructions.source_name(name) for name in ("%own", "%ref.tmp3", '%"x"', "%12")] == ["own", "", "x", ""]


def test_instructions_that_are_known() -> None:
    assert Instruction("  fence seq_cst").is_fence
    assert Instruction('  call void asm sideeffect "", "~{memory},~{dirflag}"()').is_fence
    assert not Instruction('  call void asm sideeffect "nop", "~{dirflag}"()').is_fence
    copy = Instruction("  tail call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 4, i1 false)")
    assert copy.memory_intrinsic == "memcpy"
    assert not Instruction("  call void @memcpy(ptr %a, ptr %b, i64 4)").memory_intrinsic
    assert Instruction("  ret void").returns_nothing and not Instruction("  ret i32 0").returns_nothing
    constants = [instructions.is_constant(value) for value in ("true", "-3", "%x", "poison")]
    assert constants == [True, True, False, False]


def test_accesses() -> None:
    def access(line: str) -> instructions.Access:
        found = Instruction(line).access
        assert found is not None
        return found

    load = access("  %v = load volatile <4 x float>, ptr %p, align 16")
    assert (load.type, load.pointer, load.align, load.is_volatile, load.is_atomic) == (
        *("<4 x float>", "%p", 16),
        *(True, False),
    )
    store = access("  store atomic i64 %n, ptr getelementptr (i8, ptr @t, i64 4) release, align 8")
    assert (store.type, store.is_atomic, store.reads, store.writes) == ("i64", True, False, True)
    assert store.pointer == "getelementptr (i8, ptr @t, i64 4)"
    assert store.operands[1] == "i64 %n"
    update = access("  %v = atomicrmw volatile add ptr %p, i32 0 monotonic, align 4")
    assert (update.operation, update.is_given_zero, update.is_atomic, update.type) == ("add", True, True, "i32")
    exchange = access("  %v = cmpxchg weak ptr %p, i64 %n, i64 1 monotonic monotonic, align 8")
    assert (exchange.pointer, exchange.is_atomic, exchange.is_given_zero) == ("%p", True, False)
    assert exchange.operands == ("ptr %p", "i64 %n")
    assert Instruction("  %v = call i32 @f(ptr %p)").access is None
    assert Instruction("  %v = load atomic i32, ptr %p monotonic, align 4").may_synchronise
    assert not Instruction("  %v = load i32, ptr %p, align 4").may_synchronise


CODE = """\
define void @f(i1 %c, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done, !prof !1
body:
  %next = add i32 %i, 1
  switch i32 %i, label %head [
    i32 7, label %done
    i32 8, label %"odd name"
  ]
"odd name":
  br label %done
done:
  ret void
}
"""


FUNCTION = blocks.parse_code(CODE)


def test_blocks_and_loops() -> None:
    found = blocks.by_name(FUNCTION)
    assert list(found) == ["entry", "head", "body", '"odd name"', "done"]
    assert blocks.code_of(FUNCTION) == CODE[CODE.index("{") :]
    assert found["body"].successors == ("head", "done", '"odd name"')
    assert found["body"].instructions[-1].cases == ("%i", {"7": "%done", "8": '%"odd name"'})
    assert found["head"].decides == {"%more"}
    (loop,) = blocks.loops(found)
    assert loop == blocks.Loop("head", frozenset({"body"}), frozenset({"head", "body"}))
    assert found["head"].phis[0].incoming == [("0", "entry"), ("%next", "body")]
    assert found["head"].instructions[-1].branch == ("%more", "body", "done")
    assert list(blocks.by_name(blocks.parse_code("{\n  ret void\n}\n"))) == [blocks.ENTRY]


def test_debug_records_stand_between_instructions() -> None:
    record = "    #dbg_value(i32 %n, !4, !DIExpression(), !7)\n"
    code = f"{{\nentry:\n{record}  ret void, !dbg !7\n\nb:  ; No predecessors!\n  unreachable\n}}\n"
    entry, other = blocks.parse_code(code)
    assert [item.opcode for item in (*entry.instructions, *other.instructions)] == ["", "ret", "unreachable"]
    assert blocks.code_of((entry, other)) == code


def test_blocks_on_an_edge() -> None:
    made = blocks.parse_blocks("new:\n  br label %new.end\nnew.end:\n  br label %head\n")
    detour = blocks.Detour("new", "new.end", made)
    found = blocks.by_name(blocks.put_on_edges(FUNCTION, {("body", "head"): detour}))
    assert found["body"].successors == ("new", "done", '"odd name"')
    assert found["head"].phis[0].incoming == [("0", "entry"), ("%next", "new.end")]
    assert found["entry"].successors == ("head",)
    to_done = blocks.by_name(blocks.put_on_edges(FUNCTION, {("body", "done"): detour}))
    assert to_done["body"].successors == ("head", "new", '"odd name"')  # a line of the switch
    assert to_done["head"].successors == ("body", "done")


def test_phis_follow_a_block_that_is_split() -> None:
    changed = [block.coming_from("body", "body.2") for block in FUNCTION]
    assert blocks.code_of(changed) == blocks.code_of(FUNCTION).replace("[ %next, %body ]", "[ %next, %body.2 ]")


def test_blocks_that_are_not_reached_are_left_out() -> None:
    entry, head, body, odd, done = FUNCTION
    straight = head.with_instructions([*head.instructions[:-1], Instruction("  br label %done")])
    kept = blocks.by_name(blocks.without_unreachable([entry, straight, body, odd, done]))
    assert list(kept) == ["entry", "head", "done"]
    assert kept["head"].phis[0].incoming == [("0", "entry")]


def test_metadata() -> None:
    line = "  %v = load i32, ptr %p, align 4, !dbg !7, !tbaa !3"
    assert (Instruction(line).debug, Instruction("  ret void").debug) == ("!7", "")
    assert Instruction(line).metadata == ", !dbg !7, !tbaa !3"
    function = Function("define void @f() ", f"{{\n{line}\n}}\n").without_attachments("dbg", "prof")
    assert function.code == "{\n  %v = load i32, ptr %p, align 4, !tbaa !3\n}\n"
    nodes = metadata.debug_nodes(
        '!1 = !DIFile(filename: "a\\5Cb.mu", directory: "/d")\n'
        "!7 = distinct !DILocation(line: 3, column: 9, scope: !4, inlinedAt: !6)\n"
    )
    assert nodes["!1"].texts == {"filename": "a\\b.mu", "directory": "/d"}
    assert nodes["!7"].numbers == {"line": "3", "column": "9", "scope": "!4", "inlinedAt": "!6"}


def test_a_phi_of_vectors_has_commas_in_its_values() -> None:
    phi = Instruction("  %v = phi <2 x i32> [ <i32 0, i32 1>, %entry ], [ %next, %body ]")
    assert phi.incoming == [("<i32 0, i32 1>", "entry"), ("%next", "body")]
    assert phi.with_incoming(phi.incoming[:1]).text == "  %v = phi <2 x i32> [ <i32 0, i32 1>, %entry ]"
    arrays = Instruction("  %v = phi [2 x i32] [ [i32 0, i32 1], %entry ], [ %next, %body ]")
    assert arrays.incoming == [("[i32 0, i32 1]", "entry"), ("%next", "body")]
