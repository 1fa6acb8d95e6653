"""Kernels cut into loops between barriers give what fibers give, and are in fact cut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("kernels_with_barriers.mu")
PROGRAMS = Path(__file__).with_name("programs")
KERNELS = (
    "tree",
    "early_exit",
    "two_barriers",
    "nested",
    "stride",
    "stride_64",
    "over_blocks",
    "sum_then_tree",
    "by_value",
    "by_value_called",
    "one_thread",
)


def run(program: Path, **env: str) -> str:
    done = subprocess.run(
        [program], env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
def test_loops_and_fibers_agree(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    program = tmp_path / "program"
    subprocess.run([sim_sdk_root / "bin/mcc", level, SOURCE, "-lmusart", "-o", program], check=True)
    by_fibers = run(program, MUSA_SIM_FIBERS="1")
    assert len(by_fibers.splitlines()) == 4 * 14
    assert run(program, MUSA_SIM_FIBERS="0") == by_fibers
    assert run(program, MUSA_SIM_FIBERS="0", MUSA_SIM_THREADS="1") == by_fibers


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_functions_of_the_thread_run_for_each_thread(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    program, source = tmp_path / "program", SOURCE.with_name("functions_of_the_thread.mu")
    subprocess.run([sim_sdk_root / "bin/mcc", level, source, "-lmusart", "-o", program], check=True)
    for fibers in ("0", "1"):
        run(program, MUSA_SIM_FIBERS=fibers)


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_pointers_to_variables_of_a_frame_live_across_barriers(sim_sdk_root: Path, tmp_path: Path, level: str) -> None:
    program, source = tmp_path / "program", PROGRAMS / "local_pointers.mu"
    subprocess.run([sim_sdk_root / "bin/mcc", level, source, "-lmusart", "-o", program], check=True)
    for fibers in ("0", "1"):
        run(program, MUSA_SIM_FIBERS=fibers)


def test_every_one_of_them_is_cut(sim_sdk_root: Path, tmp_path: Path) -> None:
    image = tmp_path / "image.mubin"
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", SOURCE, "-o", image], check=True)
    symbols = image.read_bytes()
    missing = [name for name in KERNELS if f"__musa_sim_loop__Z{len(name)}{name}".encode() not in symbols]
    assert not missing
    # its threads need a copy each of what it changes
    assert b"__musa_sim_loop__Z16by_value_changed" not in symbols


def test_what_cannot_be_cut_keeps_its_fibers(sim_sdk_root: Path, tmp_path: Path) -> None:
    source = PROGRAMS / "outlined_and_shuffled.mu"
    program, image = tmp_path / "fibers", tmp_path / "fibers.mubin"
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", source, "-lmusart", "-o", program], check=True)
    assert [int(word) for word in run(program).split()] == [31 - i + (i ^ 1) for i in range(32)]
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", source, "-o", image], check=True)
    assert b"__musa_sim_loop_" not in image.read_bytes()


def test_a_barrier_behind_an_alias_is_seen(sim_sdk_root: Path, tmp_path: Path) -> None:
    """clang makes one of two constructors an alias of the other; the call that is left names the alias."""
    source = PROGRAMS / "barrier_behind_an_alias.mu"
    program, image = tmp_path / "alias", tmp_path / "alias.mubin"
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", source, "-lmusart", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == ([str(31 - i) for i in range(32)], "")
    subprocess.run([sim_sdk_root / "bin/mcc", "-O2", "--cuda-device-only", "-c", source, "-o", image], check=True)
    assert b"__musa_sim_loop_" not in image.read_bytes()


def test_what_a_thread_keeps_over_a_barrier_is_aligned(sim_sdk_root: Path, tmp_path: Path) -> None:
    mcc = [sim_sdk_root / "bin/mcc", "-O2", PROGRAMS / "aligned.mu"]
    subprocess.run([*mcc, "-lmusart", "-o", "aligned"], cwd=tmp_path, check=True)
    assert run(tmp_path / "aligned", MUSA_SIM_FIBERS="0") == run(tmp_path / "aligned", MUSA_SIM_FIBERS="1")
    assert run(tmp_path / "aligned", MUSA_SIM_FIBERS="0") == "0: 0 0 0 0\n"
    subprocess.run([*mcc, "--cuda-device-only", "-c", "-o", "image"], cwd=tmp_path, check=True)
    cut = [
        name
        for name in ("16", "32", "64", "128")
        if f"loop__Z{8 + len(name)}rows_of_{name}v".encode() in (tmp_path / "image").read_bytes()
    ]
    assert cut == ["16", "32", "64"]  # libmusart's frames lie at multiples of 64


def test_kernels_of_a_huge_source_keep_their_fibers(sim_sdk_root: Path, tmp_path: Path) -> None:
    """LLVM takes most of its time for the other form of a kernel."""
    program, image = tmp_path / "program", tmp_path / "image"
    mcc = [
        sys.executable,
        "-c",
        "import sys; from pathlib import Path; from musa_sim.mcc.clang import arguments\n"
        "from musa_sim.mcc.driver import main\n"
        "arguments._HUGE_SOURCE = 0; sys.exit(main(sys.argv[2:], Path(sys.argv[1]), '5.2.0'))",
        *(sim_sdk_root, "-O2", SOURCE),
    ]
    subprocess.run([*mcc, "--cuda-device-only", "-c", "-o", image], check=True)
    loops = [name for name in KERNELS if f"__musa_sim_loop__Z{len(name)}{name}".encode() in image.read_bytes()]
    assert "tree" not in loops and "stride" in loops, loops
    subprocess.run([*mcc, "-lmusart", "-o", program], check=True)
    assert run(program, MUSA_SIM_FIBERS="0") == run(program, MUSA_SIM_FIBERS="1")
