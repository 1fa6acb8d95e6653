"""`make nvidia-card`: names, programs, runs and records. The simulator replaces the card."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import nvidia_cases
import pytest
from nvidia_cases import SUITES, Case, Record

from nvidia_card import bundle, cuda_names
from nvidia_card.differences import Differences, Entry
from nvidia_card.outputs import Output, Tolerance, difference

PROGRAMS = Path(__file__).with_name("programs")

HERE = Path(__file__).parent
NVCC = shutil.which("nvcc")


def test_porting_turns_cudas_names_into_musas() -> None:
    names = cuda_names.renamed(cuda_names.identifiers(path.read_text() for path in cuda_names.sources()))
    assert len(names) > 250
    by_hand = {*cuda_names.BY_GUARDS, *cuda_names.ALIASES, "murand", "musa"}
    wrong = {musa: cuda for musa, cuda in names.items() if musa not in by_hand and cuda_names.ported(cuda) != musa}
    assert wrong == {}
    wanted = {
        "musaMalloc": "cudaMalloc",
        "muLaunchKernel": "cuLaunchKernel",
        "__mt_bfloat16": "__nv_bfloat16",
        "__MT_E4M3": "__NV_E4M3",
        "__musa_cvt_double_to_fp8": "__nv_cvt_double_to_fp8",
        "mublasSgemm": "cublasSgemm",
        "murand_state_philox4x32_10": "curandStatePhilox4_32_10_t",
        "MUdeviceptr": "CUdeviceptr",
    }
    assert {musa: names.get(musa) for musa in wanted} == wanted


def test_a_name_of_the_programs_that_is_nobodys_stays() -> None:
    assert cuda_names.renamed(["multiply", "mutex", "much", "must"]).keys() <= {"musa", "murand"}


@pytest.mark.parametrize(
    ("ours", "theirs", "dtype", "wrong"),
    [
        ([1.0, 2.0], [1.0, 2.0 * (1 + 1e-6)], "<f4", ""),
        ([1.0, 2.0], [1.0, 2.001], "<f4", "1 of 2 elements differ; element 1"),
        ([1.0, np.nan, np.inf], [1.0, np.nan, np.inf], "<f8", ""),
        ([1.0, np.nan], [1.0, 3.0], "<f8", "1 of 2 elements differ"),
        ([1e-9, 1.0], [0.0, 1.0], "<f4", ""),  # beside the largest, nothing
        ([7, 8], [7, 9], "<i4", "1 of 2 elements differ; element 1 is 9, here 8"),
        ([7, 8], [7], "<i4", "1 elements, here 2"),
    ],
)
def test_arrays_agree(ours: Sequence[float], theirs: Sequence[float], dtype: str, wrong: str) -> None:
    a, b = (Output(0, np.array(values, dtype).tobytes(), dtype) for values in (ours, theirs))
    assert difference(a, b, Tolerance()).startswith(wrong) and bool(difference(a, b, Tolerance())) == bool(wrong)


@pytest.mark.parametrize(
    ("ours", "theirs", "wrong"),
    [
        (b"launch=musaErrorInvalidValue\n", b"launch=cudaErrorInvalidValue\n", ""),
        (b"x=0.333333 n=7\n", b"x=0.333334 n=7\n", ""),
        (b"x=0.333333 n=7\n", b"x=0.333333 n=8\n", "line 1 is"),
        (b"3 device 0x1.8p+1 0x0p+0\n", b"3 device 0x1.8000001p+1 0x0p+0\n", ""),
        (b"3 device 0x1.8p+1\n", b"3 device 0x1.9p+1\n", "line 1 is"),
        (b"a\n", b"a\nb\n", "2 lines, here 1"),
        (b"\x00\x00\x80\x3f", b"\x01\x00\x80\x3f", ""),  # 1 and the next float
        (b"\x07\x00\x00\x00", b"\x08\x00\x00\x00", "byte 0"),  # 7 and 8
    ],
)
def test_texts_and_bytes_agree(ours: bytes, theirs: bytes, wrong: str) -> None:
    found = difference(Output(0, ours), Output(0, theirs), Tolerance())
    assert found.startswith(wrong) and bool(found) == bool(wrong)


def test_of_features_only_those_that_nvcc_takes_are_compared() -> None:
    case = Case(("stdlib/features_17_containers.mu",), ("-std=c++17",), (), ())
    record = Record("a card", {case.key: Output(0, b"1 device 0x1p+0\n3 device 0x1p+1\n")}, Differences(()))
    assert record.difference(case, Output(0, b"1 device 0x1p+0\n2 device 0x1p+4\n3 device 0x1p+1\n")) == ""
    assert "line 2" in record.difference(case, Output(0, b"1 device 0x1p+0\n3 device 0x1p+3\n"))


def test_every_difference_says_why_and_names_programs_that_exist() -> None:
    programs = {path.relative_to(SUITES).as_posix().replace("/programs/", "/") for path in SUITES.glob("*/programs/*")}
    programs.update(bundle.PORTED)
    for entry in Differences.read().entries:
        assert len(entry.reason) > 20, entry
        assert entry.program.split(" ")[0] in programs, f"{entry.program}: no such program"
        assert entry.program.endswith(" *"), f"{entry.program}: the flags of a program follow its name"


TWICE = (PROGRAMS / "twice.mu").read_text(encoding="utf-8")
X = np.array([1, 2, 3], np.float32)


@pytest.fixture(scope="module")
def packed(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Case]:
    """A bundle for the simulator: a program, one that hangs, and one that does not compile. And the first's case."""
    folder = tmp_path_factory.mktemp("bundle")
    texts = {
        "twice": TWICE,
        "endless": "#include <unistd.h>\nint main() { for (;;) pause(); }\n",
        "broken": "int main() { return musaNothing(); }\n",
    }
    cases = {name: Case((str(folder / f"{name}.mu"),), ("-std=c++17",), (), ()) for name in texts}
    for name, text in texts.items():
        (folder / f"{name}.mu").write_text(text)
    cases["twice"] = replace(cases["twice"], input=sha256(X.tobytes()).hexdigest(), dtype="f4")
    nvidia_cases.collect(cases["twice"], X.tobytes(), folder)
    errors = bundle.bundle(list(cases.values()), folder, folder / "packed", bundle.mcc(sim_sdk_root), 2)
    assert [re.sub(r".*/", "", name) for name in errors] == ["broken.mu -std=c++17"]
    assert "musaNothing" in next(iter(errors.values()))
    return folder / "packed", cases["twice"]


