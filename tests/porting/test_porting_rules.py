"""Which rule applies where: borders, precedence, no cascades; guards; what is reported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Optional

import pytest

from musa_build.errors import PortingError
from musa_build.porting import SimplePorting
from musa_build.porting.engine.edits import occurrences
from musa_build.porting.engine.identifiers import IdentifierIndex
from musa_build.porting.engine.rules import default_tables, rule_set
from musa_build.porting.engine.translate import Translator, apply_edits, translate


def port(text: str, rules: Optional[dict[str, str]] = None, default: bool = True, **options: Any) -> str:
    translator = Translator(rule_set(rules, default=default), **options)
    return translate(text.encode(), translator, lambda include: None).text.encode("latin-1").decode()


@pytest.mark.parametrize(
    ("text", "rules", "wanted"),
    [
        ("Accumulate cute focus cu formulas", {"cu": "mu"}, "Accumulate cute focus mu formulas"),
        ("foo bar", {"foo": "bar", "bar": "baz"}, "bar baz"),  # the result of a rule is not ported again
        ("cudaFree(p)", {"cudaFree": "myFree"}, "myFree(p)"),  # the user wins over a default rule for the same text
        ("thrust::cuda::par.on(s)", {}, "thrust::musa::par.on(s)"),
        ("at::cuda::getCurrentCUDAStream()", {"getCurrentCUDAStream": "stream"}, "at::musa::stream()"),
        ("x.device().is_cuda() y.is_cuda()", {"x.device().is_cuda()": "true"}, "true y.is_privateuseone()"),
        ("xx.device().is_cuda()", {"x.device().is_cuda()": "true"}, "xx.device().is_privateuseone()"),
        ("(a, CUDA, b)", {", CUDA,": ", PrivateUse1,"}, "(a, PrivateUse1, b)"),
        ("ns::cuda::f", {"::cuda::": "::musa::"}, "ns::musa::f"),
        ("f.is_cuda()", {".is_cuda()": ".is_privateuseone()"}, "f.is_privateuseone()"),
        ("abcd abc", {"ab": "1", "abc": "2", "abcd": "3"}, "3 2"),
        ("f<<<1, 2>>>(x)", {"<<<": "((", ">>>": "))"}, "f((1, 2))(x)"),
        ('call("cuda")', {'"cuda"': '"musa"'}, 'call("musa")'),  # a rule that begins with the quotation mark
        ('call("x cuda") // cuda', {"cuda": "musa"}, 'call("x cuda") // cuda'),
        ("größe größe_cuda", {"größe": "size"}, "size größe_cuda"),
        ("größe", {"gr": "x", "e": "y"}, "größe"),  # a letter of more than one byte is no border
    ],
)
def test_user_rule(text: str, rules: dict[str, str], wanted: str) -> None:
    assert port(text, rules) == wanted


def test_the_type_of_a_device_s_tensors() -> None:
    """at::CUDA(type) is a function, and MUSA has none of its own."""
    made = "at::getDeprecatedTypeProperties(at::Backend::PrivateUse1,x.scalar_type())"
    assert port("at::zeros({n}, at::CUDA(x.scalar_type()))") == f"at::zeros({{n}}, {made})"
    assert "CUDA" not in port("torch::zeros({n}, torch::CUDA (torch::kInt))")
    assert port("mine::CUDA(x) CUDA(x)") == "mine::CUDA(x) CUDA(x)"


def test_the_drivers_types_and_functions() -> None:
    """All that the simulator's driver declares is found by CUDA's names."""
    header = (Path(__file__).resolve().parents[2] / "simulator/musa_sim/include/musa.h").read_text("utf-8")
    names = sorted(set(re.findall(r"\b(?:MU[a-z]|mu[A-Z])\w+", header)))
    assert len(names) > 100 and "MUlaunchAttribute" in names and "muLaunchKernelEx" in names
    cuda = {name: ("CU" if name.startswith("MU") else "cu") + name[2:] for name in names}
    own = {"muMemoryTransferBatchAsync"}  # a name of MUSA alone
    assert {name for name in names if port(cuda[name]) != name} == own


@pytest.mark.parametrize(
    ("include", "rules", "wanted"),
    [
        ("#include <ATen/cuda/CUDAContext.h>", {}, "#include <torch_musa/csrc/aten/musa/MUSAContext.h>"),
        # as torch_musa's tools/cuda_porting names all other headers of these folders
        ("#include <ATen/native/cuda/Reduce.cuh>", {}, "#include <ATen/native/musa/Reduce.muh>"),
        ("#include <ATen/native/cuda/CuFFTUtils.h>", {}, "#include <ATen/native/musa/CuFFTUtils.h>"),
        ("#include <ATen/cuda/ATenCUDAGeneral.h>", {}, "#include <ATen/musa/ATenMUSAGeneral.h>"),
        ("#include <c10/cuda/CUDAMathCompat.h>", {}, "#include <c10/musa/MUSAMathCompat.h>"),
        ("#include <c10/cuda/impl/cuda_cmake_macros.h>", {}, "#include <c10/musa/impl/musa_cmake_macros.h>"),
        ("namespace at { namespace cuda { namespace jit {", {}, "namespace at { namespace musa { namespace jit {"),
        ("namespace c10 {\nnamespace cuda {", {}, "namespace c10 {\nnamespace musa {"),
        ("namespace mine { namespace cuda {", {}, "namespace mine { namespace cuda {"),
        ("#include <torch/headeronly/cuda/KernelUtils.h>", {}, "#include <torch/headeronly/musa/KernelUtils.h>"),
        ("#include <THC/THCDeviceUtils.cuh>", {}, "#include <THC/THCDeviceUtils.muh>"),
        ('#  include "cuda.h"', {}, '#  include "musa.h"'),
        ("#include <cuda.h>", {"cuda.h": "my.h"}, "#include <my.h>"),
        (
            "#include <ATen/cuda/CUDAContext.h>",
            {"#include <ATen/cuda/CUDAContext.h>": '#include "torch_musa/csrc/aten/musa/MUSAContext.h"'},
            '#include "torch_musa/csrc/aten/musa/MUSAContext.h"',
        ),
        ('#include "a/kernel.cuh"', {".cuh": ".muh"}, '#include "a/kernel.muh"'),
        ("#include <x/cuda/y.h>", {"/cuda/": "/musa/"}, "#include <x/musa/y.h>"),
        ("#include <cub/block/block_scan.cuh>", {}, "#include <cub/block/block_scan.cuh>"),
        ("// #include <cuda.h>", {}, "// #include <cuda.h>"),
        ("#include <device_functions.h>", {}, "#include <musa_runtime.h>"),
        ("#include <crt/host_defines.h>", {}, "#include <host_defines.h>"),
        ("#include <my/texture_types.h>", {}, "#include <my/texture_types.h>"),
    ],
)
def test_include(include: str, rules: dict[str, str], wanted: str) -> None:
    assert port(include, rules) == wanted


@pytest.mark.parametrize(
    ("guard", "wanted"),
    [
        ("__CUDA_RUNTIME_H__", "__MUSA_RUNTIME_H__"),
        ("__DRIVER_TYPES_H__", "__DRIVER_TYPES_H__"),
        ("__cuda_cuda_h__", "__musa_musa_h__"),
        ("cuda_profiler_H", "musa_profiler_H"),
        ("CUDATYPEDEFS_H", "MUSATYPEDEFS_H"),
        ("CUBLAS_API_H_", "MUBLAS_API_H_"),
        ("CUSPARSEAPI", "MUSPARSEAPI"),
        ("_CUFFT_H_", "_MUFFT_H_"),
        ("_CUDA_PIPELINE_PRIMITIVES_H_", "_MUSA_PIPELINE_PRIMITIVES_H_"),
        ("_CUPTI_ACTIVITY_H_", "_MUPTI_ACTIVITY_H_"),
        ("NV_NPPIDEFS_H", "MT_MTPPIDEFS_H"),
        ("_CUDA_UTILS_H_", "_CUDA_UTILS_H_"),  # a package's own
        ("CUDA_H", "CUDA_H"),
    ],
)
def test_include_guards_of_cudas_headers(guard: str, wanted: str) -> None:
    """The names are those of torch_musa's mapping."""
    assert port(f"#ifdef {guard}\n#endif\n") == f"#ifdef {wanted}\n#endif\n"


