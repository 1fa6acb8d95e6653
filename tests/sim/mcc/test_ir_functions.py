"""Functions, parameters, attributes and calls of LLVM's IR, as clang 19 and 22 write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_sim.mcc.ir.function import INDIRECT, Function
from musa_sim.mcc.ir.instructions import Instruction
from musa_sim.mcc.ir.module import Module, reachable
from musa_sim.mcc.ir.types import Parameter, without_byval

GOLDEN = Path(__file__).with_name("golden")
CLANGS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())

MODULE = """\
target triple = "x86_64-unknown-linux-gnu"

define dso_local void @first(ptr noundef %p, i32 signext %n) #0 {
entry:
  %r = call noundef i32 @second(i32 %n), !dbg !3
  tail call void @wait()
  call void @"quoted name"(ptr @table)
  ret void
}

; Function Attrs: nounwind
define internal i32 @second(i32 %n) #1 personality ptr @__gxx_personality_v0 {
  %f = load ptr, ptr @table, align 8
  %v = call i32 %f(i32 %n)
  ret i32 %v
}

define linkonce_odr hidden void @"quoted name"(ptr %x) {
  ret void
}

declare void @wait() #2
declare noalias ptr @malloc(i64 noundef) "inline-attribute"

attributes #0 = { convergent nounwind }
attributes #1 = { nounwind "known"="yes" }
attributes #2 = { convergent "known"="yes" }
"""


def test_a_module_is_printed_as_it_was_read() -> None:
    assert Module.parse(MODULE).text == MODULE
    more = MODULE + "!0 = !{}\n!1 = !{!0}\ndeclare void @late()\ndefine void @last() {\n  ret void\n}\n"
    assert Module.parse(more).text == more
    assert list(Module.parse(more).functions) == ["first", "second", "quoted name", "last"]
    assert "late" in Module.parse(more).declarations


def test_definitions() -> None:
    found = Module.parse(MODULE).functions
    assert list(found) == ["first", "second", "quoted name"]
    first = found["first"]
    assert first.parameters == ("ptr noundef %p", "i32 signext %n")
    assert first.code.startswith("{\nentry:\n") and first.code.endswith("  ret void\n}\n")
    assert first.text in MODULE
    assert first.with_parameters(["i8 %c"]).text.startswith("define dso_local void @first(i8 %c) #0 {\n")
    assert found["second"].parameters == ("i32 %n",)
    assert first.with_blocks(first.blocks).text == first.text


def test_functions_that_other_modules_may_have_become_its_own() -> None:
    behind = '(%"struct.A comdat" %x) local_unnamed_addr #0'
    for named, own in (
        (
            f"define linkonce_odr zeroext i1 @f{behind} comdat align 2 {{",
            f"define internal zeroext i1 @f{behind} align 2 {{",
        ),
        (
            f'define linkonce_odr dso_local hidden i32 @f{behind} comdat($"a b") {{',
            f"define internal i32 @f{behind} {{",
        ),
        (f"define linkonce_odr void @f{behind} comdat($_Z1fv) {{", f"define internal void @f{behind} {{"),
    ):
        assert Function(named, "\n}\n").as_own().head == own
    for others in (f"define weak_odr void @f{behind} comdat {{", f"define void @f{behind} {{"):
        assert Function(others, "\n}\n").as_own().head == others


def test_a_module_may_begin_with_a_definition_or_have_none() -> None:
    assert list(Module.parse("define void @f() {\n  ret void\n}\n").functions) == ["f"]
    assert Module.parse('target triple = "x"\n').functions == {}


def test_calls_and_mentions() -> None:
    found = Module.parse(MODULE).functions
    assert found["first"].calls == {"second", "wait", "quoted name"}
    assert found["first"].mentions == {"first", "second", "wait", "quoted name", "table"}
    assert found["second"].calls == {INDIRECT}
    assert Instruction("  %r = call noundef i32 @second(i32 %n)").callee == "second"
    assert Instruction("  %v = invoke i32 (ptr, ...) @printf(ptr @s)").callee == "printf"
    assert Instruction("  %v = call i32 %f(i32 %n)").callee == ""
    assert Instruction("  store ptr @second, ptr %p").callee == ""
    assert Instruction('  call void asm "call @x", ""()').callee == ""


def test_an_alias_calls_its_target() -> None:
    module = "@C1 = unnamed_addr alias void (ptr), ptr @C2\n\n" + MODULE.replace("@second(i32 %n), !dbg", "@C1(ptr %p)")
    edges = Module.parse(module.replace("i32 @second(i32 %n) #1", "i32 @C2(i32 %n) #1")).edges
    assert edges["C1"] == {"C2"}
    assert INDIRECT in reachable("first", edges)


def test_reachable() -> None:
    edges = {"a": {"b", "c"}, "b": {"d"}, "d": {"b"}}
    assert reachable("a", edges) == {"b", "c", "d"}
    assert reachable("b", edges) == {"b", "d"}


def test_declarations() -> None:
    module = Module.parse(MODULE)
    assert list(module.declarations) == ["wait", "malloc"]
    more = module.declare("declare void @wait()", "declare i32 @new(i32)")
    assert more.text == MODULE + "declare i32 @new(i32)\n"
    assert "declare noalias ptr @malloc" not in module.without_declarations({"malloc", "first"}).text
    assert list(module.without_declarations({"first"}).functions) == list(module.functions)


def test_calls_are_rewritten_by_their_arguments() -> None:
    calls = "  call void @f(ptr @a, i32 (i32) @b)\n  call void @f(ptr @c)\n  call void @fg(ptr @a)\n"
    function = Function("define void @k() ", f"{{\n{calls}  ret void\n}}\n")
    assert [item.arguments for item in function.calls_of("f")] == [["ptr @a", "i32 (i32) @b"], ["ptr @c"]]

    def redirected(item: Instruction) -> str:
        chosen = item.callee == "f" and item.arguments[0] == "ptr @a"
        return item.text.replace("@f(", "@g(") if chosen else item.text

    assert function.rewrite({"call": redirected}).text == function.text.replace("@f(ptr @a", "@g(ptr @a")
    assert function.rewrite({"store": redirected}) is function
    assert function.rewrite({"call": lambda _: ""}).code == "{\n  ret void\n}\n"


def test_only_functions_that_are_declared_are_renamed() -> None:
    text = "declare void @abort()\n  call void @abort()\n  call void @abort.1()\n  call void @aborted()\n"
    wanted = text.replace("@abort()", "@end()")
    assert Module.parse(text).rename("abort", "end").text == wanted
    assert Module.parse(wanted).rename("abort", "end").text == wanted
    quoted = 'declare void @abort()\n@s = constant [6 x i8] c"@abort"\n'
    assert Module.parse(quoted).rename("abort", "end").text == quoted.replace("@abort()", "@end()")


def test_nothing_in_quotes_is_the_name_of_a_function() -> None:
    kind = """%"struct.Text<'@', &f@g(>::Inner\""""
    text = f"define {kind} @f(ptr %a) {{\n  %r = call {kind} @g(ptr %a)\n  ret {kind} %r\n}}\ndeclare {kind} @g(ptr)\n"
    module = Module.parse(text)
    assert (list(module.functions), list(module.declarations)) == (["f"], ["g"])
    assert module.edges == {"f": {"g"}}
    assert module.functions["f"].parameters == ("ptr %a",)
    assert [item.callee for item in module.calls_of("g")] == ["g"]