def run_cases(folder: Path, out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # as on a machine with a card: another folder, Python's own library alone
    command = [sys.executable, "-IS", str(folder / "run_cases.py"), str(folder), "--out", str(out), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_driver_records_what_the_card_makes(packed: tuple[Path, Case], tmp_path: Path) -> None:
    folder, case = packed
    done = run_cases(folder, tmp_path, "--limit", "2")
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.glob("*.json")
    content = json.loads(path.read_text())
    assert path.name == "musa-simulator-mp-22.json"
    assert content["card"]["name"] == "MUSA simulator (mp_22)" and content["card"]["capability"] == "2.2"
    assert sorted(str(entry["status"]) for entry in content["cases"].values()) == ["0", "time limit"]
    assert "stopped: " in done.stdout and "endless" in done.stdout
    record = Record.read(path, Differences(()))
    right = Output(0, (2 * X).tobytes(), "f4")
    assert record.difference(case, right) == ""
    other = replace(right, stdout=np.array([2, 5, 6], np.float32).tobytes())
    assert "element 1 is 4.0, here 5.0" in record.difference(case, other)
    assert "exit status 0, here 1" in record.difference(case, replace(right, status=1))
    assert record.difference(replace(case, arguments=("another",)), other) == "", "not the card's run"
    on_purpose = Differences((Entry("differs", "*twice.mu *", "a test"),))
    assert Record.read(path, on_purpose).difference(case, replace(right, status=1)) == ""


def test_without_a_card_it_says_so(packed: tuple[Path, Case], tmp_path: Path) -> None:
    folder = tmp_path / "no card"
    shutil.copytree(packed[0], folder)
    (folder / "programs" / "card").write_text("#!/bin/sh\nexit 1\n")
    done = run_cases(folder, tmp_path / "out")
    assert done.returncode == 2 and done.stdout.startswith("no card: carry")
    assert not (tmp_path / "out").exists()


def test_runs_are_collected(tmp_path: Path) -> None:
    program = tmp_path / "slot" / "planted"
    program.parent.mkdir()
    nvidia_cases.write_recipe(program.parent, ["mcc", "-O2", "-std=c++17"], [SUITES / "checks/programs/planted.mu"], [])
    x = np.arange(3, dtype=np.float32)
    case = nvidia_cases.case_of(program, ["case", 3], x.tobytes(), {"MUSA_SIM_FIBERS": "1"}, "f4")
    assert case is not None and case.program == "checks/planted.mu -std=c++17" and case.arguments == ("case", "3")
    assert nvidia_cases.case_of(program, [], b"", {"MUSA_SIM_WARP": "128"}, "") is None, "no card has such warps"
    nvidia_cases.collect(case, x.tobytes(), tmp_path / "cases")
    nvidia_cases.collect(case, x.tobytes(), tmp_path / "cases")
    assert nvidia_cases.collected(tmp_path / "cases") == [case]
    assert (tmp_path / "cases" / f"{case.input}.input").read_bytes() == x.tobytes()


def test_long_arrays_are_thinned(tmp_path: Path) -> None:
    sys.path.insert(0, str(HERE))
    import run_cases as driver

    x = np.arange(100_003, dtype=np.float64)
    kept, stride = driver.thinned(x.tobytes(), "f8")
    assert len(kept) <= driver.LONGEST and stride > 1
    ours = Output(0, x.tobytes(), "f8")
    theirs = Output(0, kept, "f8", stride)
    assert difference(ours, theirs, Tolerance()) == ""
    x[stride * 5] += 1
    assert f"element {stride * 5} is" in difference(Output(0, x.tobytes(), "f8"), theirs, Tolerance())
    y = np.arange(100_003, dtype=np.float64)
    kept, stride = driver.thinned(y.tobytes(), "")
    assert len(kept) <= driver.LONGEST + driver.PIECE and stride > 1
    theirs = Output(0, kept, "", stride)
    assert difference(Output(0, y.tobytes()), theirs, Tolerance()) == ""
    y[8 * stride] += 100
    assert difference(Output(0, y.tobytes()), theirs, Tolerance()).startswith("byte ")
    text = b"a long text\n" * 5000
    assert driver.thinned(text, "") == (text, 1)


@pytest.mark.skipif(NVCC is None, reason="no nvcc on this machine")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["runtime/programs/intrinsics.mu", "idioms/programs/lanes.mu"])
def test_programs_compile_with_nvcc(name: str, sim_sdk_root: Path, tmp_path: Path) -> None:
    """Two that use what only MUSA has; `make nvidia-card` compiles all."""
    cuda_names.write(tmp_path / "names", sim_sdk_root / "lib")
    case = Case((name,), ("-std=c++17",), (), ())
    assert bundle.compiled(bundle.nvcc("sm_80", tmp_path / "names"), case, tmp_path / "program", tmp_path) == ""
