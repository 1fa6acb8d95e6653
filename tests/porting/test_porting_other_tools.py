"""Defects of other porting tools: one test for each defect (S1-S26) that was found by running them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.errors import PortingError
from musa_build.porting import SimplePorting
from musa_build.porting.__main__ import main
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import Translator, translate


def make(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def port_text(text: bytes, rules: dict[str, str] | None = None) -> bytes:
    return translate(text, Translator(rule_set(rules)), lambda include: None).text.encode("latin-1")


def test_s1_the_output_has_its_name_with_a_trailing_slash_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"cuda/k.cu": b""})
    monkeypatch.chdir(tmp_path)
    assert main(["--cuda-dir-path", "cuda/"]) == 0
    assert (tmp_path / "cuda_musa/k.mu").exists() and not (tmp_path / "_musa").exists()


def test_s2_s3_the_readme_s_full_command_works_in_bash(tmp_path: Path) -> None:
    make(tmp_path, {"cuda/k.cu": b"cuda(cudaFree);", "mapping/m.json": b'{"cudaFree": "mine"}'})
    line = (
        f"{sys.executable} -m musa_build.porting --cuda-dir-path cuda/ --ignore-dir-paths "
        '["csrc/npu"] --mapping-rule {"cuda":"musa"} --drop-default-mapping --mapping-dir-path mapping/'
    )
    subprocess.run(["bash", "-c", line], check=True, cwd=tmp_path)
    assert (tmp_path / "cuda_musa/k.mu").read_bytes() == b"musa(mine);"


def test_s4_s5_an_include_is_renamed_exactly_when_its_file_is(tmp_path: Path) -> None:
    make(tmp_path, {"s/k.cu": b'#include "k.cuh"\n#include "my_cuda.h"\n', "s/k.cuh": b"", "s/my_cuda.h": b""})
    SimplePorting(tmp_path / "s").run()
    assert (tmp_path / "s_musa/k.mu").read_bytes() == b'#include "k.muh"\n#include "my_cuda.h"\n'
    assert (tmp_path / "s_musa/my_cuda.h").exists()


def test_s6_s7_any_bytes_and_any_line_ends_survive(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbfint caf\xe9; // \xff\r\ncudaFree(p);\r\n\tlast line without an end \x00"
    make(tmp_path, {"s/k.cu": text, "s/image.png": bytes(range(256))})
    SimplePorting(tmp_path / "s").run()
    assert (tmp_path / "s_musa/k.mu").read_bytes() == text.replace(b"cudaFree", b"musaFree")
    assert (tmp_path / "s_musa/image.png").read_bytes() == bytes(range(256))


def test_s8_making_the_object_deletes_nothing(tmp_path: Path) -> None:
    make(tmp_path, {"s/k.cu": b"", "s_musa/notes.txt": b"by hand"})
    porting = SimplePorting(tmp_path / "s")
    assert (tmp_path / "s_musa/notes.txt").read_bytes() == b"by hand"
    with pytest.raises(PortingError, match="did not make"):
        porting.run()
    assert [path.name for path in (tmp_path / "s_musa").iterdir()] == ["notes.txt"]


def test_s9_a_missing_folder_is_an_error_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(PortingError, match="does not exist"):
        SimplePorting(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_s10_the_user_s_rule_wins_and_his_mapping_stays_as_it_was() -> None:
    rules = {"cuda.h": "my.h", "cudaFree": "release"}
    assert port_text(b"#include <cuda.h>\ncudaFree(p);", rules) == b"#include <my.h>\nrelease(p);"
    assert len(rules) == 2


def test_s11_rules_do_not_cascade() -> None:
    assert port_text(b"foo", {"foo": "bar", "bar": "baz"}) == b"bar"


def test_s12_s20_a_rule_never_cuts_a_word() -> None:
    assert port_text(b"Accumulate cute ocular focus", {"cu": "mu"}) == b"Accumulate cute ocular focus"
    assert port_text(b"mycudaMallocX(a, xcudaMalloc)") == b"mycudaMallocX(a, xcudaMalloc)"


def test_s13_files_without_a_suffix_keep_their_names(tmp_path: Path) -> None:
    make(tmp_path, {"s/Makefile": b"cudaFree", "s/LICENSE": b"CUDA", "s/k.cu": b""})
    SimplePorting(tmp_path / "s").run()
    assert (tmp_path / "s_musa/Makefile").read_bytes() == b"cudaFree"
    assert (tmp_path / "s_musa/LICENSE").exists()


def test_s14_an_ignored_folder_is_ignored_with_everything_below(tmp_path: Path) -> None:
    make(tmp_path, {"s/a/mlu/deep/k.cu": b"", "s/a/k.cu": b""})
    SimplePorting(tmp_path / "s", ignore_dir_paths=["a/mlu"]).run()
    assert [path.name for path in (tmp_path / "s_musa/a").iterdir()] == ["k.mu"]


def test_s15_two_files_that_would_become_one_are_an_error(tmp_path: Path) -> None:
    make(tmp_path, {"s/k.cu": b"", "s/k.CU": b""})
    with pytest.raises(PortingError, match=r"both become k\.mu"):
        SimplePorting(tmp_path / "s").run()
    assert not (tmp_path / "s_musa").exists()


def test_s16_a_second_run_touches_nothing(tmp_path: Path) -> None:
    make(tmp_path, {"s/k.cu": b"cudaFree(p);"})
    SimplePorting(tmp_path / "s").run()

    def stamps() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in (tmp_path / "s_musa").rglob("*")}

    before = stamps()
    SimplePorting(tmp_path / "s").run()
    assert stamps() == before


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (b"/* c */ cudaMalloc(&p,4);", b"/* c */ musaMalloc(&p,4);"),  # S17
        (b"*p = cudaFree(q);", b"*p = musaFree(q);"),
        (b"cudaMalloc(x); // cub/ note", b"musaMalloc(x); // cub/ note"),  # S18
        (b'  // cudaMalloc\nf("cudaMalloc: see cuda.h");', b'  // cudaMalloc\nf("cudaMalloc: see cuda.h");'),  # S19
        (b"cudaFree(p)", b"musaFree(p)"),  # the first and the last word of a file
        (b"k<vector<vector<int>>><<<1, 2>>>(x)", b"k<vector<vector<int>>><<<1, 2>>>(x)"),
        (b'if (a) asm volatile("x"); else foo();', b'if (a) asm volatile("x"); else foo();'),  # no dangling else
        (b"my_cublas_thing encutlassed", b"my_cublas_thing encutlassed"),
        (b"#define cudaMalloc musaMalloc\n", b"#define cudaMalloc musaMalloc\n"),  # not a name defined as itself
        (b"using cudaStream_t = musaStream_t;", b"using cudaStream_t = musaStream_t;"),
        (b"typedef musaStream_t cudaStream_t;", b"typedef musaStream_t cudaStream_t;"),
    ],
)
def test_s17_s18_s19_code_is_ported_everywhere_and_prose_is_not(text: bytes, wanted: bytes) -> None:
    assert port_text(text) == wanted


def test_s21_mode_bits_are_kept(tmp_path: Path) -> None:
    make(tmp_path, {"s/k.cu": b"cudaFree(p);"})
    (tmp_path / "s/k.cu").chmod(0o755)
    SimplePorting(tmp_path / "s").run()
    assert (tmp_path / "s_musa/k.mu").stat().st_mode & 0o777 == 0o755
    (tmp_path / "s/k.cu").chmod(0o640)
    SimplePorting(tmp_path / "s").run()
    assert (tmp_path / "s_musa/k.mu").stat().st_mode & 0o777 == 0o640


def test_s22_dropping_the_default_rules_without_others_copies(tmp_path: Path) -> None:
    make(tmp_path, {"s/k.cu": b"cudaFree(p);"})
    SimplePorting(tmp_path / "s", drop_default_mapping=True).run()
    assert (tmp_path / "s_musa/k.mu").read_bytes() == b"cudaFree(p);"


def test_s23_nothing_goes_to_stdout(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, {"s/k.cu": b"cudaFree(p);"})
    SimplePorting(tmp_path / "s").run()
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("__NVCC__", "__MUSACC__"),
        ("ncclComm_t", "mcclComm_t"),
        ("__nv_bfloat16", "__mt_bfloat16"),
        ("__nv_fp8_e4m3", "__mt_fp8_e4m3"),
        ("__NV_E4M3", "__MT_E4M3"),
        ("__NV_SATFINITE", "__MT_SATFINITE"),
        ("__nv_cvt_float_to_fp8", "__musa_cvt_float_to_fp8"),
        ("cublasHandle_t", "mublasHandle_t"),
        ("cublasLtMatmul", "mublasLtMatmul"),
        ("cusparseHandle_t", "musparseHandle_t"),
        ("cusolverDnHandle_t", "musolverDnHandle_t"),
        ("curandState", "murandState"),
        ("cufftHandle", "mufftHandle"),
        ("nvrtcCompileProgram", "mtrtcCompileProgram"),
        ("nvtxRangePushA", "mttxRangePushA"),
        ("nvjpegHandle_t", "mtjpegHandle_t"),
        ("cuMemAlloc", "muMemAlloc"),
        ("CUdeviceptr", "MUdeviceptr"),
        ("CU_POINTER_ATTRIBUTE_DEVICE_POINTER", "MU_POINTER_ATTRIBUTE_DEVICE_POINTER"),
        ("CUDA_R_16BF", "MUSA_R_16BF"),
        ("cudaLaunchKernelEx", "musaLaunchKernelEx"),
        ("CUtensorMap", "MUtensorMap"),
        ("at::cuda::CUDAEvent", "at::musa::MUSAEvent"),
        ("c10::cuda::getCurrentCUDAStream", "c10::musa::getCurrentMUSAStream"),
        ("torch::kCUDA", "torch::kPrivateUse1"),
        ("at::kCUDA", "at::kPrivateUse1"),
        ("c10::DeviceType::CUDA", "c10::DeviceType::PrivateUse1"),
        ("DispatchKey::AutogradCUDA", "DispatchKey::AutogradPrivateUse1"),
        ("C10_CUDA_KERNEL_LAUNCH_CHECK", "C10_MUSA_KERNEL_LAUNCH_CHECK"),
        ("TORCH_CUDABLAS_CHECK", "TORCH_MUSABLAS_CHECK"),
        ("at::PhiloxCudaState", "at::PhiloxMusaState"),
        ("THCCeilDiv", "at::ceil_div"),
        ("cudnnHandle_t", "cudnnHandle_t"),  # reported, not renamed
        ("TORCH_CUDA_CPP_API", "TORCH_CUDA_CPP_API"),  # torch_musa's own headers use it
        ("WITH_CUDA", "WITH_CUDA"),
        ("CHECK_CUDA", "CHECK_CUDA"),
        ("CUDA_1D_KERNEL_LOOP", "CUDA_1D_KERNEL_LOOP"),
        ("scale_cuda", "scale_cuda"),
        ("cuSeqlens", "cuSeqlens"),
        ("CUSTOM", "CUSTOM"),
        ("cub::BlockReduce", "cub::BlockReduce"),
    ],
)
def test_s24_s26_the_default_rules_know_the_names(name: str, wanted: str) -> None:
    assert port_text(f"x({name}, y)".encode()).decode() == f"x({wanted}, y)"


_MANY_RULES = """
import resource, sys
from musa_build import SimplePorting
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # the system ends a process that takes longer
SimplePorting(sys.argv[1], mapping_rule={f"cudaName{i}": f"musaName{i}" for i in range(25_000)}).run()
"""


def test_s25_a_mapping_of_25000_rules_takes_no_minutes(tmp_path: Path) -> None:
    """141 s of CPU elsewhere; well below one here."""
    make(tmp_path, {f"s/{i}.cu": b"int a = cudaName7 + other; // text\n" * 500 for i in range(20)})
    subprocess.run([sys.executable, "-c", _MANY_RULES, tmp_path / "s"], check=True)
    ported = b"int a = musaName7 + other; // text\n" * 500
    assert all((tmp_path / f"s_musa/{i}.mu").read_bytes() == ported for i in range(20))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_one_error_and_nothing_is_written(tmp_path: Path) -> None:
    make(tmp_path, {"s/a.cu": b"", "s/b.cu": b""})
    (tmp_path / "s/b.cu").chmod(0)
    with pytest.raises(PortingError):
        SimplePorting(tmp_path / "s").run()
    assert not (tmp_path / "s_musa").exists()
