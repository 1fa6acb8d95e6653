"""Each bare word CUDA that remains in code is a dispatch key or a device for all that the file says: a warning."""

from __future__ import annotations

import pytest
from translated_texts import findings, findings_in, takes_time_in_proportion, translated

from musa_build.porting.engine.edits import Severity


def lines(text: str) -> list[int]:
    """The lines of the warnings about what was left."""
    warnings = [each for each in findings(text) if each.code == "left-over" and each.severity is Severity.WARNING]
    assert all("PrivateUse1" in each.message for each in warnings)
    return [each.line for each in warnings]


@pytest.mark.parametrize("key", ["CUDA", "AutogradCUDA", "SparseCUDA"])
@pytest.mark.parametrize(
    "text",
    [
        "OPS_M(my_ops, @, m) { }",
        "OPS_2(my_ops, @);",
        "OPS_1(@)",
        "TORCH_LIBRARY_IMPL(my_ops, KEY_OF(@), m) { }",
        "#define KEY_OF(x) x\nTORCH_LIBRARY_IMPL(my_ops, KEY_OF(@), m) { }",
        "SAME(@)",
        "ops::add<float>(x, @);",
        "auto set = keys_of(CPU, @, Meta);",
        "run<@>(x);",
        "if (kind == @) f();",
        "case_of(x) { return @; }",
        "auto keys = {CPU, @};",
        "enum class Kind { @ }; REGISTER(@)",
        "f(static_cast<int>(@));",
        "table[@] = f;",
        "assert(k != @ && x);",
        "M(a)(@)",
        "#if X\nOPS(@)\n#endif",
        "#define X(k) f_##k\nY(@)",
        "A(B(C(@)));",
        "OPS(\n  my_ops, // the key\n  @)",
        "TORCH_LIBRARY_FRAGMENT_FOR(my_ops, @ /* key */, m)",
        "#define ALL(M) M(a, CPU) M(a, @)",
    ],
)
def test_a_word_that_may_be_a_key(text: str, key: str) -> None:
    text = "void g();\n" + text.replace("@", key) + "\n"
    assert lines(text) == [text[: text.index(key)].count("\n") + 1]


@pytest.mark.parametrize(
    "text",
    [
        "enum Kind { CPU, CUDA };\nvoid f(Kind k) { if (k == CUDA) run(CUDA); }",
        "enum class Kind { CPU, CUDA };",
        "f(Kind::CUDA); f(kind.CUDA); f(kind->CUDA); f(ns::Kind::CUDA);",
        "#define CUDA 1\nf(CUDA);",
        "#ifdef CUDA\n#elif defined(CUDA) && CUDA\n#endif\n#undef CUDA\n#pragma omp CUDA\n",
        "struct CUDA { static void run(); };\nrun<CUDA>(x); CUDA::run();",
        "namespace CUDA { void f(); }\nvoid g() { CUDA::f(); }",
        "CUDA::Stream s; f(CUDA::Stream());",
        "template <typename CUDA> void f(CUDA x);",
        "constexpr int CUDA = 2;\nrun(CUDA);",
        "#define NAME(x) #x\nauto s = NAME(CUDA);",
        "#define STEP(x) step_##x()\nvoid f() { STEP(CUDA); }",
        "#define STEP(x) x##_step(#x)\nvoid f() { STEP(CUDA); }",
        "// OPS_1(CUDA)\nvoid cudaless();",
        'const char* s = "CUDA"; f(R"(OPS_1(CUDA))");',
        "TORCH_LIBRARY_IMPL(a, CUDA, m) { }\nauto d = at::DeviceType::CUDA; auto k = c10::DispatchKey::CUDA;",
        "#error CUDA is needed\n",
        "TEST(Ops, CUDA) { }\nTYPED_TEST(Ops, CUDA) { }",
        "using my::CUDA;\nf(CUDA);",
        "CUDA make(); CUDA* p; static CUDA instance;",
        "#define REG(k) reg(Own::k)\nREG(CUDA)",
    ],
)
def test_a_word_that_is_understood(text: str) -> None:
    assert not lines(text)


TORCH = "#include <torch/extension.h>\n"


