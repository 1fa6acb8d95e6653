"""String literals that are nothing but a name of CUDA: reported when they are left, ported with --strings."""

from __future__ import annotations

from pathlib import Path

import pytest
from translated_texts import PLAIN, findings, takes_time_in_proportion, translated

from musa_build import SimplePorting
from musa_build.porting.engine.edits import Finding, Severity
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.scanner import SpanKind
from musa_build.porting.engine.translate import Translator

WITH_STRINGS = Translator(rule_set(), frozenset({SpanKind.STRING}))


def found(text: str, translator: Translator = PLAIN) -> list[Finding]:
    return [finding for finding in findings(text, translator) if finding.code in ("name-in-string", "code-in-string")]


LOOK_UPS = [
    'auto f = dlsym(h, "cudaMalloc");',
    'cudaGetDriverEntryPoint("cuMemAlloc", &f, 0);',
    'cuGetProcAddress("cuLaunchKernel_v2", &f, 12000, 0, 0);',
    'static const std::map<std::string, void*> t = {{"cudaMyStep", (void*)cudaMyStep}};',
    'static const char* names[] = {"cublasSgemm",\n "cublasDgemm"};',
    'if (strcmp(name, "cudaFree") == 0) return f;',
    'if (name == "cudaFree"s) return f;',
    'cuModuleGetFunction(&f, m, "cudaStep");',
    'cuModuleGetFunction(&f, m, "_Z8cudaStepPfi");',
    'int my_malloc(void**, size_t) __asm__("cudaMalloc");',
    'LOAD(R"(cudaMalloc)"); LOAD(u8"cudaFree");',
    'split("cudaMalloc,cudaFree");',
    'dlsym(h, "cuda" "Malloc"); dlsym(h, "cudaFree" /* c */);',
    'nvrtcAddNameExpression(p, "&cudaAdd"); nvrtcAddNameExpression(p, "my::cudaAdd<float, 4>");',
    'load("::cudaAdd"); load("cudaGetDevice@libcudart.so.12");',
    'load("nvrtcCompileProgram"); load("ncclAllReduce"); load("cufftExecC2C");',
]


@pytest.mark.parametrize("text", LOOK_UPS)
def test_a_name_that_is_looked_up(text: str) -> None:
    findings = found(f"void g();\n{text}\n")
    assert findings and findings[0].line == 2 and "--strings" in findings[0].message
    assert all(finding.severity is Severity.WARNING for finding in findings)
    assert not found(f"void g();\n{text}\n", WITH_STRINGS)


def test_names_in_several_literals_and_mangled_names_are_ported_with_strings() -> None:
    text = 'f("cuda" "Malloc"); f("_Z8cudaStepPfi"); f("lib" "cudart" ".so");'
    after = translated(text, WITH_STRINGS).text
    assert after == 'f("musaMalloc"); f("_Z8musaStepPfi"); f("libmusart.so");'


@pytest.mark.parametrize(
    ("library", "ported"),
    [
        ("libcudart.so", "libmusart.so"),
        ("libcudart.so.11.0", "libmusart.so.5"),
        ("libcuda.so.1", "libmusa.so.1"),
        ("libcuda.so", "libmusa.so"),
        ("libnvrtc.so", "libmtrtc.so"),
        ("libnvrtc.so.%d", "libmtrtc.so"),
        ("libcublas.so.12", "libmublas.so.1"),
        ("libcublasLt.so", "libmublasLt.so"),
        ("libnccl.so.2", "libmccl.so.2"),
        ("libcufft.so", "libmufft.so"),
        ("libcudart", "libmusart"),
        ("-lcudart", "-lmusart"),
        ("nvcuda.dll", ""),
        ("cudart64_110.dll", ""),
        ("nvrtc64_112_0.dll", ""),
        ("libcuda.dylib", ""),
        ("libcudart_static.a", ""),
        ("libcudnn.so.8", ""),
        ("libcudnn_ops_infer.so.8", ""),
        ("libnvidia-ml.so.1", ""),
        ("libnvToolsExt.so.1", ""),
        ("libnppc.so.12", ""),
        ("libcudart-d0da41ae.so.11.0", "libmusart.so.5"),
        ("-lcublas", "-lmublas"),
        ("libnvidia-ptxjitcompiler.so.1", ""),
        ("nvToolsExt64_1.dll", ""),
        ("libcudart.so:libcuda.so", ""),
        ("/usr/local/cuda/lib64/libcudart.so", ""),
    ],
)
def test_a_library_of_cuda(library: str, ported: str) -> None:
    text = f'void g();\nvoid* h = dlopen("{library}", RTLD_NOW);\n'
    (finding,) = found(text)
    assert finding.line == 2 and (f'"{ported}"' in finding.message if ported else "--strings" not in finding.message)
    after = translated(text, WITH_STRINGS).text
    if ported:
        assert after == text.replace(library, ported) and not found(text, WITH_STRINGS)
    elif not library.startswith("nv"):
        assert after == text and found(text, WITH_STRINGS)


