"""The findings: each hazard in code and nowhere else, with its line; and the page that explains it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from translated_texts import findings

from musa_build.explain import topics
from musa_build.porting.engine.finding_codes import KINDS
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import Translator, translate

PORTING = Path(__file__).resolve().parents[2] / "musa_build" / "porting"


DEVICE = "__global__ void k();\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("inline-ptx", 'asm volatile("bar.sync 0;");'),
        ("inline-assembly", 'asm volatile("wgmma.fence.sync.aligned;");'),
        ("inline-assembly", '__asm__ __volatile__ ("mov;");'),
        ("inline-assembly", 'asm("mov;" : "=r"(x));'),
        ("texture", "texture<float, 2> t;"),
        ("texture", "float v = tex2D<float>(t, x, y);"),
        ("texture", "cudaTextureObject_t object;"),
        ("cudnn", "cudnnConvolutionForward(handle);"),
        ("cudnn", "int s = CUDNN_STATUS_SUCCESS;"),
        ("unsynchronised-warp-function", "x = __shfl_xor(x, 1);"),
        ("unsynchronised-warp-function", "unsigned m = __ballot(p);"),
        ("warp-width", "x = __shfl_down_sync(0xffffffff, x, 1);"),
        ("warp-width", "x = __shfl_xor_sync(0xFFFFFFFFu, x, 1);"),
        ("warp-width", "bool b = __any_sync(-1, p);"),
        ("warp-width", "unsigned m = __ballot_sync(FULL_MASK, p);"),
        ("warp-width", "int lane = threadIdx.x % 32;"),
        ("warp-width", "int lane = tid & 31;"),
        ("warp-width", "int lane = thread_id & 0x1f;"),
        ("warp-width", "int warp = threadIdx.x >> 5;"),
        ("warp-width", "#define WARP_SIZE 32"),
        ("warp-width", "constexpr int kWarpSize = 32;"),
        ("static-shared-memory", "__shared__ float tile[128][128];"),
        ("fp64", "double sum = 0;"),
        ("cooperative-launch", "cudaLaunchCooperativeKernel(f, g, b, a);"),
        ("cooperative-launch", "void f() { cooperative_groups::this_grid().sync(); }"),
        ("tensor-core", "nvcuda::wmma::mma_sync(d, a, b, c);"),
        ("tensor-core", "cutlass::gemm::device::Gemm<float> g;"),
        ("unsupported-api", "CUtensorMap map;"),
        ("token-pasting", "#define REGISTER(device) f(at::k##device)"),
        ("unknown-header", "#include <THC/THC.h>"),
        ("left-over", "at::Tensor scale_cuda(at::Tensor x);"),
        ("arch-guard", "#if __CUDA_ARCH__ == 750"),
        ("version-guard", "#if CUDA_VERSION < 10020"),
        ("self-define", "#define cudaFree musaFree"),
    ],
)
def test_each_finding_in_code_and_in_no_comment_or_string(code: str, line: str) -> None:
    assert (code, 2) in [(finding.code, finding.line) for finding in findings(DEVICE + line + "\n")]
    for prose in (f"// {line}", f"/* {line} */", 'const char* s = R"(' + line + ')";'):
        assert code not in [finding.code for finding in findings(DEVICE + prose + "\n")], prose


@pytest.mark.parametrize(
    "line",
    [
        "int half = n / 32;",
        "int x = blockSize % 32;",
        "extern __shared__ float tile[];",
        "__shared__ float tile[32][33];",
        "mydouble sum;",
        "int asmx = 0; my__shfl(x);",
        "x = __shfl_down_sync(mask, x, 1);",
        "#include <cub/cub.cuh>",
        "#include <thrust/sort.h>",
        "int a ## b;",
    ],
)
def test_no_finding_where_nothing_is_to_be_said(line: str) -> None:
    assert findings(DEVICE + line + "\n") == []


def test_host_code_has_no_hazards_of_device_code() -> None:
    assert findings('double a; asm volatile("cpuid"); int lane = tid % 32; cudaFree(p);\n') == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("bool b = std::is_same_v<Arch, cutlass::arch::Sm80>;", [1]),
        ("using namespace cute;\nusing Arch = cutlass::arch::Sm90;", [1]),
        ("void f(cutlass::half_t* x);", [1]),
        ("nvcuda::wmma::fill_fragment(c, 0);\n" + DEVICE + "cutlass::arch::Sm80 a;", [1, 3]),
        ("// cutlass::arch::Sm80\nint cute = 3; f(cute); auto cutlass = cute;", []),
    ],
)
def test_cutlass_is_reported_in_host_code_too(code: str, expected: list[int]) -> None:
    """A library that host code names by its types is reported once in each file, with device code or without."""
    assert [each.line for each in findings(code + "\n") if each.code == "tensor-core"] == expected


@pytest.mark.parametrize(("target", "bytes_", "reported"), [("mp_21", 28672, False), ("mp_21", 28676, True)])
def test_shared_memory_is_held_against_the_target(target: str, bytes_: int, reported: bool) -> None:
    text = f"#define N {bytes_ // 4}\n__global__ void k() {{ __shared__ float a[N]; }}\ncudaError_t e;\n"
    assert ("static-shared-memory" in [finding.code for finding in findings(text, target=target)]) is reported
    assert "static-shared-memory" not in [finding.code for finding in findings(text, target="mp_31")]


def test_a_warp_of_32_is_right_where_the_target_has_it() -> None:
    text = DEVICE + "x = __shfl_down_sync(0xffffffff, x, 1); int lane = threadIdx.x % 32;\n"
    assert [finding.code for finding in findings(text, target="mp_22")] == ["warp-width", "warp-width"]
    assert findings(text, target="mp_31") == []


def test_a_guard_s_line_is_reported_before_and_after() -> None:
    (finding,) = findings("#if defined(FOO) && __CUDA_ARCH__ >= 530  // half\n")
    assert finding.message == (
        "#if defined(FOO) && __CUDA_ARCH__ >= 530  // half became #if defined(FOO) && __MUSA_ARCH__ >= 100  // half"
    )


def test_marked_lines_are_neither_ported_nor_reported() -> None:
    text = (
        "cudaFree(a);\n"
        "// MUSIFY_EXCL_START\n"
        "cudaFree(b); scale_cuda();\n"
        "// MUSIFY_EXCL_STOP\n"
        "cudaFree(c); // MUSIFY_EXCL_LINE\n"
        "cudaFree(d);\n"
    )
    translator = Translator(rule_set({"b": "x", "c": "x", "d": "x"}))
    translation = translate(text.encode(), translator, lambda include: None)
    assert translation.text == text.replace("cudaFree(a)", "musaFree(a)").replace("cudaFree(d)", "musaFree(x)")
    assert findings(text) == []


def test_an_exclusion_that_is_never_stopped_runs_to_the_end() -> None:
    text = "cudaFree(a);\n// MUSIFY_EXCL_START\ncudaFree(b);\n"
    assert translate(text.encode(), Translator(rule_set()), lambda include: None).text.endswith("cudaFree(b);\n")


def test_every_finding_in_the_code_is_a_kind() -> None:
    used = {
        code
        for path in PORTING.rglob("*.py")
        for code in re.findall(r'(?:Remark|Finding)\([^"()]*"([a-z0-9-]+)"', path.read_text(encoding="utf-8"))
    }
    assert used and used <= set(KINDS)


@pytest.mark.parametrize("code", [code for code in KINDS if "```cpp" in topics()[code].example])
def test_the_example_of_its_page_has_the_finding(code: str) -> None:
    assert code in [finding.code for finding in findings(DEVICE + topics()[code].code_of_example + "\n")]
