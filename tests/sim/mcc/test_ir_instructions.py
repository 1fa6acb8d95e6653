"""Instructions, accesses to memory, blocks and loops of LLVM's IR."""

from __future__ import annotations

import pytest

from musa_sim.mcc.ir import blocks, casts, instructions, loops, memory, metadata


def parsed(line: str) -> instructions.Instruction:
    item = instructions.instruction(line)
    assert item is not None
    return item


def test_a_line_is_result_opcode_and_operands() -> None:
    item = parsed("  %r = tail call i32 @f(i32 %n), !dbg !3")
    assert (item.result, item.opcode, item.operands) == ("%r", "call", "i32 @f(i32 %n)")
    assert item.uses == ["%n"]
    store = parsed('  store i32 %v, ptr %"a b", align 4')
    assert (store.result, store.opcode, store.uses) == ("", "store", ["%v", '%"a b"'])
    assert instructions.instruction("entry:") is None
    assert instructions.instruction("    i32 1, label %b") is None
    assert instructions.instruction("") is None


def test_operands() -> None:
    added = instructions.binary(parsed("  %s = add nuw nsw i32 %a, %b"))
    assert added == instructions.Binary("nuw nsw", "i32", "%a", "%b")
    assert instructions.binary(parsed("  %s = or disjoint i32 %a, %b")) == instructions.Binary(
        "disjoint", "i32", "%a", "%b"
    )
    assert instructions.cast(parsed("  %w = zext nneg i32 %a to i64")) == instructions.Cast("i32", "%a", "i64")
    wanted = instructions.Compare("slt", "i32", "%a", "7")
    assert instructions.compare(parsed("  %c = icmp slt i32 %a, 7")) == wanted
    assert instructions.compare(parsed("  %c = icmp samesign slt i32 %a, 7")) == wanted  # clang 22
    assert instructions.compare(parsed("  %c = fcmp olt float %a, %b")) is None


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
    found = instructions.element_address(parsed(f"  %a = getelementptr {operands}"))
    assert found == instructions.ElementAddress(kind, base, indices)


def test_variables_of_a_function() -> None:
    def variable(line: str) -> instructions.Variable | None:
        return instructions.variable(parsed(line))

    assert variable("  %a = alloca [4 x i32], align 4") == instructions.Variable("%a", "[4 x i32]", "")
    assert variable("  %a = alloca ptr, i64 5, align 16") == instructions.Variable("%a", "ptr", "5")
    assert variable("  %a = alloca i8, i64 %n, align 16") == instructions.Variable("%a", "i8", "%n")
    assert variable("  %a = load i32, ptr %b") is None
    assert [instructions.source_name(name) for name in ("%own", "%ref.tmp3", '%"x"', "%12")] == ["own", "", "x", ""]


def test_lines_that_are_known() -> None:
    assert instructions.is_fence("  fence seq_cst")
    assert instructions.is_fence('  call void asm sideeffect "", "~{memory},~{dirflag}"()')
    assert not instructions.is_fence('  call void asm sideeffect "nop", "~{dirflag}"()')
    assert instructions.memory_intrinsic("  tail call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 4, i1 false)")
    assert not instructions.memory_intrinsic("  call void @memcpy(ptr %a, ptr %b, i64 4)")
    assert instructions.is_return("  ret void") and not instructions.is_return("  ret i32 0")
    assert instructions.is_unreachable("  unreachable")
    assert [instructions.is_constant(value) for value in ("true", "-3", "%x", "poison")] == [True, True, False, False]


def test_accesses() -> None:
    def access(line: str) -> memory.Access:
        found = memory.access(parsed(line))
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
    assert memory.access(parsed("  %v = call i32 @f(ptr %p)")) is None
    assert memory.may_synchronise("  %v = load atomic i32, ptr %p monotonic, align 4\n")
    assert not memory.may_synchronise("  %v = load i32, ptr %p, align 4\n")