@pytest.mark.parametrize(
    "text",
    [
        'throw std::runtime_error("cudaMalloc failed");',
        'fail("cudaMalloc: out of memory"); fail("in cudaFree()");',
        'printf("%s", "cudaMalloc"); std::cerr << "cudaFree" << std::endl;',
        'TORCH_CHECK(ok, "cudaMalloc");',
        'm.def("cudaStep", &cudaStep); m.def("step(Tensor x) -> Tensor", &cudaStep);',
        'm.impl("cudaStep", &cudaStep); e.value("cudaSuccess", cudaSuccess); f(py::arg("cudaStream"));',
        'PyMethodDef methods[] = {{"cudaStep", cudaStep_py, METH_VARARGS, nullptr}};',
        'dlopen("libcudaapp.so"); dlopen("libmy_cuda.so"); open("cuda.so"); open("cuda");',
        'device("cuda"); f("scale_cuda"); f("WITH_CUDA"); getenv("MY_CUDA_SWITCH");',
        '// dlsym(h, "cudaMalloc")\ncudaFree(p);',
        '#include "cudaHelper.h"\ncudaFree(p);',
        'extern "C" void cudaStep();',
        'void cudaFree(void* p) { musaFree(p); }\nauto f = dlsym(h, "cudaFree");',
    ],
)
def test_what_is_no_look_up(text: str) -> None:
    assert not found(text)


def test_many_names_are_one_finding_with_their_lines() -> None:
    (finding,) = found("".join(f'load("cudaF{n}");\n' for n in range(30)))
    assert finding.line == 1 and '"cudaF19" in line 20, "cudaF20" in line 21 and 9 more)' in finding.message


def test_each_of_several_kinds_of_finding_keeps_its_lines() -> None:
    """Findings are one only if they say the same: no text covers a line of another kind."""
    kinds = ['load("CUDA_HOME");', 'load("-arch=sm_80");', 'load("nvidia-smi");', 'load("k.cubin");']
    text = "void g();\n" + "".join(f"{kind}\n" for kind in kinds) * 3
    assert [each.line for each in found(text)] == [*range(2, 14)]
    repeated = found("void g();\n" + 'load("CUDA_HOME");\n' * 7 + 'load("nvidia-smi");\n')
    assert [each.line for each in repeated] == [2, 9]
    assert repeated[0].message.endswith("(as in lines 3, 4, 5, 6, 7, 8)") and "mthreads" in repeated[1].message


@pytest.mark.parametrize(
    "text",
    ["\\x00063uda", "cud\\x0061", "cu\\144a", "c\\u0075da", "\\x63\\x75\\x64\\x61"],
)
def test_a_name_in_escapes(text: str) -> None:
    """A hexadecimal escape ends where its digits do, however many they are."""
    assert len(found(f'#include <torch/torch.h>\ntorch::Device d(s == "{text}");\n')) == 1


def test_an_escape_that_is_another_character() -> None:
    assert not found('#include <torch/torch.h>\ng("cud\\x61b"); g("cu\\x0064da1");\n')


