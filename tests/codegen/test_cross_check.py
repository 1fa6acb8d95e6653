"""Entries without a kernel, kernels without an entry, and functions without a definition are reported at build time."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from musa_codegen.cross_check import Compiled, contradictions
from musa_codegen.dispatch_stubs import DispatchStubs, called_stubs, registered_stubs, undefined_functions
from musa_codegen.entries import read_entries
from musa_codegen.plan import plan
from musa_codegen.pytorch import PyTorch

STUBS = DispatchStubs({"exp_out": frozenset({"exp_stub"}), "gcd_out": frozenset({"gcd_stub"}), "erf_out": frozenset()})
ENTRIES = """\
- func: exp
- func: exp.out
- func: add.out
  dispatch:
    PrivateUse1: MusaAddOut
"""
# The code that PyTorch's headers make of REGISTER_PRIVATEUSE1_DISPATCH(exp_stub, ...) and of add_stub(device, ...).
SOURCE = """
namespace at::native {
template <class F, class T> struct DispatchStub { void* slots; static F DEFAULT; };
using Kernel = void (*)(int);
extern DispatchStub<Kernel, struct exp_stub_DECLARE_DISPATCH_type> exp_stub;
extern DispatchStub<Kernel, struct add_stub_DECLARE_DISPATCH_type> add_stub;
void* const registered = exp_stub.slots = nullptr;
void call() { add_stub.DEFAULT(add_stub.slots != nullptr); }
}
namespace at::musa { void lacking(int); void there() {} void use() { lacking(1); there(); } }
"""

Found = Callable[[Compiled], list[str]]


@pytest.fixture
def found(pytorch: PyTorch, tmp_path: Path) -> Found:
    """Return the report about ENTRIES and some compiled sources."""
    file = tmp_path / "musa_functions.yaml"
    file.write_text(ENTRIES)
    entries = read_entries(file)
    made = plan(file, entries, pytorch)
    return lambda compiled: [each.text(file) for each in contradictions(made, entries, pytorch, STUBS, compiled)]


def test_what_fits(found: Found) -> None:
    assert found(Compiled({"exp_stub"}, {"add_stub"})) == []


def test_an_entry_without_kernel(found: Found) -> None:
    (text,) = found(Compiled(set(), set()))
    assert ".yaml:1: exp: PyTorch's function calls exp_stub, in which no source registers a kernel" in text
    assert "REGISTER_PRIVATEUSE1_DISPATCH(exp_stub, &...)" in text


def test_a_kernel_without_entry(found: Found) -> None:
    (text,) = found(Compiled({"exp_stub", "gcd_stub"}, set()))
    assert "registers a kernel in gcd_stub, but there is no entry" in text
    assert "`- func: NAME` for: gcd.out" in text
    assert found(Compiled({"exp_stub", "gcd_stub"}, {"gcd_stub"})) == []  # a source calls it itself


def test_a_function_without_definition(found: Found) -> None:
    (text,) = found(Compiled({"exp_stub"}, set(), {"at::musa::structured_MusaAddOut::impl"}))
    assert ".yaml:3: add.out: no source defines at::musa::structured_MusaAddOut::impl" in text


@pytest.mark.compiles
def test_objects_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(SOURCE)
    compiled = tmp_path / "a.o"
    subprocess.run(["g++", "-std=c++17", "-c", "-w", tmp_path / "a.cpp", "-o", compiled], check=True)
    assert registered_stubs([compiled], []) == {"exp_stub"}
    assert called_stubs([compiled]) == {"add_stub"}
    assert undefined_functions([compiled], "at::musa") == {"at::musa::lacking"}
    (tmp_path / "b.mu").write_text("REGISTER_PRIVATEUSE1_DISPATCH(add_stub, &add_musa)\n")
    assert registered_stubs([compiled], [tmp_path / "b.mu"]) == {"add_stub", "exp_stub"}


@pytest.mark.slow
def test_pytorchs_functions_call_these() -> None:
    stubs = DispatchStubs.of_library(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so")
    assert stubs.by_function["exp_out"] == {"exp_stub"}
    assert stubs.by_function["div_out_mode"] == {"div_floor_stub", "div_true_stub", "div_trunc_stub"}
    assert stubs.callers("sum_stub") == {"sum_out"}
    assert len(stubs.by_function) > 250
