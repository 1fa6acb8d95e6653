"""C++ allows comments, new lines and continued lines between any two words, and porting sees through all of them."""

from __future__ import annotations

import re

import pytest
from translated_texts import PLAIN, findings

from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.scanner import SpanKind, source_text
from musa_build.porting.engine.translate import Translator, translate


def port(text: str, translator: Translator = PLAIN) -> str:
    content = source_text(text.encode("latin-1")).content
    return translate(content, translator, lambda include: None).text


def codes(text: str) -> list[str]:
    return [finding.code for finding in findings(text)]


IN_A_DIRECTIVE = [" ", "  \t ", " /* CUDA, cuda; */ ", " \\\n ", " \\\r\n\t", " /* two\n lines */ "]
ANYWHERE = ["", *IN_A_DIRECTIVE, "\n", "\r\n    ", " // cuda; CUDA }\n  ", "\n\n/* a */ // b\n" + " " * 90]
JOINTS = [pytest.param(joint, id=repr(joint)[:24]) for joint in ANYWHERE]
OF_DIRECTIVES = [pytest.param(joint, id=repr(joint)) for joint in IN_A_DIRECTIVE]


def halves(code: str, joint: str) -> tuple[str, str]:
    """The code before and after porting: `[a>b]` is ported, and `~` is where `joint` may be."""
    code = code.replace("~", joint)
    return re.sub(r"\[([^][]+)>([^][]*)\]", r"\1", code), re.sub(r"\[([^][]+)>([^][]*)\]", r"\2", code)


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize(
    "code",
    [
        "TORCH_LIBRARY_IMPL~(~my_ops~,~[CUDA>PrivateUse1]~,~m~)~{ }",
        "STABLE_TORCH_LIBRARY_IMPL~(~my_ops~,~[CUDA>PrivateUse1]~,~m~)~{ }",
        "TORCH_LIBRARY_IMPL_EXPAND~(~NAME~(~a~,~b~)~,~[CUDA>PrivateUse1]~,~m~)~{ }",
        "}~TORCH_LIBRARY_IMPL~(~_~,~Autograd[CUDA>PrivateUse1]~,~m~)~{ }",
        "TORCH_LIBRARY_IMPL(a, [CUDA>PrivateUse1]~, m) { } TORCH_LIBRARY_IMPL~(b,~SparseCsr[CUDA>PrivateUse1], m)",
        "auto key = c10~::~DispatchKey~::~[CUDA>PrivateUse1]~;",
        "switch (d) { case~c10~::~DeviceType~::~[CUDA>PrivateUse1]~: f(); }",
        "bool b = x~.~[is_cuda>is_privateuseone]~(~)~;",
        "bool b = x~->~[is_cuda>is_privateuseone]~(~)~;",
        "bool b = x~.~[type~(~)~.~is_cuda>is_privateuseone]~(~)~;",
        "y = x~.~[cuda~(~)>to(at::DeviceType::PrivateUse1)]~;",
        "o = at~::~[CUDA~(>getDeprecatedTypeProperties(at::Backend::PrivateUse1,]~x~)~;",
        'at::Device d~(~"[cuda>musa]:0"~)~;',
        "REGISTER_DEVICE_IMPL~(~op~,~[CUDA>PrivateUse1]~,~f~)~;",
    ],
)
def test_a_pattern_over_code(code: str, joint: str) -> None:
    before, after = halves(code, joint)
    assert port(before) == after


@pytest.mark.parametrize("joint", JOINTS)
def test_the_namespaces_of_pytorch(joint: str) -> None:
    before, after = halves("auto s = at~::~[cuda>musa]~::~f(); c10~::~[cuda>musa]~::~g(); mine~::~cuda~::~h();", joint)
    assert port(before) == after


@pytest.mark.parametrize("joint", OF_DIRECTIVES)
@pytest.mark.parametrize(
    "code",
    [
        "#~include~<[cuda_fp16.h>musa_fp16.h]>~\n",
        '#~include~"[cuda_fp16.h>musa_fp16.h]"~\n',
        "#~include_next~<[cuda_fp16.h>musa_fp16.h]>~\n",
        "#~import~<[cuda_fp16.h>musa_fp16.h]>~\n",
        "#if~__has_include~(~<[cuda_fp8.h>musa_fp8.h]>~)~\n#endif\n",
        '#if~defined~(~__has_include~)~&&~__has_include~(~"[cuda_bf16.h>musa_bf16.h]"~)~\n#endif\n',
        "#define HAS(x) __has_include(x)\n#if~HAS~(~<[cuda_bf16.h>musa_bf16.h]>~)~\n#endif\n",
        "#if 1\n#elif~!~__has_include_next~(~<[cuda_bf16.h>musa_bf16.h]>~)~\n#endif\n",
        "#~define~HALF~<[cuda_fp16.h>musa_fp16.h]>~\n#~include~HALF~\n",
        '#~define~HALF~"[cuda_fp16.h>musa_fp16.h]"~\n#~include~HALF~\n',
        "#~include~STRING~(~[cuda_fp16.h>musa_fp16.h]~)~\n",
        "#~define~WIDTH~128\n#~if~defined~(~[CUDA_VERSION>MUSA_VERSION]~)~&&~[CUDA_VERSION>12040]~>=~11000~\n#endif\n",
        "#~ifdef~[CUDART_VERSION>MUSART_VERSION]~\n#endif\n",
        "#~if~defined~(~[__CUDA_ARCH__>__MUSA_ARCH__]~)~\n#endif\n",
    ],
)
def test_a_directive(code: str, joint: str) -> None:
    before, after = halves(code, joint)
    assert port(before) == after