def test_calls_without_a_result() -> None:
    assert Instruction("  tail call void @wait() #2").is_call_without_result
    assert Instruction("  tail call fastcc void @wait(ptr nonnull @a) #4").is_call_without_result
    assert not Instruction("  %r = call i32 @second(i32 1)").is_call_without_result
    assert not Instruction('  %r = call fastcc noundef ptr @"void f"(i32 1)').is_call_without_result


@pytest.mark.parametrize(
    ("text", "convention", "byval", "align"),
    [
        ("i32 noundef signext %a", "signext", "", 1),
        ("i1 noundef zeroext %f", "zeroext", "", 1),
        ("ptr noundef byval(%struct.Big) align 8 %c", "byval(%struct.Big) align 8", "%struct.Big", 8),
        ("ptr byval({ i32, ptr }) %c", "byval({ i32, ptr })", "{ i32, ptr }", 1),
        ("ptr noundef nonnull align 4 dereferenceable(12) %p", "", "", 4),
    ],
)
def test_parameters(text: str, convention: str, byval: str, align: int) -> None:
    parameter = Parameter(text)
    assert (parameter.convention, parameter.byval, parameter.align) == (convention, byval, align)
    assert parameter.type == text.split()[0]
    assert parameter.value == text.split()[-1]


def test_pointers_of_arguments() -> None:
    expression = "getelementptr inbounds (i8, ptr @g, i64 4)"
    assert Parameter(f"ptr align 4 {expression}").pointer == expression
    assert Parameter("ptr noundef align 4 dereferenceable(12) %p").pointer == "%p"
    assert Parameter("ptr null").pointer == "null"
    assert Parameter("ptr noundef readonly byval(%S) align 8 %a").is_read_only
    assert without_byval("ptr noundef byval(%S) align 8 %a, i32 %b") == "ptr noundef %a, i32 %b"


