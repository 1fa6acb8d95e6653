"""Names, lists, brackets and strings of LLVM's IR."""

from __future__ import annotations

import pytest

from musa_sim.mcc.ir import text, types


def test_names() -> None:
    assert [text.bare(name) for name in ("@f", '@"a b"', "%x.1", '%"y"')] == ["f", "a b", "x.1", "y"]
    line = '  %r = call i32 @f(ptr %p.addr, i32 %"a b", ptr @g)'
    assert text.local_names(line) == ["%r", "%p.addr", '%"a b"']
    assert text.global_names(line) == ["@f", "@g"]


def test_names_are_spelled_as_llvm_spells_them() -> None:
    assert [text.global_name(name) for name in ("f", "_Z1kv.1", "k$", "0", "k\\C3\\9C")] == [
        *("@f", "@_Z1kv.1", '@"k$"', '@"0"', '@"k\\C3\\9C"')
    ]
    assert text.local_name("n$") == '%"n$"' and text.symbol("k\\C3\\9C$") == "k\u00dc$"


def test_nothing_in_quotes_is_a_bracket_a_comma_or_a_name() -> None:
    kinds = ("Text<'<'>", "Text<'('>", "Text<')'>", "Text<'}'>", "Text<','>", "Text<'%'>", "Fn<&f, 3>", "a b")
    for kind in kinds:
        given = f'i32 %a, ptr byval(%"struct.{kind}") align 4 %in, i32 %b'
        assert text.split_list(given) == ["i32 %a", f'ptr byval(%"struct.{kind}") align 4 %in', "i32 %b"]
        assert text.leading_type(f'%"struct.{kind}" zeroinitializer, align 4') == f'%"struct.{kind}"'
        assert text.enclosed(f"@f({given}) #0", 2) == given
        assert text.last_word(f'%"struct.{kind}" %"x y"') == '%"x y"'
        assert text.local_names(f'call void asm "{kind} %n", "r"(i32 %a)') == ["%a"]
        assert text.replace_names(f'asm "{kind} %a"(i32 %a)', {"%a": "%b"}) == f'asm "{kind} %a"(i32 %b)'


def test_lists_are_split_at_outermost_commas() -> None:
    assert text.split_list("ptr %a, { i64, i32 } %b, ptr byval([2 x i8]) %c") == [
        "ptr %a",
        "{ i64, i32 } %b",
        "ptr byval([2 x i8]) %c",
    ]
    assert text.split_list("") == []


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("i32 %a", "i32"),
        ("{ i64, ptr } zeroinitializer, align 8", "{ i64, ptr }"),
        ("<4 x float> %v", "<4 x float>"),
        ("%struct.S, align 4", "%struct.S"),
        ("ptr", "ptr"),
    ],
)
def test_leading_type(given: str, kind: str) -> None:
    assert text.leading_type(given) == kind


def test_enclosed() -> None:
    line = "call void @f(ptr byval(%S) %a, i32 1), !dbg !7"
    assert text.enclosed(line, line.index("(")) == "ptr byval(%S) %a, i32 1"
    with pytest.raises(text.UnexpectedIR, match="not closed"):
        text.enclosed("f(a", 1)


def test_strings() -> None:
    assert text.string(bytes([0, 34, 92, 65, 200])) == 'c"\\00\\22\\5CA\\C8"'
    assert text.unescape("a\\22b\\C8") == 'a"b\xc8'


@pytest.mark.parametrize(
    ("kind", "size", "scalar"),
    [
        ("i1", 1, 1),
        ("i64", 8, 8),
        ("half", 2, 2),
        ("ptr", 8, 8),
        ("[4 x [2 x i16]]", 16, 2),
        ("<3 x float>", 12, 4),
        ("{ i8, double }", 0, 0),
        ("%struct.S", 0, 0),
    ],
)
def test_sizes_as_far_as_the_text_tells(kind: str, size: int, scalar: int) -> None:
    assert (types.byte_size(kind), types.scalar_size(kind)) == (size, scalar)
    expression = f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"
    assert types.size_of(kind) == (str(size) if size else expression)