def test_casts() -> None:
    line = "  %c = call i32 @llvm.fptosi.sat.i32.f32(float %x), !dbg !2\n"
    seen: list[casts.SaturatingCast] = []

    def noted(cast: casts.SaturatingCast) -> str:
        seen.append(cast)
        return cast.text

    assert casts.replace_saturating_casts(line, noted) == line
    (cast,) = seen
    assert (cast.result, cast.bits, cast.is_signed, cast.type, cast.value, cast.attachments) == (
        *("%c", 32, True, "float"),
        *("%x", ", !dbg !2"),
    )
    assert casts.saturating_intrinsic(64, False, "double") == "llvm.fptoui.sat.i64.f64"
    assert casts.saturating_intrinsic(64, False, "x86_fp80") == ""
    for read in ("  %b = trunc i8 %v to i1\n", "  %b = trunc nuw i8 %v to i1\n"):  # clang 19, clang 22
        assert casts.replace_reads_of_bools(read, "{} of {}".format) == "%b of %v\n"


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


def test_blocks_and_loops() -> None:
    found = blocks.blocks(CODE)
    assert list(found) == ["entry", "head", "body", '"odd name"', "done"]
    assert found["body"].successors == ("head", "done", '"odd name"')
    assert found["head"].decides == {"%more"}
    (loop,) = loops.loops(found)
    assert loop == loops.Loop("head", frozenset({"body"}), frozenset({"head", "body"}))
    assert blocks.incoming(found["head"].lines[0]) == [("0", "entry"), ("%next", "body")]
    assert blocks.branch_condition(found["head"].lines[-1]) == "%more"
    assert list(blocks.blocks("{\n  ret void\n}\n")) == [blocks.ENTRY]


def test_a_block_on_an_edge() -> None:
    detour = blocks.Detour("new", "new.end", "new:\n  br label %new.end\nnew.end:\n  br label %head\n")
    code = blocks.put_on_edges(CODE[: CODE.rindex("}")], {("body", "head"): detour}) + "}\n"
    found = blocks.blocks(code)
    assert found["body"].successors == ("new", "done", '"odd name"')
    assert blocks.incoming(found["head"].lines[0]) == [("0", "entry"), ("%next", "new.end")]
    assert found["entry"].successors == ("head",)
    to_done = blocks.put_on_edges(CODE[: CODE.rindex("}")], {("body", "done"): detour})
    assert blocks.blocks(to_done)["body"].successors == ("head", "new", '"odd name"')  # a line of the switch
    assert blocks.blocks(to_done)["head"].successors == ("body", "done")


def test_phis_follow_a_block_that_is_split() -> None:
    changed = blocks.replace_incoming(CODE, "body", "body.2")
    assert changed == CODE.replace("[ %next, %body ]", "[ %next, %body.2 ]")


def test_metadata() -> None:
    line = "  %v = load i32, ptr %p, align 4, !dbg !7, !tbaa !3"
    assert metadata.debug_attachment(line) == ", !dbg !7"
    assert (metadata.debug_node(line), metadata.debug_node("  ret void")) == ("!7", "")
    assert metadata.remove_attachments(line, "dbg", "prof") == "  %v = load i32, ptr %p, align 4, !tbaa !3"
    nodes = metadata.debug_nodes(
        '!1 = !DIFile(filename: "a\\5Cb.mu", directory: "/d")\n'
        "!7 = distinct !DILocation(line: 3, column: 9, scope: !4, inlinedAt: !6)\n"
    )
    assert nodes["!1"].texts == {"filename": "a\\b.mu", "directory": "/d"}
    assert nodes["!7"].numbers == {"line": "3", "column": "9", "scope": "!4", "inlinedAt": "!6"}


def test_a_phi_of_vectors_has_commas_in_its_values() -> None:
    phi = "  %v = phi <2 x i32> [ <i32 0, i32 1>, %entry ], [ %next, %body ]"
    assert blocks.incoming(phi) == [("<i32 0, i32 1>", "entry"), ("%next", "body")]
    assert blocks.without_incoming(phi, "body") == "  %v = phi <2 x i32> [ <i32 0, i32 1>, %entry ]"
    arrays = "  %v = phi [2 x i32] [ [i32 0, i32 1], %entry ], [ %next, %body ]"
    assert blocks.without_incoming(arrays, "entry") == "  %v = phi [2 x i32] [ %next, %body ]"
