"""musify-text: texts for texts, as public build scripts call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.porting.musify import Replacement, main, musified, pairs_for

SOURCE = """\
#include <cuda_runtime.h>
#include "my_cuda_runtime.h"
#define CHECK(call) do { cudaError_t e = call; if (e != cudaSuccess) puts(cudaGetErrorString(e)); } while (0)
puts("cudaMalloc failed");  // cudaMalloc
puts("cudaFree");  // MUSIFY_EXCL_LINE
// MUSIFY_EXCL_START
cudaFree(p);
// MUSIFY_EXCL_STOP
mycudaFree(p); cudaFreeX(p); cublasHandle_t h; at::cuda::f(); format::cudax::g();
"""
PORTED = """\
#include <musa_runtime.h>
#include "my_cuda_runtime.h"
#define CHECK(call) do { musaError_t e = call; if (e != musaSuccess) puts(musaGetErrorString(e)); } while (0)
puts("musaMalloc failed");  // musaMalloc
puts("cudaFree");  // MUSIFY_EXCL_LINE
// MUSIFY_EXCL_START
cudaFree(p);
// MUSIFY_EXCL_STOP
mycudaFree(p); cudaFreeX(p); mublasHandle_t h; at::musa::f(); format::cudax::g();
"""


def test_whole_names_are_replaced_everywhere_but_in_excluded_lines() -> None:
    assert musified(SOURCE, Replacement(pairs_for([], True, "c2m"))) == PORTED


def test_both_directions() -> None:
    text = "musaMalloc(&p, 4); musaStream_t s; mublasSgemm(h);"
    assert musified(text, Replacement(pairs_for([], True, "m2c"))) == (
        "cudaMalloc(&p, 4); cudaStream_t s; cublasSgemm(h);"
    )


@pytest.mark.parametrize(
    ("options", "written"), [(["-i"], "k.cu"), (["--inplace", "--"], "k.cu"), ([], "k.cu.mt"), (["-c"], "k.cu.mt")]
)
def test_where_the_text_goes(tmp_path: Path, options: list[str], written: str) -> None:
    source = tmp_path / "k.cu"
    source.write_bytes("cudaFree(p); // \u00fc\r\n".encode("latin-1"))
    assert main([*options, str(source)]) == 0
    assert (tmp_path / written).read_bytes() == "musaFree(p); // \u00fc\r\n".encode("latin-1")
    assert (source.read_bytes()[:4] == b"musa") == (written == "k.cu")


def test_mappings_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text(json.dumps({"myName": "ourName", "cudaFree": "give_back"}))
    source = tmp_path / "k.cu"
    source.write_text("cudaFree(myName); cudaMalloc();\n")
    command = [sys.executable, "-m", "musa_build.porting.musify", "-t", "-m", str(tmp_path / "own.json"), "--"]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=True)
    assert done.stdout == "give_back(ourName); musaMalloc();\n"
    command.insert(4, "--clear-mapping")
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=True)
    assert done.stdout == "give_back(ourName); cudaMalloc();\n"


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "absent.cu")]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert "musify-text: error:" in line and "absent.cu" in line
