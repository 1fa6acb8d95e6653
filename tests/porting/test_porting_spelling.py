"""Texts in all their spellings: escapes in literals, rare marks of directives, names that macros make."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from translated_texts import PLAIN, findings_in

from musa_build.porting.engine.edits import Finding, Severity
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.scanner import SpanKind, source_text
from musa_build.porting.engine.translate import Translation, Translator, translate

WITH_STRINGS = Translator(rule_set(), frozenset({SpanKind.STRING}))


def translated(text: str, translator: Translator = PLAIN) -> Translation:
    return translate(source_text(text.encode()).content, translator, lambda include: None)


def found(text: str, translator: Translator = PLAIN) -> list[Finding]:
    return findings_in(translated(text, translator), translator)


ESCAPES = [r"\n", r"\t", r"\r\n", r"\f", r"\012", r"\u000a", r"\\\n", r"\"\n"]
READ_AFTER_AN_ESCAPE = [
    "import torch@torch.cuda.set_device(0)",
    "int i;@__global__ void k() { cudaFree(0); }",
    "cd x;@nvcc -c k.cu",
    "cd x;@nvidia-smi",
    "@CUDA_VISIBLE_DEVICES=1",
]


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("text", READ_AFTER_AN_ESCAPE)
def test_a_word_behind_an_escape_is_a_word(text: str, escape: str) -> None:
    assert [finding.code for finding in found(f'run("{text.replace("@", escape)}");')][:1] in (
        ["code-in-string"],
        ["name-in-string"],
    )


SPELLINGS: dict[str, Callable[[str], str]] = {
    "hexadecimal": lambda mark: f"\\x{ord(mark):02x}",
    "octal": lambda mark: f"\\{ord(mark):03o}",
    "universal": lambda mark: f"\\u{ord(mark):04x}",
    "universal, long": lambda mark: f"\\U{ord(mark):08x}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("before", "name", "after", "ported"),
    [
        ("dlsym(h, ", "cudaMalloc", ");", "musaMalloc"),
        ("at::Device d(", "cuda:0", ");", None),
        ("getenv(", "CUDA_VISIBLE_DEVICES", ");", None),
    ],
)
def test_a_name_spelled_with_escapes(before: str, name: str, after: str, ported: str | None, spelling: str) -> None:
    for at in (0, 2, 3):
        if spelling == "hexadecimal" and name[at + 1] in "0123456789abcdefABCDEF":
            continue  # another number
        text = f'{before}"{name[:at]}{SPELLINGS[spelling](name[at])}{name[at + 1 :]}"{after}'
        assert [finding.code for finding in found(text)] == ["name-in-string"]
        assert translated(text).text == text
        assert translated(text, WITH_STRINGS).text == (text if ported is None else f'{before}"{ported}"{after}')


def test_escapes_stay_in_a_list_of_names_and_raw_strings_have_none() -> None:
    assert translated(r'f("cudaMalloc\ncudaFree\0");', WITH_STRINGS).text == r'f("musaMalloc\nmusaFree\0");'
    assert not found(r'f(R"(x\qcuda)"); printf("\ncuda failed\n"); f("\\nothing");')


DIRECTIVES = [
    ("\f#include <cuda_runtime.h>", " #include <musa_runtime.h>"),
    ("\v#include <cuda_runtime.h>", " #include <musa_runtime.h>"),
    ("#\finclude\v<cuda_runtime.h>", "# include <musa_runtime.h>"),
    ("%:include <cuda_runtime.h>", "# include <musa_runtime.h>"),
    ("  %: include <cuda_runtime.h>", "  #  include <musa_runtime.h>"),
    ("%:if __CUDA_ARCH__ >= 700\n%:endif", "# if __MUSA_ARCH__ >= 100\n# endif"),
    ("%:define F(x) cuda%:%:x\nint i = F(Free)(0);", "# define F(x) musa##  x\nint i = F(Free)(0);"),
    ("int i = a %: cudaFree(0);", "int i = a %: musaFree(0);"),
    ('auto s = R"(\n%:include <cuda_runtime.h>)";', 'auto s = R"(\n%:include <cuda_runtime.h>)";'),
    ("/*\n\f#include <cuda_runtime.h> */ cudaFree(0);", "/*\n\f#include <cuda_runtime.h> */ musaFree(0);"),
    ("cudaFree(0);\n\f\nint i;", "musaFree(0);\n\f\nint i;"),
]


@pytest.mark.parametrize(("before", "after"), DIRECTIVES)
def test_directives_with_rare_marks(before: str, after: str) -> None:
    assert translated(before).text == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('#pragma push_macro("__CUDA_ARCH__")', '#pragma push_macro("__MUSA_ARCH__")'),
        ('#pragma pop_macro( "cudaFree" )', '#pragma pop_macro( "musaFree" )'),
        (r'_Pragma("push_macro(\"cudaFree\")")', r'_Pragma("push_macro(\"musaFree\")")'),
        ('#pragma push_macro("WITH_CUDA")', '#pragma push_macro("WITH_CUDA")'),
    ],
)
def test_a_saved_macro_is_ported_as_the_macro_is(before: str, after: str) -> None:
    text = f"{before}\ncudaFree(0);"
    assert translated(text).text == f"{after}\nmusaFree(0);"
    assert not [finding for finding in found(text) if finding.code in ("name-in-string", "arch-guard")]


@pytest.mark.parametrize("chain", ["p_##n", "p_##n##_q"])
def test_a_macro_makes_another_name_of_a_ported_one(chain: str) -> None:
    made = chain.replace("##", "").replace("n", "cuInit", 1)
    define = f"#define LOAD(n) {chain} = dlsym(h, #n)\n"
    codes = [finding.code for finding in found(f"{define}void* {made};\nvoid f() {{ LOAD(cuInit); }}\n")]
    assert codes.count("token-pasting") == 1
    assert not [each for each in found(f"{define}void f() {{ LOAD(cuInit); }}\n") if each.code == "token-pasting"]
    assert not [each for each in found(f"{define}void* {made};\nvoid f() {{ LOAD(x); }}\n") if each.line > 2]


def test_what_is_said_about_zero_bytes_is_what_is_done() -> None:
    text = source_text(b"int i = cudaFree(0);\0")
    assert "not ported" not in text.remark and "zero bytes" in text.remark
    assert translate(text.content, PLAIN, lambda include: None).text == "int i = musaFree(0);\0"


@pytest.mark.parametrize(
    "make",
    [
        lambda count: "const char* s = " + '"cu" "da" ' * count + ";\n",
        lambda count: "void f(cudaDeviceProp p) {\n" + "if (p.major >= 8) g();\n" * count + "}\n",
        lambda count: "void f(Thing p) {\n" + "if (p.major >= 8) g();\n" * count + "}\n",
    ],
)
def test_the_time_is_in_proportion_to_the_text(make: Callable[[int], str]) -> None:
    def seconds(count: int) -> float:
        text, times = make(count), []
        for _ in range(3):
            began = time.process_time()
            found(text)
            times.append(time.process_time() - began)
        return min(times)

    seconds(10)
    assert seconds(1600) < 8 * seconds(400) + 0.05


TORCH = "#include <torch/torch.h>\nvoid g();\n"
SAYS_CUDA = [
    'auto d = fmt::format("cuda:{}", i);',
    'snprintf(b, 9, "cuda:%d", r);',
    'sscanf(s, "cuda:%d", &r);',
    r'std::regex e("cuda(:\\d+)?");',
    'if (backend == "nccl") g();',
    'm.def("f", &f, py::arg("device") = "cuda");',
    'o->default_val("cuda");',
    't.attr("is_cuda");',
    'PyObject_GetAttrString(x, "is_cuda");',
    'PyObject_CallMethod(x, "cuda", nullptr);',
    'auto j = R"({"device": "cuda"})";',
    r'auto y = "model: x\ndevice: cuda\n";',
    'if (what.find("CUDA out of memory") != npos) g();',
    'if (strstr(e.what(), "CUDA error")) g();',
    'if (what == "NCCL error") g();',
    'auto v = std::string("CUDA_VISIBLE") + rest;',
    'if (strncmp(e, "CUDA_", 5) == 0) g();',
    'if (strstr(prop.name, "A100")) g();',
    'if (std::string(prop.name).find("GeForce RTX") != npos) g();',
    'open("/dev/nvidia0");',
    'open("/proc/driver/nvidia/version");',
    'QStringLiteral("cudart64_12");',
    'run("compute-sanitizer");',
    'run("-x cuda");',
]
FOR_PEOPLE = [
    'std::string title = "cuda";',
    'const char* kLabel = "cuda";',
    'axis.SetLabel("cuda");',
    'LOG(INFO) << "cuda";',
    'spdlog::info("cuda");',
    'SECTION("cuda") {}',
    'printf("CUDA error: %d", e);',
    'throw std::runtime_error("CUDA out of memory");',
    'printf("an A100 has %d", n);',
    'm.def("f", &f, "runs on cuda:0");',
    'm.attr("version") = "x"; // is_cuda',
    'std::string text = "a long text about NVIDIA and CUDA_ names";',
]


@pytest.mark.parametrize("line", SAYS_CUDA)
def test_a_text_that_is_read_is_reported(line: str) -> None:
    assert [each.line for each in found(f"{TORCH}{line}\n") if each.code.endswith("-in-string")][:1] == [3]


@pytest.mark.parametrize("line", FOR_PEOPLE)
def test_a_text_for_people_is_not(line: str) -> None:
    assert not [each for each in found(f"{TORCH}{line}\n") if each.code.endswith("-in-string")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>", "unknown-header"),
        ("#include <torch/csrc/distributed/c10d/NCCLUtils.hpp>", "unknown-header"),
        ("#include <cudnn.h>", "unknown-header"),
        ("#include <ATen/cudnn/Handle.h>", "unknown-header"),
        ("#if __has_include(<cudnn.h>)\n#endif", "unknown-header"),
        ("c10d::ProcessGroupNCCL* group;", "left-over"),
        ("auto type = BackendType::NCCL;", "left-over"),
        ("C10D_NCCL_CHECK(f(), m);", "left-over"),
        ("NV_IF_TARGET(NV_PROVIDES_SM_80, (f();))", "left-over"),
        ("NV_DISPATCH_TARGET(NV_IS_EXACTLY_SM_75, (f();), NV_IS_HOST, (g();))", "left-over"),
    ],
)
def test_names_of_libraries_are_reported(line: str, code: str) -> None:
    assert [(each.code, each.severity) for each in found(f"{line}\n") if each.line == 1] == [(code, Severity.WARNING)]


def test_code_for_host_or_device_needs_no_report() -> None:
    assert found("#include <nv/target>\nvoid f() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (cudaFree(0);), (g();)) }\n") == []


def test_a_name_behind_a_blank_in_a_literal_ends() -> None:
    assert [each.line for each in found('f(" cuInit"); f("& cudaFree"); f(R"( cuInit cuFree )");\n')][:1] == [1]
