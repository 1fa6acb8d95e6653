"""Variables, constants and annotations of LLVM's IR, as clang 19 and 22 write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_sim.mcc.ir import variables as ir
from musa_sim.mcc.ir.annotations import function_annotations, remove_annotations

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


def by_name() -> dict[str, ir.Variable]:
    return {variable.name: variable for variable in ir.variables(MODULE)}


def test_parts_of_a_variable() -> None:
    found = by_name()
    table = found["@table"]
    assert (table.linkage, table.kind, table.type) == ("internal ", "constant", "[2 x { i32, i32 }]")
    assert table.value == "[{ i32, i32 } { i32 1, i32 2 }, { i32, i32 } zeroinitializer]"
    assert table.attributes == ["align 8"]
    assert found["@tile"].is_thread_local and found["@tile"].value == "undef"
    perhaps = found["@perhaps"]
    assert not perhaps.is_defined and not perhaps.has_memory and perhaps.value == ""
    outside = found["@elsewhere"]
    assert not outside.is_defined and not outside.has_memory and outside.value == ""
    assert outside.attributes == ['section "managed"', "align 4"]


def test_sections() -> None:
    named = by_name()["@named"]
    assert (named.section, named.before_section, named.after_section) == ("managed", "ptr @plain", ", align 8")
    assert (named.align, by_name()["@plain"].section) == (", align 8", "")


def test_what_is_not_changed_stays_as_it_is() -> None:
    assert ir.replace_variables(MODULE, lambda variable: variable.text) == MODULE
    changed = ir.replace_variables(MODULE, lambda v: "@plain = x" if v.name == "@plain" else v.text)
    assert changed == MODULE.replace("@plain = dso_local global i32 5, align 4", "@plain = x")


def test_constants_that_get_their_value_later_become_writable() -> None:
    changed = ir.make_constants_writable(MODULE)
    assert "@weights = addrspace(1) externally_initialized global [2 x i32]" in changed
    assert changed.count(" constant ") == MODULE.count(" constant ") - 1
    assert ir.initialized_elsewhere(MODULE) == ("weights",)


def test_uses() -> None:
    assert ir.is_used(MODULE, "plain") and not ir.is_used(MODULE, "tile")
    assert ir.has_variable(MODULE, "tile") and not ir.has_variable(MODULE, "til")
    assert ir.unsized_thread_local_arrays(MODULE) == ["_ZL5array"]


def test_strings_and_numbers() -> None:
    assert ir.strings(MODULE) == {"@.str": "he\\22lo"}
    assert ir.string_constant("@s", 'a"') == '@s = private unnamed_addr constant [3 x i8] c"a\\22\\00"\n'
    assert ir.integers(MODULE) == {"size.0": 24}
    changed, count = ir.replace_string(MODULE, "he\\22lo", b"\0")
    assert count == 1
    assert '@.str = private unnamed_addr constant [1 x i8] c"\\00", align 1' in changed


def test_types() -> None:
    assert ir.target_and_types(MODULE) == "".join(MODULE.splitlines(keepends=True)[i] for i in (0, 1, 3))
    assert ir.knows_type(MODULE, "%struct.S") and ir.knows_type(MODULE, "{ i32 }")
    assert not ir.knows_type(MODULE, "%struct.T")


def test_a_variable_more() -> None:
    lines = ir.add_variable(MODULE, "@new = global i8 0").splitlines()
    assert lines[2] == "@new = global i8 0"


@pytest.mark.parametrize("clang", CLANGS)
def test_annotations(clang: str) -> None:
    module = (GOLDEN / clang / "device.ll").read_text()
    found = function_annotations(module)
    bounds = {note.function: note.number for note in found if note.text == "musa_sim_launch_bounds"}
    assert bounds and all(number and number > 0 for number in bounds.values())
    assert function_annotations(remove_annotations(module)) == []
    texts = [variable for variable in ir.variables(module) if variable.section == "llvm.metadata"]
    assert texts and not any(variable.has_memory for variable in texts)
    without_arguments = (
        '@t = private constant [2 x i8] c"x\\00"\n'
        "@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] "
        "[{ ptr, ptr, ptr, i32, ptr } { ptr @f, ptr @t, ptr @file, i32 3, ptr null }]\n"
    )
    assert [(note.function, note.text, note.number) for note in function_annotations(without_arguments)] == [
        ("f", "x", None)
    ]


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("side", ["device", "host"])
def test_every_variable_of_a_real_module_is_read(clang: str, side: str) -> None:
    module = (GOLDEN / clang / f"{side}.ll").read_text()
    wanted = [line for line in module.splitlines() if line.startswith("@") and " comdat any" not in line[:40]]
    assert [variable.text for variable in ir.variables(module)] == [line for line in wanted if " alias " not in line]
    assert ir.replace_variables(module, lambda variable: variable.text) == module
