"""Random kernels compute what NumPy computes; and a defect that is planted is found and made small."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz import finds, interpret, programs
from tests.fuzz.interpret import Undefined
from tests.fuzz.programs import Compiler, Failure, Setting
from tests.fuzz.scalars import BOOL, F16, F32, F64, I8, I32, I64, U32, U64, Scalar, converted
from tests.fuzz.tree import (
    ArrayOf,
    Assign,
    Barrier,
    Binary,
    Const,
    For,
    If,
    Kernel,
    Launch,
    Leave,
    Load,
    Plain,
    Put,
    Shuffle,
    Special,
    Stmt,
    Store,
    Var,
)

SEED = "1"
TID = Special(U32, "tid")


@pytest.fixture(scope="module")
def compiler(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(sim_sdk_root, tmp_path_factory.mktemp("fuzz"))


def check(compiler: Compiler, batch: int, size: int, tmp_path: Path) -> None:
    found = list(finds.search(compiler, SEED, batch, size))
    for number, find in enumerate(found):
        find.write(tmp_path / f"find-{number}", [find.setting.flags[0]])
    assert not found, f"{found[0].failure}, written to {tmp_path}; see 'Random programs' in CONTRIBUTING.md"


@pytest.mark.parametrize("batch", range(2))
def test_some_dozen(compiler: Compiler, tmp_path: Path, batch: int) -> None:
    check(compiler, batch, 20, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(2, 14))
def test_some_hundred(compiler: Compiler, tmp_path: Path, batch: int) -> None:
    check(compiler, batch, finds.BATCH, tmp_path)


def kernel(*body: Stmt, threads: int = 40, arrays: tuple[ArrayOf, ...] = (), wide: bool = True) -> Kernel:
    variables = ((Var(U32, "v"), 7), (Var(U32, "w"), 0))
    launch = Launch((2, 1, 1), (threads, 1, 1))
    return Kernel("k", (), arrays, (), variables, body, (launch,), 1, wide)


PLANTED = If(
    Binary(BOOL, "<", TID, Const(U32, 33)),
    (
        Assign(Var(U32, "w"), Binary(U32, "*", TID, Const(U32, 3))),
        For(Var(I32, "i"), Const(I32, 3), (Assign(Var(U32, "v"), Binary(U32, "+", Var(U32, "v"), TID)),)),
        Put(0, Binary(U32, "+", Var(U32, "v"), Binary(U32, "mulhi", Var(U32, "w"), Const(U32, 4000000000)))),
    ),
)


def test_a_planted_defect_is_found_and_reduced(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The planted one: the interpreter's __umulhi loses a bit, so that every program with it seems wrong."""
    right = interpret.Interpreter._binary

    def wrong(self, expr, a, b):  # type: ignore[no-untyped-def]
        found = right(self, expr, a, b)
        return found & np.uint32(0xFFFFFFFE) if expr.op == "mulhi" else found

    monkeypatch.setattr(interpret.Interpreter, "_binary", wrong)
    big = kernel(Assign(Var(U32, "w"), Const(U32, 5)), PLANTED, Barrier(), Assign(Var(U32, "v"), TID))
    setting = Setting(("-O0",), ((("MUSA_SIM_FIBERS", "1"),), ()))
    (failure,) = compiler.failures([big], setting).values()
    assert failure.kind == "result"
    small = finds.Find(big, setting, failure, "planted").smaller(compiler, 60)
    assert len(small.kernel.body) <= 2 and small.kernel.launches[0].blocks == 1
    folder = tmp_path / "find-1"
    small.write(folder, small.levels(compiler))
    source = (folder / "k.mu").read_text()
    assert "__umulhi" in source and "for (int" not in source and "syncthreads" not in source
    note = (folder / "find.txt").read_text()
    assert "seed: planted" in note and "fails at: -O0 -O1 -O2 -O3" in note and ", not " in note
    path = f"PATH={compiler._root}/bin:$PATH LIBRARY_PATH={compiler._root}/lib LD_LIBRARY_PATH={compiler._root}/lib"
    done = subprocess.run(f"{path} ./run.sh", shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "differ" in done.stdout, done


def test_what_ends_a_program_is_found(compiler: Compiler) -> None:
    good, trap = kernel(Put(0, TID)), kernel(Plain("__trap();"))
    found = compiler.failures([good, trap, good, trap], Setting(("-O1",)))
    assert {at: failure.kind for at, failure in found.items()} == {1: "error", 3: "error"}
    assert compiler._run([good], (), Path("/bin/false"))[0].kind == "crash"


def test_a_source_that_does_not_compile_is_found_among_others(compiler: Compiler) -> None:
    good = kernel(Put(0, TID))
    bad = kernel(Assign(Var(U32, "nowhere"), TID), Put(0, TID))
    found = compiler.failures([good, good, bad, good], Setting(("-O0",)))
    assert {at: failure.kind for at, failure in found.items()} == {2: "compile"}


SHARED = ArrayOf("s", U32, 0, "shared")
NEXT = Binary(U32, "+", TID, Const(U32, 1))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ((Store("s", TID, TID), Assign(Var(U32, "v"), Load(U32, "s", NEXT))), "read and write of s"),
        ((Store("s", Const(U32, 0), TID),), "two threads and s"),
        ((If(Binary(BOOL, "<", TID, Const(U32, 9)), (Barrier(),)),), "not all threads come to a barrier"),
        (
            (If(Binary(BOOL, "<", TID, Const(U32, 9)), (Shuffle("xor", Var(U32, "v"), TID, Const(U32, 1)),)),),
            "an operation of warps where lanes may differ",
        ),
    ],
)
def test_kernels_without_one_result_are_rejected(body: tuple[Stmt, ...], why: str) -> None:
    with pytest.raises(Undefined, match=why):
        programs.expected(kernel(*body, arrays=(SHARED,)))


def test_threads_that_return_are_not_waited_for() -> None:
    leave = If(Binary(BOOL, "<", TID, Const(U32, 9)), (Leave("return"),))
    count = Barrier("count", Var(I32, "v"), Const(BOOL, True))
    (outcome,) = programs.expected(kernel(leave, count, Put(0, Var(I32, "v"))))
    assert np.frombuffer(outcome.memory["out"], "u8").tolist() == [*[0] * 9, *[31] * 31] * 2


@pytest.mark.parametrize(
    ("to", "source", "value", "wanted"),
    [
        (I32, F32, 3e9, 2**31 - 1),
        (U32, F32, -1.0, 0),
        (I32, F32, float("nan"), 0),
        (I32, F64, float("nan"), -(2**31)),
        (U64, F32, float("nan"), 2**63),
        (I64, F64, 1e300, 2**63 - 1),
        (I8, F32, 300.0, 44),
        (I8, I32, 200, -56),
        (F16, F64, 1 + 2**-11 + 2**-30, 1 + 2**-10),
    ],
)
def test_conversions_are_those_of_cuda(to: Scalar, source: Scalar, value: float, wanted: float) -> None:
    assert converted(to, source, np.array([value], source.dtype))[0] == wanted


def test_seeds_repeat() -> None:
    assert finds.kernels("5", 0, 3) == finds.kernels("5", 0, 3) != finds.kernels("6", 0, 3)
    assert (
        Failure("compile", "a.ll:7: error: unknown '%x3' in 7 places").summary == "compile: error: unknown  in  places"
    )