@pytest.mark.parametrize(
    ("guard", "wanted"),
    [
        ("__CUDA_ARCH__ >= 530", "__MUSA_ARCH__ >= 100"),
        ("__CUDA_ARCH__ < 700", "__MUSA_ARCH__ < 100"),
        ("__CUDA_ARCH__ >= 800", "__MUSA_ARCH__ >= 220"),
        ("__CUDA_ARCH__>=860", "__MUSA_ARCH__>=220"),
        ("__CUDA_ARCH__ >= 890", "__MUSA_ARCH__ >= 310"),
        ("__CUDA_ARCH__ >= 900", "__MUSA_ARCH__ >= 310"),
        ("defined(__CUDA_ARCH__)", "defined(__MUSA_ARCH__)"),
        ("!__CUDA_ARCH__", "!__MUSA_ARCH__"),
        ("__CUDA_ARCH__ == 750", "__CUDA_ARCH__ == 750"),
        ("__CUDA_ARCH__ > 700", "__MUSA_ARCH__ >= 100"),
        ("__CUDA_ARCH__ > 750", "__MUSA_ARCH__ >= 220"),
        ("__CUDA_ARCH__ <= 750", "__MUSA_ARCH__ < 220"),
        ("700 <= __CUDA_ARCH__", "__MUSA_ARCH__ >= 100"),
        ("800 > __CUDA_ARCH__ && x", "__MUSA_ARCH__ < 220 && x"),
        ("__CUDA_ARCH__ / 100 >= 8", "__MUSA_ARCH__ >= 220"),
        ("__CUDA_ARCH__ / 10 > 74", "__MUSA_ARCH__ >= 100"),
        ("__CUDA_ARCH__ >= 8 * 100", "__MUSA_ARCH__ >= 220"),
        ("__CUDA_ARCH__ >= (8 * 100 + 60)", "__MUSA_ARCH__ >= 220"),
        ("(defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 600))", "(defined(__MUSA_ARCH__) && (__MUSA_ARCH__ < 100))"),
        ("!__CUDA_ARCH__ || __CUDA_ARCH__ >= 800  // 800", "!__MUSA_ARCH__ || __MUSA_ARCH__ >= 220  // 800"),
        ("__CUDA_ARCH__ >= 1000", "__MUSA_ARCH__ >= 1000"),  # beyond all MUSA GPUs
        ("__CUDA_ARCH__ >= 700 + x", "__CUDA_ARCH__ >= 700 + x"),
        ("x + __CUDA_ARCH__ >= 700", "x + __CUDA_ARCH__ >= 700"),
        ("__CUDA_ARCH__ % 100 >= 7", "__CUDA_ARCH__ % 100 >= 7"),
        ("__CUDA_ARCH__ >= MINIMUM", "__CUDA_ARCH__ >= MINIMUM"),
        ("CUDA_VERSION >= 11000", "12040 >= 11000"),
        ("defined(CUDA_VERSION) && CUDA_VERSION < 10020", "defined(MUSA_VERSION) && 12040 < 10020"),
        ("defined CUDART_VERSION", "defined MUSART_VERSION"),
        ("__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1102", "12 * 100 + 4 >= 1102"),
    ],
)
def test_guards_are_translated_as_numbers_or_left_alone(guard: str, wanted: str) -> None:
    assert port(f"#if {guard}\n#endif\n") == f"#if {wanted}\n#endif\n"