def test_attributes_are_found_in_groups_and_beside_the_function() -> None:
    module = Module.parse(MODULE)
    assert module.functions_with('"known"') == {"second", "wait"}
    assert module.functions_with('"inline-attribute"') == {"malloc"}
    assert module.functions_with('"nobody"') == frozenset()
    marked = module.add_to_declarations({"wait", "first"}, '"mark"')
    assert marked.functions_with('"mark"') == {"wait"}
    assert 'declare void @wait() #2 "mark"\n' in marked.text
    assert module.add_to_groups("sanitize_thread").functions_with("sanitize_thread") == {"first", "second", "wait"}


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("side", ["device", "host"])
def test_every_function_of_a_real_module_is_read(clang: str, side: str) -> None:
    text = (GOLDEN / clang / f"{side}.ll").read_text()
    module = Module.parse(text)
    assert module.text == text
    assert len(module.functions) == sum(line.startswith("define ") for line in text.splitlines())
    assert len(module.declarations) == sum(line.startswith("declare ") for line in text.splitlines())
    for function in module.functions.values():
        assert function.text.startswith("define ") and function.text.endswith("\n}\n")
        assert all(Parameter(text).value.startswith("%") for text in function.parameters)
        assert function.with_blocks(function.blocks).text == function.text


def test_a_call_whose_result_is_called_call_is_a_call() -> None:
    module = "define float @f(float %x) {\nentry:\n  %call = call float @g(float %x)\n  ret float %call\n}\n"
    assert Module.parse(module).edges == {"f": {"g"}}


def test_what_is_known_of_the_memory_of_some_functions_is_forgotten() -> None:
    module = Module.parse(
        'define i32 @f(ptr %p) local_unnamed_addr #0 {\n  %1 = tail call i32 @"g$"(i32 1) #2\n  ret i32 %1\n}\n'
        'define i32 @"g$"(i32 %x) #0 {\n  %1 = call i32 @other(i32 %x) #2\n  ret i32 %1\n}\n'
        "declare i32 @other(i32) #1\n"
        "attributes #0 = { nounwind memory(argmem: read, inaccessiblemem: none) }\n"
        "attributes #1 = { nounwind }\nattributes #2 = { memory(none) }\n"
    )
    changed = module.forget_memory({"f", "g$"}).text
    assert "@f(ptr %p) local_unnamed_addr #3 {" in changed and '@"g$"(i32 1) #4\n' in changed
    assert "@other(i32 %x) #2\n" in changed and '@"g$"(i32 %x) #3 {' in changed
    assert changed.endswith("attributes #3 = { nounwind }\nattributes #4 = { nounwind }\n")
    assert "@f(ptr %p) local_unnamed_addr #0 {" in module.forget_memory({"other"}).text
