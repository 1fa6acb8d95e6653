"""Ranks that die, come late, or do something else: one clear error in every rank, and soon."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import HERE, StartRanks

PATIENCE = 120
"""Seconds after which ranks count as hanging; they take a tenth of it on an idle machine."""


def processes_in(folder: Path) -> list[str]:
    """Return all processes with this working directory."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append(process.name)
        except OSError:  # it has ended, or is not ours to look at
            continue
    return found


def last_line(output: str) -> str:
    """Return the exception's first line: PyTorch puts the rank before every line."""
    lines = [line for line in output.splitlines() if "Error: " in line]
    return lines[-1] if lines else output


MOMENTS = [round(random.Random(seed).uniform(0, 1), 3) for seed in range(3)]


@pytest.mark.parametrize("when", [MOMENTS[0], *(pytest.param(when, marks=pytest.mark.slow) for when in MOMENTS[1:])])
def test_killed_rank_is_named(when: float, start_ranks: StartRanks, tmp_path: Path) -> None:
    *others, killed = start_ranks("rank_failures.py", 3, "killed", str(when)).wait(PATIENCE)
    assert killed.status == -9
    for rank in others:
        assert rank.status == 1 and "rank 2 (process " in last_line(rank.output), rank.output
        assert "has ended" in last_line(rank.output), rank.output
    assert not processes_in(tmp_path)


LAUNCHERS = {
    "spawn": [str(HERE / "spawned.py"), "2"],
    "torchrun": ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"],
}


@pytest.mark.slow
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_launchers_end_with_a_killed_rank(launcher: str, tmp_path: Path) -> None:
    words = [*LAUNCHERS[launcher], str(HERE / "rank_failures.py"), str(tmp_path / "store"), "killed", "0.3"]
    started = subprocess.Popen(
        [sys.executable, *words],
        cwd=tmp_path,
        env={**os.environ, "MUSA_SIM_DEVICES": "2", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        output, _ = started.communicate(timeout=PATIENCE)  # until no process has the pipe open
    finally:
        started.kill()
    assert started.returncode == 1 and "SIGKILL" in output, output
    assert not processes_in(tmp_path)


@pytest.mark.parametrize("case", ["left_early", "sender_left"])
def test_rank_that_leaves_is_named(case: str, start_ranks: StartRanks) -> None:
    first, second = start_ranks("rank_failures.py", 2, case).wait(PATIENCE)
    assert second.status == 0 and first.status == 1, first.output + second.output
    line = last_line(first.output)
    assert re.search(r"rank 1 \(process \d+\) has destroyed its communicator", line), first.output


def test_late_rank(start_ranks: StartRanks) -> None:
    _, second = start_ranks("rank_failures.py", 2, "late").wait(PATIENCE)
    wanted = "rank 1 has waited 3 s (the timeout of the process group) for rank 0, whose last call was AllReduce"
    assert second.status == 1 and wanted in last_line(second.output), second.output


IN_EVERY_RANK = [
    ("one_device", {"MUSA_SIM_DEVICES": "2"}, "ranks 0 and 1 are both on device 0000:01:00.0; give each rank its own"),
    ("one_device", {"MUSA_SIM_DEVICES": "1"}, "ranks 0 and 1 are both on device 0000:01:00.0; give each rank its own"),
    ("one_device", {"MUSA_SIM_MCCL_SHARE_DEVICES": "maybe"}, "MUSA_SIM_MCCL_SHARE_DEVICES is 'maybe'; wanted: "),
    ("options_of_another_backend", {}, "must be a torch.distributed.ProcessGroupMCCL.Options"),
    ("another_collective", {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}, "mismatch between collectives"),
    ("another_size", {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}, "mismatch between collectives"),
    ("another_collective", {}, "rank 0 called all_reduce (SUM) of 1000 Float; rank 1 called broadcast of 1000 Float"),
    ("another_size", {}, "rank 0 called all_reduce (SUM) of 10 Float; rank 1 called all_reduce (SUM) of 11 Float"),
    ("another_root", {}, "rank 1 called broadcast of 10 Float from rank 1"),
    ("another_message", {}, "the ranks differ: rank 0 sends 40 bytes to rank 1, which receives 44"),
    ("rank_missing", {}, "has waited 3 s (the timeout of the process group) for rank 2, which has not joined"),
]


@pytest.mark.parametrize(("case", "environment", "message"), IN_EVERY_RANK)
def test_error_in_every_rank(case: str, environment: dict[str, str], message: str, start_ranks: StartRanks) -> None:
    for rank in start_ranks("rank_failures.py", 2, case, **environment).wait(PATIENCE):
        assert rank.status == 1 and message in rank.output, rank.output


def test_splits_that_differ_in_every_rank(start_ranks: StartRanks) -> None:
    """Each rank finds what it was sent wrong; all get what was found first."""
    wanted = r"rank 0 sends 24 bytes to rank 1, which receives 36|rank 1 sends 36 bytes to rank 0, which receives 24"
    ranks = start_ranks("rank_failures.py", 2, "another_split").wait(PATIENCE)
    assert len({re.findall(wanted, rank.output)[-1] for rank in ranks}) == 1


def test_store_out_of_reach(start_ranks: StartRanks) -> None:
    _, second = start_ranks("rank_failures.py", 2, "store_out_of_reach").wait(PATIENCE)
    assert second.status == 1 and "127.0.0.1" in last_line(second.output), second.output


@pytest.mark.parametrize(
    ("case", "environment"),
    [
        ("one_device_is_allowed", {"MUSA_SIM_DEVICES": "1", "MUSA_SIM_MCCL_SHARE_DEVICES": "1"}),
        ("devices_by_visibility", {"MUSA_VISIBLE_DEVICES": "{rank}"}),
        ("end_without_goodbye", {}),
        ("continues_after_a_failure", {}),
    ],
)
def test_no_error(case: str, environment: dict[str, str], start_ranks: StartRanks) -> None:
    for rank in start_ranks("rank_failures.py", 2, case, **environment).wait(PATIENCE):
        assert rank.status == 0 and "the end" in rank.output, rank.output
