"""Porting random texts: all names in code change, nothing else does, and lines stay lines."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed: pip install -e .[dev]")

from hypothesis import given
from hypothesis import strategies as st

from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import Translator, translate
from tests.fuzz.property_settings import examples

TRANSLATOR = Translator(rule_set())


def port(text: str) -> str:
    return translate(text.encode(), TRANSLATOR, lambda include: None).text.encode("latin-1").decode()


#: Names, and their ports anywhere in code.
RENAMED = {
    "cudaMalloc": "musaMalloc",
    "cudaStream_t": "musaStream_t",
    "cudaMemcpyHostToDevice": "musaMemcpyHostToDevice",
    "cublasHandle_t": "mublasHandle_t",
    "cudaError_t": "musaError_t",
    "CUstream": "MUstream",
    "__nv_bfloat16": "__mt_bfloat16",
    "getCurrentCUDAStream": "getCurrentMUSAStream",
    "curand_init": "murand_init",
}
OWN = [
    "my_cudaMalloc",
    "scale_cuda",
    "WITH_CUDA",
    "R",
    "u8x",
    "x",
    "größe",
    "naïve_cudaMalloc",
    "int",
    "L",
]
NUMBERS = ["1'000'000", "0x1'F", "0b1'0", "1e5f", "12", "1'2.5e-3", "0xcudaMalloc"]
PUNCTUATION = [
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    "::",
    "->",
    ".",
    "<",
    ">",
    "+",
    "/",
    "*",
    "==",
    "&&",
    "\\\n",
    "\n",
    "\t",
    "<<<",
    ">>>",
]
#: The content of a comment or a literal: never its end.
INSIDE = st.lists(
    st.sampled_from([*RENAMED, "x", " ", "it", "(", ")", "#include <cuda_runtime.h>", "größe", "1'0", "::", "%d"]),
    max_size=5,
).map("".join)
QUOTES_INSIDE = st.lists(st.sampled_from([*RENAMED, "'", '"', " ", "don't", 'R"(', "x"]), max_size=5).map("".join)
ESCAPES = st.sampled_from(["", '\\"', "\\\\", "\\n", "\\\n", "\\'", "\\x41", "//", "/*", "*/", "'"])
PREFIXES = st.sampled_from(["", "L", "u", "U"])


def same(text: str) -> tuple[str, str]:
    return text, text


@st.composite
def raw_strings(draw: st.DrawFn) -> tuple[str, str]:
    delimiter = draw(st.sampled_from(["", "x", "cudaMalloc", "-", "abc_123"]))
    content = draw(
        st.lists(st.sampled_from([*RENAMED, "\n", '"', "'", "\\", "//", "/*", ")", "(", "#", ' R"(']), max_size=6)
    )
    text = "".join(content).replace(f'){delimiter}"', "")
    prefix = draw(PREFIXES)
    return same(f'{prefix}R"{delimiter}({text}){delimiter}"') if f'){delimiter}"' not in text + ")" else same("")


TOKENS = st.one_of(
    st.sampled_from([*RENAMED.items()]),
    st.sampled_from([*RENAMED.items()]),
    st.sampled_from([*OWN, *NUMBERS, *PUNCTUATION]).map(same),
    st.tuples(PREFIXES, INSIDE, ESCAPES, INSIDE).map(lambda parts: same(f'{parts[0]}"{parts[1]}{parts[2]}{parts[3]}"')),
    st.sampled_from(["'\"'", "'\\''", "'\\\\'", "L'x'", "'/'", "'ab'", "u8'\"'", "'R'"]).map(
        lambda text: (text, text.removeprefix("u8"))
    ),
    raw_strings(),
    QUOTES_INSIDE.map(lambda text: same(f"/*{text}*/")),
    st.tuples(QUOTES_INSIDE, QUOTES_INSIDE).map(lambda two: same(f"//{two[0]}\n")),
    st.tuples(QUOTES_INSIDE, QUOTES_INSIDE).map(lambda two: same(f"//{two[0]}\\\n{two[1]}\n")),
    st.sampled_from(
        [
            ("\n#include <cuda_runtime.h>\n", "\n#include <musa_runtime.h>\n"),
            ('\n#  include "cuda_fp16.h" // cudaFree\n', '\n#  include "musa_fp16.h" // cudaFree\n'),
            (
                "\n#define F(x) cudaFree(x); \\\n    cudaMalloc(x)\n",
                "\n#define F(x) musaFree(x); \\\n    musaMalloc(x)\n",
            ),
            ("\n#if 0\n", "\n#if 0\n"),
            ("\n#else\n", "\n#else\n"),
            ("\n#endif // cudaFree\n", "\n#endif // cudaFree\n"),
            ("\n#ifdef WITH_CUDA\n", "\n#ifdef WITH_CUDA\n"),
            ("\n#error it's cudaMalloc\n", "\n#error it's musaMalloc\n"),
            ("\n#pragma unroll\n", "\n#pragma unroll\n"),
        ]
    ),
)
TEXTS = st.lists(TOKENS, max_size=14)
#: Pieces that join to anything: literals and comments that do not end, marks in the middle of names.
OPEN = [
    '"',
    "'",
    "/*",
    "*/",
    "//",
    'R"(',
    'R"x(',
    ')"',
    ')x"',
    "\\",
    "u8",
    "L",
    "#",
    "#include ",
    "<cuda.h>",
    "\x00",
    "\x80",
]
MARKS = ["MUSIFY_EXCL_START", "MUSIFY_EXCL_STOP", "MUSIFY_EXCL_LINE"]
GUARDS = ["#define ", "#if ", "defined(__CUDA_ARCH__)", "__CUDA_ARCH__ >= 700", "CUDART_VERSION < 11000", "#endif\n"]
ASSEMBLY = ["asm", "asm volatile(", '"mov.u32 %0, 1;"', ' : "=r"(x));']
CONTEXTS = ["template ", "requires", "at::", "kCUDA", "case ", "torch::", "CUDA", "(x.is_cuda())", "__device__ "]
SOUP = st.lists(
    st.sampled_from([*RENAMED, *OWN, *NUMBERS, *PUNCTUATION, *OPEN, *MARKS, *GUARDS, *ASSEMBLY, *CONTEXTS]), max_size=20
).map("".join)


@given(TEXTS)
@examples(150)
def test_names_in_code_change_and_nothing_else_does(tokens: list[tuple[str, str]]) -> None:
    assert port(" ".join(text for text, _ in tokens)) == " ".join(ported for _, ported in tokens)


@given(SOUP)
@examples(300)
def test_porting_again_changes_nothing(text: str) -> None:
    once = port(text)
    assert port(once) == once


@given(SOUP)
@examples(300)
def test_line_ends_are_kept(text: str) -> None:
    assert port(text.replace("\n", "\r\n")).replace("\r\n", "\n") == port(text)
    if "asm" not in text:
        assert port(text).count("\n") == text.count("\n")