def test_the_user_s_rules_win_in_an_alias_too() -> None:
    assert port("#define cudaFree musaFree\n", {"cudaFree": "mine"}) == "#define mine musaFree\n"


def test_without_the_default_rules_only_the_users_apply() -> None:
    text = '#include <cuda.h>\ncudaFree(p); x.is_cuda(); __CUDA_ARCH__; at::kCUDA; "cuda"; mine'
    assert port(text, {"mine": "yours"}, default=False) == text.replace("mine", "yours")


def test_every_default_entry_names_its_source_and_no_name_is_listed_twice() -> None:
    tables = default_tables()
    for entries in (tables.rules, tables.headers, tables.name_patterns, tables.components):
        assert len({getattr(rule, "find", "") or rule.pattern for rule in entries}) == len(entries)
    assert all(entry.source for entry in (*tables.rules, *tables.headers))
    assert all(entry.source for entry in (*tables.name_patterns, *tables.components))
    assert all(entry.source for entry in tables.pattern_rules)


def test_every_name_of_a_shape_begins_as_its_table_says() -> None:
    """Make names of the patterns: each that a pattern matches begins as its table says, and each beginning is used."""
    name_patterns = default_tables().name_patterns
    starts = ("", "cu", "CU", "_cu", "__cu", "CUDA_", "__CUDA", "PFN_cu", "make_cu", "TORCH_CU")
    tails = ("", "X", "x", "_X", "_x", "2", "32_t", "Xt", "__", "A_X", "_CHECK")
    for name_pattern in name_patterns:
        pieces = {"", *re.findall(r"\w+", name_pattern.pattern)}
        names = (f"{a}{b}{c}" for a in (*starts, *name_pattern.prefixes) for b in pieces for c in tails)
        matching = [name for name in names if re.fullmatch(name_pattern.pattern, name, re.ASCII)]
        assert matching and all(name.startswith(name_pattern.prefixes) for name in matching), name_pattern
        unused = [begin for begin in name_pattern.prefixes if not any(name.startswith(begin) for name in matching)]
        assert not unused, name_pattern