@pytest.mark.parametrize(
    ("python", "lines"),
    [
        ('import ctypes\nlib = ctypes.CDLL("libcudart.so")\nlib.cudaMalloc(p)\n', [2, 3]),
        ("from ctypes import *\nlib = cdll.LoadLibrary('libcuda.so.1')\n", [2]),
        ("import ctypes\nf = getattr(lib, 'cudaMyStep')\ng = lib['cudaMyStep']\n", [2, 3]),
        ("import cffi\nlib = ffi.dlopen(name)\nlib.cuLaunchKernel(f)\n", [3]),
        ("import ctypes.util\npath = ctypes.util.find_library('cudart') or find('libcudart.so.12')\n", [2]),
        ("import ctypes\n# lib.cudaMalloc\nx = 'cudaMalloc failed'\ntorch.cuda.init()\n", []),
        ("lib.cudaMalloc(p)\nx = 'cudaMalloc'\n", []),
        ('"""ctypes.CDLL("libcudart.so")"""\nimport ctypes\n', []),
    ],
)
def test_names_in_python_that_calls_libraries(tmp_path: Path, python: str, lines: list[int]) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s/a.py").write_text(python)
    report = SimplePorting(tmp_path / "s").run()
    assert [finding.line for finding in report.findings if finding.code == "name-in-string"] == lines
    assert (tmp_path / "s_musa/a.py").read_text() == python


@pytest.mark.parametrize(
    "code",
    [
        't.device().str() == "cuda:0";',
        'torch::Device d("cuda:" + std::to_string(id));',
        'std::string dev = ok ? "cuda" : "cpu"; torch::Device d(dev);',
        'c10::toString(k) == "CUDA";',
        'py::module_::import("torch").attr("cuda").attr("current_device")();',
    ],
)
def test_a_devices_name_is_reported(code: str) -> None:
    assert [finding.severity for finding in found(f"#include <torch/extension.h>\nat::Tensor t;\n{code}\n")] == [
        Severity.WARNING
    ]


@pytest.mark.parametrize(
    "code",
    [
        'at::Tensor t; m.def("cuda", &step);',
        'at::Tensor t; std::cout << "cuda" << t;',
        'at::Tensor t; load("x/cuda/y");',
        'torch::Device d("cuda:0");',
        'std::string name = "cuda";',
    ],
)
def test_other_strings_with_cuda_are_not(code: str) -> None:
    assert not found(f"{code}\n")


@pytest.mark.parametrize("name", ["at::hasCUDA()", "c10::BackendComponent::CUDABit", "kDLCUDA"])
def test_names_of_pytorch_about_cuda_alone_are_warnings(name: str) -> None:
    every = findings(f"auto x = {name};\n", name="k.cpp")
    assert [(finding.code, finding.severity) for finding in every] == [("left-over", Severity.WARNING)]


@pytest.mark.parametrize(
    "code",
    [
        'nvtxRangePushA("cudaMemcpy");',
        'LOG(INFO) << "cudaMemcpy";',
        'RECORD_FUNCTION("cudaLaunchKernel", {});',
        'check(cudaMalloc(&p, n), "cudaMalloc");',
        'report_error("cudaMalloc", e);',
        'switch (e) { case cudaSuccess: return "cudaSuccess"; }',
        'switch (e) { case cudaErrorNotReady: name = 1; break; case cudaSuccess: return "cudaSuccess"; }',
    ],
)
def test_labels_are_no_look_ups(code: str) -> None:
    assert not found(f"void f() {{ {code} }}\n")


