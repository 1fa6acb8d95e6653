"""The cards' records of the idioms, which draw other numbers in every run but this one.

The other suites compare each of their runs with the records themselves (nvidia_cases.note).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from kept_programs import KeptPrograms
from nvidia_cases import RECORDS, SUITES, Record

from nvidia_card import bundle
from nvidia_card.differences import Differences
from nvidia_card.outputs import Output


def recorded(program: Path, sdk: Path, kept: KeptPrograms, folder: Path, fibers: str) -> bytes:
    """Run an idiom's program with the seed of the records."""
    built = kept.build([str(sdk / "bin/mcc"), "-std=c++17", "-O2", "-w"], [program], ["-lmusart"])
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
    path = folder / f"{program.stem}-{fibers}"
    environment = {**clean, "MUSA_SIM_FIBERS": fibers}
    subprocess.run([built, bundle.IDIOM_SEED, path], check=True, capture_output=True, env=environment, timeout=120)
    return path.read_bytes()


@pytest.mark.skipif(not any(RECORDS.glob("*.json")), reason="no card has made a record yet: `make nvidia-card`")
def test_idioms_are_the_cards(sim_sdk_root: Path, kept_programs: KeptPrograms, tmp_path: Path) -> None:
    records = [Record.read(path, Differences.read()) for path in RECORDS.glob("*.json")]
    for case in bundle.idiom_cases():
        ours = recorded(SUITES / case.sources[0], sim_sdk_root, kept_programs, tmp_path, "0")
        for record in records:
            assert record.difference(case, Output(0, ours)) == ""


def test_a_wrong_idiom_is_found(sim_sdk_root: Path, kept_programs: KeptPrograms, tmp_path: Path) -> None:
    (case,) = [case for case in bundle.idiom_cases() if "lanes" in case.program]
    # fibers may give other active masks where a warp has two branches, which CUDA leaves open
    loops, again = (recorded(SUITES / case.sources[0], sim_sdk_root, kept_programs, tmp_path, "0") for _ in range(2))
    record = Record("a card", {case.key: Output(0, loops)}, Differences(()))
    assert record.difference(case, Output(0, again)) == ""
    at = loops.rindex(b"\n") + 1  # the last entry's values
    wrong = loops[:at] + bytes([loops[at] ^ 64]) + loops[at + 1 :]
    assert "a card says otherwise" in record.difference(case, Output(0, wrong))
