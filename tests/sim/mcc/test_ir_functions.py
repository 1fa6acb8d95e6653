"""Functions, parameters, attributes and calls of LLVM's IR, as clang 19 and 22 write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_sim.mcc.ir import functions as ir
from musa_sim.mcc.ir.attributes import add_to_groups, forget_memory, functions_with
from musa_sim.mcc.ir.parameters import Parameter, without_byval

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


def test_definitions() -> None:
    found = ir.functions(MODULE)
    assert list(found) == ["first", "second", "quoted name"]
    first = found["first"]
    assert first.parameters == ("ptr noundef %p", "i32 signext %n")
    assert first.code.startswith("{\nentry:\n") and first.code.endswith("  ret void\n}\n")
    assert first.text in MODULE
    assert first.with_parameters(["i8 %c"]).startswith("define dso_local void @first(i8 %c) #0 {\n")
    assert found["second"].parameters == ("i32 %n",)


def test_a_module_may_begin_with_a_definition_or_have_none() -> None:
    assert list(ir.functions("define void @f() {\n  ret void\n}\n")) == ["f"]
    assert ir.functions('target triple = "x"\n') == {}


def test_calls_and_mentions() -> None:
    found = ir.functions(MODULE)
    assert found["first"].calls == {"second", "wait", "quoted name"}
    assert found["first"].mentions == {"first", "second", "wait", "quoted name", "table"}
    assert found["second"].calls == {ir.INDIRECT}
    assert ir.callee("  %r = call noundef i32 @second(i32 %n)") == "second"
    assert ir.callee("  %v = invoke i32 (ptr, ...) @printf(ptr @s)") == "printf"
    assert ir.callee("  %v = call i32 %f(i32 %n)") == ""
    assert ir.callee("  store ptr @second, ptr %p") == ""


def test_an_alias_calls_what_it_stands_for() -> None:
    module = "@C1 = unnamed_addr alias void (ptr), ptr @C2\n\n" + MODULE.replace("@second(i32 %n), !dbg", "@C1(ptr %p)")
    edges = ir.call_edges(module.replace("i32 @second(i32 %n) #1", "i32 @C2(i32 %n) #1"))
    assert edges["C1"] == {"C2"}
    assert ir.INDIRECT in ir.reachable("first", edges)


def test_reachable() -> None:
    edges = {"a": {"b", "c"}, "b": {"d"}, "d": {"b"}}
    assert ir.reachable("a", edges) == {"b", "c", "d"}
    assert ir.reachable("b", edges) == {"b", "d"}


def test_declarations() -> None:
    assert list(ir.declarations(MODULE)) == ["wait", "malloc"]
    assert ir.is_declared(MODULE, "wait") and not ir.is_declared(MODULE, "first")
    more = ir.declare(MODULE, "declare void @wait()", "declare i32 @new(i32)")
    assert more == MODULE + "declare i32 @new(i32)\n"
    assert "declare noalias ptr @malloc" not in ir.remove_declarations(MODULE, {"malloc", "first"})
    assert list(ir.functions(ir.remove_declarations(MODULE, {"first"}))) == list(ir.functions(MODULE))


def test_calls_are_redirected_by_their_arguments() -> None:
    calls = "  call void @f(ptr @a, i32 (i32) @b)\n  call void @f(ptr @c)\n  call void @fg(ptr @a)\n"
    changed = ir.redirect_calls(calls, "f", "g", lambda arguments: arguments[0] == "ptr @a")
    assert changed == calls.replace("@f(ptr @a", "@g(ptr @a")
    assert ir.arguments_of_calls(calls, "f") == [["ptr @a", "i32 (i32) @b"], ["ptr @c"]]


def test_only_functions_that_are_declared_are_renamed() -> None:
    module = "declare void @abort()\n  call void @abort()\n  call void @abort.1()\n  call void @aborted()\n"
    wanted = module.replace("@abort()", "@end()")
    assert ir.rename_function(module, "abort", "end") == wanted
    assert ir.rename_function(wanted, "abort", "end") == wanted


def test_results_of_calls() -> None:
    code = "  %x = tail call noundef i32 @index() #3, !dbg !4\n  %y = call i32 @index2()\n"
    assert ir.replace_results(code, "index", "  {} = add i32 %i, 0") == (
        "  %x = add i32 %i, 0\n  %y = call i32 @index2()\n"
    )


def test_calls_without_a_result() -> None:
    assert ir.is_call_of("  tail call void @wait() #2", "wait")
    assert not ir.is_call_of("  call void @wait2()", "wait")
    assert not ir.is_call_without_result("  %r = call i32 @second(i32 1)")


def test_hidden_functions_become_internal() -> None:
    text = "define hidden ptr @part_1(ptr %m) {\ndefine hidden fastcc void @other() {\n"
    assert ir.make_internal(text, "part_") == text.replace("hidden ptr", "internal ptr")


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
    assert functions_with(MODULE, '"known"') == {"second", "wait"}
    assert functions_with(MODULE, '"inline-attribute"') == {"malloc"}
    assert functions_with(MODULE, '"nobody"') == frozenset()
    marked = ir.add_to_declarations(MODULE, {"wait", "first"}, '"mark"')
    assert functions_with(marked, '"mark"') == {"wait"}
    assert 'declare void @wait() #2 "mark"\n' in marked
    assert functions_with(add_to_groups(MODULE, "sanitize_thread"), "sanitize_thread") == {"first", "second", "wait"}


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("side", ["device", "host"])
def test_every_function_of_a_real_module_is_read(clang: str, side: str) -> None:
    module = (GOLDEN / clang / f"{side}.ll").read_text()
    found = ir.functions(module)
    assert len(found) == sum(line.startswith("define ") for line in module.splitlines())
    assert len(ir.declarations(module)) == sum(line.startswith("declare ") for line in module.splitlines())
    for function in found.values():
        assert function.text.startswith("define ") and function.text.endswith("\n}\n")
        assert function.text in module
        assert all(Parameter(text).value.startswith("%") for text in function.parameters)


def test_a_call_whose_result_is_called_call_is_a_call() -> None:
    module = "define float @f(float %x) {\nentry:\n  %call = call float @g(float %x)\n  ret float %call\n}\n"
    assert ir.call_edges(module) == {"f": {"g"}}


def test_what_is_known_of_the_memory_of_some_functions_is_forgotten() -> None:
    module = (
        'define i32 @f(ptr %p) local_unnamed_addr #0 {\n  %1 = tail call i32 @"g$"(i32 1) #2\n  ret i32 %1\n}\n'
        'define i32 @"g$"(i32 %x) #0 {\n  %1 = call i32 @other(i32 %x) #2\n  ret i32 %1\n}\n'
        "declare i32 @other(i32) #1\n"
        "attributes #0 = { nounwind memory(argmem: read, inaccessiblemem: none) }\n"
        "attributes #1 = { nounwind }\nattributes #2 = { memory(none) }\n"
    )
    changed = forget_memory(module, {"f", "g$"})
    assert "@f(ptr %p) local_unnamed_addr #3 {" in changed and '@"g$"(i32 1) #4\n' in changed
    assert "@other(i32 %x) #2\n" in changed and '@"g$"(i32 %x) #3 {' in changed
    assert changed.endswith("attributes #3 = { nounwind }\nattributes #4 = { nounwind }\n")
    assert "@f(ptr %p) local_unnamed_addr #0 {" in forget_memory(module, {"other"})
