"""Which operators the CPU computes: counts, the effect of MUSA_FALLBACK, and the list of fallbacks."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.kernels import coverage

from .conftest import RunPython, needs_2_13

# PyTorch's operators of which there is no musa kernel. Remove a name when it gets one. Written by
# `python -m tests.backend.test_fallback`.
LIST = Path(__file__).parent / "fallbacks.txt"
FUNCTIONS = Path(__file__).parents[2] / "backend" / "torch_musa" / "csrc" / "aten" / "ops" / "musa_functions.yaml"

# An operator that the kernel library has not, either.
SEGMENTS = """
import torch
x, lengths = torch.tensor([3.0, 1.0, 2.0]).to("musa"), torch.tensor([1, 2]).to("musa")
print(torch.segment_reduce(x, "sum", lengths=lengths).tolist())
torch.segment_reduce(x, "sum", lengths=lengths)
"""
LIBRARY = torch.musa.operator_kinds()["aten::mul.out"] == "native"


def fallbacks() -> list[str]:
    """Return the operators that have no kernel of the device."""
    return sorted(name for name, kind in torch.musa.operator_kinds().items() if kind in ("fallback", "missing"))


@needs_2_13
def test_no_operator_loses_its_kernel() -> None:
    served = names_of_the_kernel_library() if LIBRARY else set()
    known = set(LIST.read_text().split()) - served
    found = fallbacks()
    assert not sorted(set(found) - set(known)), "these operators had a musa kernel, or are new"
    assert not sorted(set(known) - set(found)), f"these have a musa kernel now: remove them from {LIST.name}"


def names_of_the_kernel_library() -> set[str]:
    """The operators of musa_functions.yaml: native where the library is installed."""
    lines = FUNCTIONS.read_text().splitlines()
    return {f"aten::{line.split(':')[1].strip()}" for line in lines if line.startswith("- func:")}


def test_the_list_of_the_kernel_library_follows_this_one() -> None:
    """It is derived from this one; the test that asks the library itself runs in `make kernels` alone."""
    assert coverage.LIST.read_text().splitlines() == coverage.remaining(), "python -m tests.kernels.coverage --write"


def test_kinds() -> None:
    kinds = torch.musa.operator_kinds()
    assert kinds["aten::empty.memory_format"] == "native"
    assert kinds["aten::native_dropout"] == "native"
    assert kinds["aten::reshape"] == "composite"
    assert kinds["aten::segment_reduce"] == "fallback"
    # it allocates and calls sort.values_stable
    assert kinds["aten::sort.stable"] == ("native" if LIBRARY else "composite")
    # the fallback is registered for these by name, which does not make it a kernel
    ours = "native" if LIBRARY else "fallback"
    assert (kinds["aten::addr"], kinds["aten::convolution_overrideable"]) == (ours, ours)
    assert kinds["aten::linalg_qr.out"] == "declared"


def test_counts_calls_and_bytes() -> None:
    x, lengths = torch.rand(1000, device="musa"), torch.tensor([400, 600], device="musa")
    torch.musa.reset_fallback_report()
    for each in (x, x.double()):
        torch.segment_reduce(each, "sum", lengths=lengths)
    report = torch.musa.fallback_report()
    (found,) = [count for count in report.operators if count.name == "aten::segment_reduce"]
    assert (found.calls, found.bytes) == (2, count_of_bytes(found.bytes))
    assert report.calls >= 2
    assert "2 calls" in str(report) and "aten::segment_reduce" in str(report)
    torch.musa.reset_fallback_report()
    assert not torch.musa.fallback_report().operators


def count_of_bytes(counted: int) -> int:
    """At least the inputs; outputs that PyTorch has allocated before count as well."""
    assert counted >= 1000 * 4 + 1000 * 8
    return counted


def test_convolutions_count() -> None:
    torch.musa.reset_fallback_report()
    torch.nn.Conv2d(2, 3, 3).to("musa")(torch.rand(1, 2, 8, 8, device="musa"))
    names = [count.name for count in torch.musa.fallback_report().operators]
    assert ("aten::convolution_overrideable" in names) == (not LIBRARY)


def test_work_on_the_cpu_does_not_count() -> None:
    torch.musa.reset_fallback_report()
    torch.rand(5).sort()
    assert not torch.musa.fallback_report().operators


def test_error_raises(run_python: RunPython) -> None:
    ended = run_python(SEGMENTS, MUSA_FALLBACK="error")
    assert ended.returncode == 1
    assert "NotImplementedError: Could not run 'aten::segment_reduce" in ended.stderr
    assert "with arguments from the 'musa' backend" in ended.stderr


def test_what_runs_on_the_cpu_on_purpose_is_counted_apart() -> None:
    x = torch.rand(6, 4, device="musa")
    torch.musa.reset_fallback_report()
    torch.linalg.qr(x)
    report = torch.musa.fallback_report()
    assert "aten::linalg_qr.out" not in [count.name for count in report.operators]
    assert [(count.name, count.calls) for count in report.declared] == [("aten::linalg_qr.out", 1)]
    assert "on purpose, 1 calls of 1" in str(report)


def test_error_lets_through_what_runs_on_the_cpu_on_purpose(run_python: RunPython) -> None:
    ended = run_python(
        "import torch\nx = torch.rand(6, 4).to('musa')\nq, r = torch.linalg.qr(x)\nprint(r.cpu().shape)",
        MUSA_FALLBACK="error",
    )
    assert ended.stdout == "torch.Size([4, 4])\n", ended.stderr


def test_warn_warns_once_per_operator(run_python: RunPython) -> None:
    ended = run_python(SEGMENTS, MUSA_FALLBACK="warn")
    assert ended.stdout == "[3.0, 3.0]\n"
    assert ended.stderr.count("aten::segment_reduce has no musa kernel") == 1


def test_report_is_printed_at_the_end(run_python: RunPython) -> None:
    ended = run_python(SEGMENTS, MUSA_FALLBACK="report")
    assert ended.stdout == "[3.0, 3.0]\n"
    assert "2 calls" in ended.stderr and "aten::segment_reduce" in ended.stderr


@pytest.mark.parametrize("policy", ["", "allow", "prefer"])
def test_says_nothing_by_default(run_python: RunPython, policy: str) -> None:
    ended = run_python(SEGMENTS, MUSA_FALLBACK=policy)
    assert (ended.stdout, ended.stderr) == ("[3.0, 3.0]\n", "")


def test_a_wrong_policy_is_named_at_import(run_python: RunPython) -> None:
    ended = run_python(SEGMENTS, MUSA_FALLBACK="eror")
    assert ended.returncode == 1
    assert "MUSA_FALLBACK is 'eror', but must be one of allow, report, warn, error, prefer" in ended.stderr


if __name__ == "__main__":
    LIST.write_text("\n".join(fallbacks()) + "\n")
