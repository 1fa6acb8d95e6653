"""The manual's own example: mmcv's CUDA sources, ported by the calls that the manual prints.

The source distribution comes from the package index and is kept in the user's cache; without either, these tests skip.
"""

from __future__ import annotations

import re
import shutil
import tarfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from sdists import Unavailable, fetch_sdist
from torch_headers_alone import Compiler

from musa_build.porting import PortReport, SimplePorting
from musa_build.porting.__main__ import main

SHA256 = "ac479247e808d8802f89eadf04d4118de86bdfe81361ec5aed0cc1bf731c67c9"

# As printed in the manual's chapters 7.2.2 and 7.2.3, apart from the line breaks of the page.
CALL = """
SimplePorting(cuda_dir_path="./mmcv/ops/csrc", ignore_dir_paths=[
              "./mmcv/ops/csrc/common/mlu",
              "./mmcv/ops/csrc/common/mps",
              "./mmcv/ops/csrc/parrots",
              "./mmcv/ops/csrc/pytorch/mlu",
              "./mmcv/ops/csrc/pytorch/mps",
              "./mmcv/ops/csrc/pytorch/npu"
             ],
              mapping_rule={
                  "_CU_H_": "_MU_H_",
                  "_CUH": "_MUH",
                  "__NVCC__": "__MUSACC__",
                  "MMCV_WITH_CUDA": "MMCV_WITH_MUSA",
                  "AT_DISPATCH_FLOATING_TYPES_AND_HALF": "AT_DISPATCH_FLOATING_TYPES",
                  "#include <ATen/cuda/CUDAContext.h>": "#include \\"torch_musa/csrc/aten/musa/MUSAContext.h\\"",
                  "#include <c10/cuda/CUDAGuard.h>": "#include \\"torch_musa/csrc/core/MUSAGuard.h\\"",
                  "::cuda::": "::musa::",
                  "/cuda/": "/musa/",
                  ", CUDA,": ", PrivateUse1,",
                  ".cuh": ".muh",
                  ".is_cuda()": ".is_privateuseone()",
                 }
             ).run()
"""


@pytest.fixture(scope="module")
def csrc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mmcv 2.2.0's folder `mmcv/ops/csrc`, with the files of mmcv 2.2.0 and nothing else."""
    try:
        sdist = fetch_sdist("mmcv", "2.2.0", SHA256)
    except Unavailable as error:
        pytest.skip(str(error))
    root = tmp_path_factory.mktemp("mmcv")
    with tarfile.open(sdist) as archive:
        members = [member for member in archive if "/mmcv/ops/csrc/" in member.name and member.isfile()]
        for member in members:
            path = root / member.name.partition("/")[2]
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = archive.extractfile(member)
            assert stream is not None
            path.write_bytes(stream.read())
    assert len(members) == 403
    return root / "mmcv/ops/csrc"


def ported_by_the_manual(csrc: Path, monkeypatch: pytest.MonkeyPatch) -> PortReport:
    monkeypatch.chdir(csrc.parents[2])
    report = eval(CALL.strip(), {"SimplePorting": SimplePorting})
    assert isinstance(report, PortReport)
    return report


_PROSE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code_of(path: Path) -> str:
    """Return the text without comments and literals; a second opinion, made without the engine's own scanner."""
    return _PROSE.sub(" ", path.read_text(encoding="latin-1"))


def test_the_manual_s_call(csrc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = ported_by_the_manual(csrc, monkeypatch)
    output = csrc.with_name("csrc_musa")
    assert report.output == output
    made = [path for path in output.rglob("*") if path.is_file() and path.name[0] != "."]
    assert not any({"mlu", "mps", "npu", "parrots"} & set(path.relative_to(output).parts) for path in made)
    assert not [path for path in made if path.suffix in (".cu", ".cuh")]
    assert len(list((output / "pytorch/cuda").glob("*.mu"))) == len(list((csrc / "pytorch/cuda").glob("*.cu"))) > 40
    for path in made:
        code = code_of(path)
        # The other tools leave these: 100 registrations, 39 questions, 61 includes, 3 devices.
        for left in (r"REGISTER_DEVICE_IMPL\([^)]*\bCUDA\b", r"\bis_cuda\(\)", r"\bkCUDA\b", r"\b(?:at|c10)::cuda::"):
            assert not re.search(left, code), (path, left)
        for include in re.findall(r'^#include "([^"]+\.(?:cuh|muh|mu|cu))"', path.read_text("latin-1"), re.MULTILINE):
            assert include.endswith((".muh", ".mu"))
            assert list(output.rglob(Path(include).name)), (path, include)
    # Rules that only match inside a word (`_CUH` of FOO_CUH_) do nothing, and that is said.
    assert set(report.unused_rules) <= {"_CU_H_", "_CUH", "__NVCC__"} and "_CUH" in report.unused_rules


def test_second_run_of_the_manual_s_call_writes_nothing(csrc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ported_by_the_manual(csrc, monkeypatch)
    second = ported_by_the_manual(csrc, monkeypatch)
    assert second.written == () and second.findings == first.findings


def test_with_the_default_rules_nothing_of_cuda_is_left_unreported(
    csrc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = shutil.copytree(csrc, tmp_path / "csrc")
    report = SimplePorting(tree).run()
    said: dict[str, str] = {}
    for finding in report.findings:
        said[finding.path] = said.get(finding.path, "") + " " + finding.message
    checked = 0
    for path in sorted(report.output.rglob("*")):
        if path.suffix not in (".mu", ".muh", ".h", ".hpp", ".cpp"):
            continue
        source = str(path.relative_to(report.output)).replace(".mu", ".cu")
        code = re.sub(r"#include[^\n]*", " ", code_of(path))
        for name in set(re.findall(r"\w*(?:cuda|CUDA|Cuda)\w*|\bcu(?:blas|rand|fft|dnn)\w*", code)):
            checked += 1
            assert re.search(rf"\b{name}\b", said.get(source, "")), (path, name)
    assert checked > 100  # the package's own names: MMCV_WITH_CUDA, ..._cuda
    assert main(["-o", str(report.output), str(tree), "--check"]) == 0
    assert main(["-o", str(report.output), str(tree), "--dry-run", "--verify"]) == 0


# One translation unit of several files costs little more than one file: what is slow are PyTorch's headers.
COMPILED = ("bbox_overlaps", "focal_loss", "masked_conv2d", "nms", "roi_align", "sync_bn", "three_nn", "tin_shift")


@pytest.mark.whole_corpus
@pytest.mark.skipif(find_spec("torch_musa") is None, reason="the simulated torch_musa is not installed")
def test_ported_kernels_pass_the_compiler_s_front_end(csrc: Path, tmp_path: Path, sim_sdk_root: Path) -> None:
    tree = shutil.copytree(csrc, tmp_path / "csrc")
    output = SimplePorting(tree).run().output
    folders = [output, output / "common", output / "common/cuda", output / "pytorch"]
    options = ["-DMMCV_WITH_CUDA", *(word for folder in folders for word in ("-I", str(folder)))]
    units = [f"pytorch/cuda/{name}_cuda.mu" for name in COMPILED]
    assert Compiler(sim_sdk_root).errors(*units, options=options) == []