# Readers -> texts for them, and a word of the finding.
READ = {
    "a compiler": (
        ('"#include <cuda_fp16.h>\\n"', "musa_fp16.h"),
        ('"#include \\"cublas_v2.h\\"\\n" "int x;"', "mublas"),
        ('R"(extern "C" __global__ void f(__nv_bfloat16* x) { })"', "__mt_bfloat16"),
        ('R"x(__device__ void f() { asm volatile("bar.sync 0;"); })x"', "PTX"),
        ('"auto s = at::cuda::getCurrentCUDAStream();"', "getCurrentMUSAStream"),
        ('".version 7.0\\n.target sm_80\\n"', "PTX"),
        ('R"(.visible .entry f() { ret; }  // sm_80)"', "PTX"),
        ('"--gpu-architecture=compute_80"', "mp_22"),
        ('"-arch=sm_" + cc', "mp_22"),
        ('"sm_%d%d"', "mp_22"),
        ('"arch=compute_90a,code=sm_90a"', "mp_22"),
        ('"-gencode=arch=compute_{0},code=sm_{0}"', "mp_22"),
    ),
    "a loader": (
        ('"kernels/add.cubin"', "mcc"),
        ('name + ".ptx"', "mcc"),
        ('"all.fatbin"', "mcc"),
        ('"kernel.cu"', "kernel.mu"),
        ('"cu" + name', "mu"),
        ('("cuda" + name).c_str()', "musa"),
        ('std::string("nvrtc") + name', "mtrtc"),
        ('prefix + "cublas" + name', "mublas"),
        ('format("cuda{}", name)', "musa"),
        ('format("cu%sAsync", name)', "mu"),
        ('absl::StrCat("cusparse", name)', "musparse"),
        ('std::string{"cuda"}.append(name)', "musa"),
        ('strcat(buffer, "nccl")', "mccl"),
        ('"libcudart.so." + version', "libmusart.so.5"),
        ('"libcaffe2_nvrtc.so"', "counterpart"),
        ('"libtorch_cuda.so"', "counterpart"),
    ),
    "the environment": (
        ('"CUDA_HOME"', "MUSA_HOME"),
        ('"CUDA_VISIBLE_DEVICES"', "MUSA_VISIBLE_DEVICES"),
        ('"NCCL_DEBUG=INFO"', "MCCL_DEBUG"),
        ('"CUDA_DEVICE_ORDER"', "not known"),
        ('"TORCH_CUDA_ARCH_LIST"', "TORCH_MUSA_ARCH_LIST"),
        ('"/usr/local/cuda/include"', "/usr/local/musa"),
    ),
    "a shell": (
        ('"nvcc -c k.cu"', "mcc"),
        ('"cd /tmp && nvcc -V"', "mcc"),
        ('home + "/bin/nvcc"', "mcc"),
        ('"nvidia-smi -q"', "mthreads-gmi"),
        ('"which nvcc"', "mcc"),
        ('"CUDA_VISIBLE_DEVICES=0 ./run"', "MUSA_VISIBLE_DEVICES"),
        ('"ptxas"', "no program"),
    ),
    "Python": (
        ('"torch.cuda"', "torch.musa"),
        ('"torch.cuda.amp"', "torch.musa"),
        ('"import torch\\nx = torch.cuda.device_count()"', "torch.musa"),
        ('"torch.zeros(1).cuda()"', "musa"),
        ("\"torch.zeros(1, device='cuda')\"", "musa"),
        ('"x.to(\\"cuda:0\\")"', "musa"),
    ),
}


@pytest.mark.parametrize(("literal", "hint"), [each for texts in READ.values() for each in texts])
@pytest.mark.parametrize("use", ["give(@);", "auto text = @;", "call(1, @, x);", "return g(@);", "v.push_back(@);"])
def test_a_text_that_is_read(literal: str, hint: str, use: str) -> None:
    (finding,) = found(f"void g();\n{use.replace('@', literal)}\n")
    assert (finding.line, finding.severity) == (2, Severity.WARNING) and hint in finding.message


@pytest.mark.parametrize("literal", [text for texts in READ.values() for text, _ in texts if text.startswith('"')])
@pytest.mark.parametrize(
    "use",
    [
        'printf("%s", @);',
        "std::cout << @ << std::endl;",
        'TORCH_CHECK(ok, "see ", @);',
        "throw std::runtime_error(@);",
        "LOG(INFO) << @;",
        'm.def("f", &f, @);',
        "// give(@);",
    ],
)
def test_a_text_that_is_printed(literal: str, use: str) -> None:
    assert not found(f"void g();\n{use.replace('@', literal)}\n")


@pytest.mark.parametrize(
    "code",
    [
        'give("compiled for sm_80 and newer cards"); give("use the ptx path");',
        'give("current"); give("custom_op"); give("curve"); give("cute"); give("nvalue"); give("accuracy");',
        'give(R"(extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1; })");',
        'give("#include <vector>"); give("#include \\"mine.h\\"");',
        'give("run nvcc by hand"); give("my_nvcc_flags"); give("--cuda"); give("no cuda here");',
        'give("MY_CUDA_HOME"); give("WITH_CUDA"); give("USE_CUDA=1");',
        'give("cuda_kernels.py"); give("models/cuda.txt"); give("x.ptx.txt");',
        'give("cuda_" + name); give("cuda"); std::string s = "cuda"; give(s);',
        'static_assert(ok, "needs nvcc"); [[deprecated("use torch.cuda")]] void f();',
        'asm("mov.u32 %0, %laneid;" : "=r"(x));',
        'give("nccl_group"); give("sm_count"); give("compute_stats");',
    ],
)
def test_other_texts(code: str) -> None:
    assert not found(f"#include <cuda_runtime.h>\n{code}\n")