@pytest.mark.parametrize("joint", OF_DIRECTIVES)
def test_a_threshold(joint: str) -> None:
    """The comparison is one number afterwards: what stood between its words is gone."""
    text = port(f"#{joint}if{joint}(__CUDA_ARCH__{joint}>={joint}800){joint}&& x\n#endif\n")
    assert re.search(r"__MUSA_ARCH__\s*>=\s*220\)", text) and "CUDA_ARCH" not in text and "800" not in text
    text = port(f"#if{joint}800{joint}>{joint}__CUDA_ARCH__{joint}\n#endif\n")
    assert re.search(r"__MUSA_ARCH__\s*<\s*220", text) and "800" not in text
    old = port(f"#{joint}if{joint}__GNUC__{joint}<{joint}5\n#endif\n")
    assert "!defined(__clang__)" in old


@pytest.mark.parametrize("joint", [joint for joint in ANYWHERE if joint])
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("texture", "texture~<~float~,~2~>~t~;"),
        ("unsynchronised-warp-function", "x = __shfl_xor~(~x, 1);"),
        ("warp-width", "x = __shfl_down_sync~(~0xffffffff~,~x, 1);"),
        ("warp-width", "int lane = threadIdx.x~%~32~;"),
        ("warp-width", "int warp = threadIdx.x~>>~5~;"),
        ("static-shared-memory", "__shared__~float~tile~[~128~]~[~128~]~;"),
        ("cooperative-launch", "cg::this_grid~(~)~.~sync~(~)~;"),
        ("tensor-core", "mma_sync~(~d, a, b, c);"),
        ("compute-capability", "cudaDeviceProp p; bool b = p~.~major~>=~8~;"),
    ],
)
def test_a_hazard(code: str, line: str, joint: str) -> None:
    assert code in codes("__global__ void k();\n" + line.replace("~", joint))


@pytest.mark.parametrize("text", ["requires /* C++20 */ C<T>", "requires // a = b\n C<T>", "concept /* = */ C = true;"])
def test_a_comment_does_not_make_an_identifier_of_a_keyword(text: str) -> None:
    assert port(f"template <class T> {text}") == f"template <class T> {text}"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = cuda\\@Free(p);@y;@", "x = musaFree(p);\\@@y;@"),
        ("#inc\\@lude <cuda_\\@runtime.h> // a\\@b@y;", "#include <musa_runtime.h> // a\\@b\\@\\@@y;"),
        ("#define F cuda\\@Fr\\@ee@y;", "#define F musaFree\\@\\@@y;"),
        ("TORCH_LIBRARY_IMPL(a, CU\\@DA, m) {}@", "TORCH_LIBRARY_IMPL(a, PrivateUse1, m) {}\\@@"),
    ],
)
def test_a_word_on_two_lines_is_one_word_and_lines_keep_their_numbers(before: str, after: str, end: str) -> None:
    before, after = before.replace("@", end), after.replace("@", end)
    assert port(before) == after and before.count("\n") == after.count("\n")


@pytest.mark.parametrize("text", ['R"(cuda\\\nFree)"', '"cuda\\\nFree"', "// cuda\\\nFree", "cuda \\\nFree", "a\\\n-b"])
def test_no_other_continued_line_is_joined(text: str) -> None:
    assert port(f"cudaFree(p); {text}\n") == f"musaFree(p); {text}\n"


@pytest.mark.parametrize(
    "text",
    [
        'const char* s = "#include <cuda.h>";',
        "/* __has_include(<cuda.h>) */ int x;",
        '#define NAME "cuda.h"\n',  # no #include of it: a string
        "bool b = __has_include_mine(<cuda.h>);",
        "TORCH_LIBRARY_IMPL(a, CPU, m) { } f(a, CUDA, m);",
        "TORCH_LIBRARY_IMPL(a, CPU, m); f(x,\n CUDA, m);",
        "/* TORCH_LIBRARY_IMPL(a, */ f(CUDA, m);",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert port(text) == text


def test_patterns_are_ported_in_comments_on_request() -> None:
    both = Translator(rule_set(), frozenset({SpanKind.COMMENT}))
    assert port("// x.is_cuda() y\nx /* x.is_cuda() */ . is_cuda();", both) == (
        "// x.is_privateuseone() y\nx /* x.is_privateuseone() */ . is_privateuseone();"
    )