@pytest.mark.parametrize("word", ["CUDA", "AutogradCUDA"])
@pytest.mark.parametrize(
    "text",
    [
        "#define NAME(K) #K\nauto k = c10::parseDispatchKey(NAME(@));",
        "#define NAME(K) (#K)\nauto k = NAME(@);",
        "#define NAME(a, K) #a, #K\nf(NAME(1, @));",
        "#define NAME(K) f_##K(#K)\nNAME(@);",
        "#define NAME(K) TORCH_CHECK(false, #K); g(#K)\nNAME(@);",
        "#define NAME(K) std::string(#K)\nauto s = NAME(@);",
        "#define NAME(K) Own::K, # K\nf(NAME(@));",
        "#define FIRST(a, ...) f(a, __VA_ARGS__)\nFIRST(1, 2, @);",
    ],
)
def test_a_string_that_a_macro_makes(text: str, word: str) -> None:
    text = TORCH + text.replace("@", word) + "\n"
    assert lines(text) == [3]


@pytest.mark.parametrize(
    "text",
    [
        "#define NAME(K) #K\nstd::cout << NAME(CUDA) << std::endl;",
        '#define NAME(K) #K\nTORCH_CHECK(ok, "on ", NAME(CUDA));',
        "#define NAME(K) TORCH_CHECK(false, #K)\nNAME(CUDA);",
        "#define NAME(K) f_##K()\nNAME(CUDA);",
    ],
)
def test_a_string_that_a_macro_makes_for_people(text: str) -> None:
    assert not lines(TORCH + text + "\n")


def test_the_name_of_a_device_that_a_macro_makes() -> None:
    text = TORCH + "#define DEVICE(x) torch::Device(#x)\nauto d = DEVICE(cuda);\nnamespace cuda { }\n"
    warnings = [(each.line, each.message[-10:]) for each in findings(text) if each.severity is Severity.WARNING]
    assert warnings == [(3, "write musa")]


@pytest.mark.parametrize(
    ("macros", "expected"),
    [
        ("#define STR(x) #x\n#define XSTR(x) STR(x)\n", ["XSTR"]),
        ("#define STR(x) #x\n#define B(a, x) f(a, STR(x))\n#define XSTR(x) B(1, x)\n", ["XSTR"]),
        ("#define STR(x) x##_f()\n#define XSTR(x) STR(x)\n", []),
        ("#define STR(x) #x\n#define XSTR(x) LOG(INFO) << STR(x)\n", []),
        ("#define XSTR(x) YSTR(x)\n#define YSTR(x) XSTR(x)\n", []),
    ],
)
def test_a_device_that_comes_through_several_macros(macros: str, expected: list[str]) -> None:
    """A macro hands its argument to others; each string that one of them makes of it may name a device."""
    text = f"{TORCH}{macros}auto d = g(XSTR(cuda));\n"
    assert [each.message.split()[0] for each in findings(text) if each.severity is Severity.WARNING] == expected


@pytest.mark.parametrize("call", ["MY_LOG(CUDA)", "LOG_INFO(CUDA, x)", "BENCHMARK(CUDA)", "TEST(CUDA, Adds) { }"])
@pytest.mark.parametrize("more", ["SCOPED_TIMER(CUDA);", "WARN(CUDA) << 1;", "INSTANTIATE_TEST_SUITE_P(CUDA, A, B);"])
def test_labels_of_messages_and_tests(call: str, more: str) -> None:
    assert not lines(f"{call};\n{more}\n")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ('m.impl("f", f_##K)', ("f_CUDA", "f_PrivateUse1")),
        ("K ## _ops(m)", ("CUDA_ops", "PrivateUse1_ops")),
        ("a_##K##_##m()", ("a_CUDA_m", "a_PrivateUse1_m")),
    ],
)
def test_a_ported_key_of_which_a_macro_makes_a_name(body: str, names: tuple[str, str]) -> None:
    text = f"#define REG(K) TORCH_LIBRARY_IMPL(x, K, m) {{ {body}; }}\nREG(CPU)\nREG(CUDA)\n"
    translation = translated(text)
    assert "REG(PrivateUse1)" in translation.text
    (found,) = findings_in(translation)
    assert (found.code, found.line) == ("token-pasting", 3) and all(name in found.message for name in names)


@pytest.mark.parametrize("call", ["OPS_{}(my_ops, CUDA, m)\n", "f({}, CUDA);\n", "NAME(CUDA); // {}\n"])
def test_many_keys_take_time_in_proportion(call: str) -> None:
    before = "#define NAME(K) g(#K)\nenum class A { x };\n"
    assert takes_time_in_proportion(lambda number: before + "".join(call.format(n) for n in range(number)))


def test_many_keys_are_one_warning_with_their_lines() -> None:
    text = "".join(f"OPS(my_ops_{n}, CUDA, m)\n" for n in range(8))
    assert lines(text) == [1]
    assert lines(text + "OTHER_OPS(my_ops, CUDA, m)\n") == [1, 9]
