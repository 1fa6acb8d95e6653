"""Variables, constants and annotations of LLVM's IR, as clang 19 and 22 write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.ir.pieces import Variable, string_constant
from musa_sim.mcc.passes.prepare import make_constants_writable

GOLDEN = Path(__file__).with_name("golden")
CLANGS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())

MODULE = """\
target datalayout = "e-m:e"
target triple = "x86_64-unknown-linux-gnu"

%struct.S = type { i32, ptr }

@plain = dso_local global i32 5, align 4
@table = internal constant [2 x { i32, i32 }] [{ i32, i32 } { i32 1, i32 2 }, { i32, i32 } zeroinitializer], align 8
@tile = internal thread_local global [64 x float] undef, align 16
@named = global ptr @plain, section "managed", align 8
@elsewhere = external global i32, section "managed", align 4
@perhaps = extern_weak global %struct.S, align 1
@_ZL5array = external thread_local(initialexec) global [0 x i8], align 1
@weights = addrspace(1) externally_initialized constant [2 x i32] zeroinitializer
@.str = private unnamed_addr constant [6 x i8] c"he\\22lo\\00", align 1
@size.0 = constant i64 24

define void @f() {
  store i32 1, ptr @plain
  ret void
}
"""


def by_name() -> dict[str, Variable]:
    return Module.parse(MODULE).variables


def test_parts_of_a_variable() -> None:
    found = by_name()
    table = found["table"]
    assert (table.name, table.linkage, table.kind, table.type) == (
        "@table",
        "internal ",
        "constant",
        "[2 x { i32, i32 }]",
    )
    assert table.value == "[{ i32, i32 } { i32 1, i32 2 }, { i32, i32 } zeroinitializer]"
    assert table.attributes == ["align 8"]
    assert found["tile"].is_thread_local and found["tile"].value == "undef"
    perhaps = found["perhaps"]
    assert not perhaps.is_defined and not perhaps.has_memory and perhaps.value == ""
    outside = found["elsewhere"]
    assert not outside.is_defined and not outside.has_memory and outside.value == ""
    assert outside.attributes == ['section "managed"', "align 4"]
    array = found["_ZL5array"]
    assert array.is_thread_local and not array.is_defined and array.type == "[0 x i8]"


def test_sections() -> None:
    named = by_name()["named"]
    assert (named.section, named.typed_value, named.attributes) == (
        "managed",
        "ptr @plain",
        ['section "managed"', "align 8"],
    )
    assert by_name()["plain"].section == ""
    text = Variable('@s = constant [3 x i8] c", section \\22a\\22", section "b"\n')
    assert text.section == "b"


def test_what_is_changed() -> None:
    for variable in by_name().values():
        assert variable.replace(attributes=variable.attributes).text == variable.text
    changed = by_name()["named"].replace(linkage="external ", value="ptr", attributes=["align 16"])
    assert changed.text == "@named = external global ptr, align 16\n"
    module = Module.parse(MODULE).change_variable("plain", lambda variable: Variable("@plain = global i8 0\n"))
    assert module.text == MODULE.replace("@plain = dso_local global i32 5, align 4", "@plain = global i8 0")


def test_constants_that_get_their_value_later_become_writable() -> None:
    changed = make_constants_writable(Module.parse(MODULE)).text
    assert "@weights = addrspace(1) externally_initialized global [2 x i32]" in changed
    assert changed.count(" constant ") == MODULE.count(" constant ") - 1
    assert [name for name, variable in by_name().items() if variable.is_initialized_elsewhere] == ["weights"]


def test_uses() -> None:
    module = Module.parse(MODULE)
    assert module.mentions("plain") and not module.mentions("tile")
    assert "tile" in module.variables and "til" not in module.variables


def test_strings_and_numbers() -> None:
    assert Module.parse(MODULE).strings == {"@.str": "he\\22lo"}
    assert string_constant("@s", 'a"') == '@s = private unnamed_addr constant [3 x i8] c"a\\22\\00"\n'
    assert by_name()["size.0"].value == "24"


def test_types() -> None:
    module = Module.parse(MODULE)
    assert module.only_types.text == "".join(MODULE.splitlines(keepends=True)[i] for i in (0, 1, 3))
    assert module.types == {"%struct.S": "{ i32, ptr }"}


def test_a_variable_more() -> None:
    lines = Module.parse(MODULE).add_variable("@new = global i8 0\n").text.splitlines()
    assert lines[2] == "@new = global i8 0"


@pytest.mark.parametrize("clang", CLANGS)
def test_annotations(clang: str) -> None:
    module = Module.parse((GOLDEN / clang / "device.ll").read_text())
    bounds = {note.function: note.number for note in module.annotations if note.text == "musa_sim_launch_bounds"}
    assert bounds and all(number and number > 0 for number in bounds.values())
    assert module.without_annotations().annotations == []
    texts = [variable for variable in module.variables.values() if variable.section == "llvm.metadata"]
    assert texts and not any(variable.has_memory for variable in texts)
    without_arguments = (
        '@t = private constant [2 x i8] c"x\\00"\n'
        "@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] "
        "[{ ptr, ptr, ptr, i32, ptr } { ptr @f, ptr @t, ptr @file, i32 3, ptr null }]\n"
    )
    notes = Module.parse(without_arguments).annotations
    assert [(note.function, note.text, note.number) for note in notes] == [("f", "x", None)]


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("side", ["device", "host"])
def test_every_variable_of_a_real_module_is_read(clang: str, side: str) -> None:
    text = (GOLDEN / clang / f"{side}.ll").read_text()
    wanted = [line for line in text.splitlines(keepends=True) if line.startswith("@") and " alias " not in line]
    found = Module.parse(text).variables.values()
    assert [variable.text for variable in found] == wanted
    assert [variable.replace(attributes=variable.attributes).text for variable in found] == wanted
