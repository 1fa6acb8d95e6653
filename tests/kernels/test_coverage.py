"""Which operators still have no kernel where the library is installed: the list only shrinks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import torch

from .coverage import LIST, figures, functions

PROGRAMS = Path(__file__).with_name("programs")


def test_the_list_of_fallbacks_only_shrinks() -> None:
    known = set(LIST.read_text().split())
    found = {name for name, kind in torch.musa.operator_kinds().items() if kind in ("fallback", "missing")}
    assert not sorted(found - known), "these operators had a kernel, or are new"
    assert not sorted(known - found), "these have a kernel now: python -m tests.kernels.coverage --write"


def test_entries_of_other_keys_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "musa_functions.yaml"
    file.write_text(
        "- func: exp\n- func: svd\n  dispatch:\n    SparsePrivateUse1: F\n"
        "- func: mul.out\n  dispatch:\n    QuantizedPrivateUse1, PrivateUse1: G\n- func: no_such\n"
    )
    names = functions(file)
    assert names == ["aten::exp", "aten::mul.out", "aten::no_such"]
    assert figures(names) == {"native": 2, "unknown to this PyTorch": 1}


def test_the_cpu_may_be_preferred() -> None:
    program = (PROGRAMS / "prefers_the_cpu.py").read_text(encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MUSA_FALLBACK": "prefer"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "[3.0, 3.0, 3.0]\nfallback True\n"


def test_nothing_is_registered_twice() -> None:
    """PyTorch warns of it on standard error, at the import."""
    ended = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