def test_report_lists_what_could_not_be_ported(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.cu").write_text(
        "#include <THC/THC.h>\n"
        "#if CUDA_VERSION < 10020\n"
        '__device__ void f() { asm volatile("bar.sync 0;"); }\n'
        "#endif\n"
        "texture<float, 2> t;\n"
        '// asm volatile("only prose")\n'
        "cudnnHandle_t handle;\n"
        "int lane = __shfl(x, 0);\n"
        "#if __CUDA_ARCH__ == 750\n#endif\n"
        "#ifdef WITH_CUDA\n#endif\n"
        "#if __CUDA_ARCH__ >= 600\n#endif\n"
    )
    report = SimplePorting(tmp_path / "src", mapping_rule={"never_there": "x"}).run()
    assert [(finding.code, finding.line) for finding in report.findings] == [
        ("unknown-header", 1),
        ("version-guard", 2),
        ("inline-ptx", 3),
        ("texture", 5),
        ("cudnn", 7),
        ("unsynchronised-warp-function", 8),
        ("arch-guard", 9),
        ("left-over", 11),
        ("arch-guard", 13),
    ]
    assert {finding.path for finding in report.findings} == {"k.cu"}
    assert report.unused_rules == ("never_there",)


def test_report_tells_when_a_user_rule_rewrote_a_known_header(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.cu").write_text("#include <ATen/cuda/CUDAContext.h>\n")
    report = SimplePorting(tmp_path / "src", mapping_rule={"CUDAContext": "MyContext"}).run()
    assert (tmp_path / "src_musa" / "k.mu").read_text() == "#include <ATen/cuda/MyContext.h>\n"
    assert [finding.code for finding in report.findings] == ["rule-on-header"]


@pytest.mark.parametrize(
    ("path", "ported"),
    [
        ("ATen/cuda/CUDAContext.h", "torch_musa/csrc/aten/musa/MUSAContext.h"),
        ("ATen/cuda/CUDAApplyUtils.cuh", "ATen/musa/MUSAApplyUtils.muh"),
        ("mine/cuda/tool.cuh", "mine/musa/tool.muh"),  # nothing is known about it
    ],
)
def test_rules_about_paths_in_general_leave_known_headers_to_the_tables(tmp_path: Path, path: str, ported: str) -> None:
    """The manual's rules for mmcv hold "/cuda/" and ".cuh", the README's "cuda"."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.cu").write_text(f"#include <{path}>\nnamespace cuda {{}}\n")
    report = SimplePorting(tmp_path / "src", mapping_rule={"/cuda/": "/musa/", ".cuh": ".muh", "cuda": "musa"}).run()
    assert (tmp_path / "src_musa" / "k.mu").read_text() == f"#include <{ported}>\nnamespace musa {{}}\n"
    assert not report.findings


@pytest.mark.parametrize("rules", [{"": "x"}, {"a": 1}, ["a"], {1: "a"}, "a=b"])
def test_bad_rule(tmp_path: Path, rules: object) -> None:
    with pytest.raises(PortingError, match="mapping rule"):
        SimplePorting(tmp_path, mapping_rule=rules)  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 1}', '{"a": "b", "a": "c"}', "\xff\xfe"])
def test_bad_mapping_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "mapping").mkdir()
    (tmp_path / "mapping" / "extra.json").write_text(content, encoding="latin-1")
    with pytest.raises(PortingError, match=r"extra\.json"):
        SimplePorting(tmp_path, mapping_dir_path=tmp_path / "mapping")


def test_mapping_folder_comes_between_user_rules_and_default_rules(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.cu").write_text("one two cudaFree cudaMalloc")
    (tmp_path / "mapping").mkdir()
    pairs = {"one": "file", "two": "file", "cudaFree": "file"}
    (tmp_path / "mapping" / "extra.json").write_text(json.dumps(pairs))
    SimplePorting(tmp_path / "src", mapping_rule={"one": "user"}, mapping_dir_path=tmp_path / "mapping").run()
    assert (tmp_path / "src_musa" / "k.mu").read_text() == "user file file musaMalloc"


def test_many_rules_change_each_of_many_occurrences() -> None:
    """25,000 rules (the size of torch_musa's general.json) over a 2 MB text."""
    text = "int cudaFree1 = other; " * 90_000
    rules = rule_set({f"cudaFree{i}": f"musaFree{i}" for i in range(25_000)}, default=False)
    result = translate(text.encode(), Translator(rules), lambda include: None)
    assert len(result.edits) == 90_000
    assert apply_edits(text, result.edits) == text.replace("cudaFree1", "musaFree1")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("case c10::DeviceType::CUDA: f();", "case c10::DeviceType::PrivateUse1: f();"),
        (
            "case c10::DeviceType::CUDA: f(); break;\ncase c10::DeviceType::PrivateUse1: g();",
            "case c10::DeviceType::CUDA: f(); break;\ncase c10::DeviceType::PrivateUse1: g();",
        ),
        ("CUBLAS_CHECK(cublasCreate(&h)); NCCL_CALL(x);", "CUBLAS_CHECK(mublasCreate(&h)); NCCL_CALL(x);"),
        ("x = curand(&state) % curand(s + k); g.curand(x);", "x = murand(&state) % murand(s + k); g.curand(x);"),
    ],
)
def test_what_a_bare_rename_would_break(text: str, wanted: str) -> None:
    assert port(text) == wanted


@pytest.mark.parametrize("word", ["cuda", "CUDA", "cudaFree", "a", "CUDA_cuda", "double", "absent"])
def test_the_index_finds_identifiers_where_they_stand(word: str) -> None:
    """Its results are those of a search with borders, for all its ways of searching."""
    text = "cuda cuda::cudaFree(a,a)CUDA CUDA_cuda cuda_cuda\xe9 \xe9cuda //cudaFree\n\tdouble acuda CUDA"
    assert list(IdentifierIndex(text.encode("latin-1")).offsets(word)) == list(occurrences(text, word))