@pytest.mark.parametrize(
    "function", ["getenv", "setenv", "unsetenv", "secure_getenv", "::putenv", "c10::utils::get_env", "GetEnv"]
)
@pytest.mark.parametrize("name", ["CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "NCCL_DEBUG", "TORCH_NCCL_ANY_OTHER"])
@pytest.mark.parametrize("rest", ['");', '", "1", 1);', '=0");', '" /* which */);'])
def test_variables_of_the_environment_are_ported_where_a_function_reads_them(
    function: str, name: str, rest: str
) -> None:
    text = f'auto x = {function}("{name}{rest} // {name}\n'
    after = translated(text).text
    new = name.replace("CUDA", "MUSA").replace("NCCL", "MCCL")
    assert after == text.replace(f'"{name}', f'"{new}') and not found(text)


@pytest.mark.parametrize("name", ["CUDA_HOME", "NCCL_HOME", "NCCL_ROOT_DIR", "MY_NCCL_DEBUG", "TORCH_CUDA_ARCH_LIST"])
def test_variables_with_other_values_are_not_ported(name: str) -> None:
    text = f'cudaFree(p); auto x = getenv("{name}"); call("NCCL_DEBUG"); getenv(x, "NCCL_DEBUG");\n'
    assert translated(text).text == text.replace("cudaFree", "musaFree")


@pytest.mark.parametrize("device", ['"cu" "da"', '"c" "uda:0"', '"c"\n  "ud" "a"', '"n" "ccl"'])
def test_a_device_in_joined_literals(device: str) -> None:
    """Joined literals are one text, also if no part of it is a name."""
    text = f"#include <torch/torch.h>\ng(x, {device});\n"
    assert [each.line for each in found(text)] == [2]
    assert not found(text.replace("<torch", "<other")) and not found(
        f"#include <torch/torch.h>\nLOG(INFO) << {device};\n"
    )


def test_sources_in_strings_are_ported_with_strings() -> None:
    text = 'auto k = "#include <cuda_fp16.h>\\n__global__ void f(__nv_bfloat16* x);";\n'
    after = translated(text, WITH_STRINGS).text
    assert after == text.replace("cuda_fp16", "musa_fp16").replace("__nv", "__mt") and not found(text, WITH_STRINGS)


@pytest.mark.parametrize(
    "call", ['QLibrary x("@");', 'load_library("@");', 'LoadLibraryA("@");', 'DynamicLibrary{"@"};']
)
@pytest.mark.parametrize(
    ("name", "new"), [("cudart", "musart"), ("nvcuda", "musa"), ("cublas", "mublas"), ("nccl", "mccl")]
)
def test_a_library_by_its_bare_name(call: str, name: str, new: str) -> None:
    (finding,) = found(f"void g();\n{call.replace('@', name)}\n")
    assert f'write "{new}"' in finding.message and not found(f'void g();\nf("{name}");\n')


def test_a_name_that_a_stringstream_puts_together() -> None:
    text = 'std::ostringstream s;\ns << "cuda" << name;\ndlsym(h, s.str().c_str());\nstd::cout << "cuda" << name;\n'
    assert [each.line for each in found(text)] == [2]


def test_each_library_of_a_line_is_reported() -> None:
    findings = found('void g(); auto a = open("libcudart.so"), b = open("libcublas.so"), c = f("libcudart.so");\n')
    assert [each.message[-13:-1] for each in findings] == ["libmusart.so", "libmublas.so"]


@pytest.mark.parametrize("call", ['f{0}("cuda" + x{0}, "cudaMalloc");\n', 'std::string s{0} = "cuda"; g(s{0} + x);\n'])
def test_many_strings_take_time_in_proportion(call: str) -> None:
    assert takes_time_in_proportion(lambda number: "at::Tensor t;\n" + "".join(call.format(n) for n in range(number)))
