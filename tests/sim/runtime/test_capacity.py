"""Devices have no more memory than the machine can bear, and say so instead of being ended by the system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sim_programs import Build, Program, run

import musa_sim

RUNTIME = Path(musa_sim.__file__).parent / "runtime"
MIB = 1 << 20
MEMINFO = {"proc/meminfo": "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    4000 kB\n"}
MOUNT_2 = "41 31 0:38 {group} /groups rw,relatime shared:4 - cgroup2 cgroup rw\n"
MOUNT_1 = "30 23 0:27 / /cpu rw - cgroup cgroup rw,cpu\n35 31 0:32 / /groups/memory rw - cgroup cgroup rw,memory\n"
GROUP_1 = "9:name=systemd:/other\n4:cpuset,memory:/job/step\n0::/\n"


@pytest.fixture(scope="module")
def capacity(build: Build) -> Program:
    return build("capacity.cpp", flags=(f"-I{RUNTIME}",))


@pytest.mark.parametrize(
    ("files", "available"),
    [
        ({}, 4000 * 1024),
        (
            {
                "proc/self/mountinfo": MOUNT_2.format(group="/"),
                "proc/self/cgroup": "0::/outer/inner\n",
                "groups/outer/inner/memory.max": "max\n",
                "groups/outer/inner/memory.current": "90000\n",
                "groups/outer/memory.max": "500000\n",
                "groups/outer/memory.current": "100000\n",
                "groups/outer/memory.stat": "anon 80000\ninactive_file 20000\n",
            },
            420000,
        ),
        (
            {
                "proc/self/mountinfo": MOUNT_2.format(group="/docker/abc"),
                "proc/self/cgroup": "0::/docker/abc\n",
                "groups/memory.max": "700000\n",
                "groups/memory.current": "100000\n",
            },
            600000,
        ),
        (
            {
                "proc/self/mountinfo": MOUNT_1,
                "proc/self/cgroup": GROUP_1,
                "groups/memory/job/step/memory.limit_in_bytes": "300000\n",
                "groups/memory/job/step/memory.usage_in_bytes": "100000\n",
                "groups/memory/job/step/memory.stat": "cache 60000\ntotal_inactive_file 50000\n",
                "groups/memory/job/memory.limit_in_bytes": "9223372036854771712\n",
            },
            250000,
        ),
        (
            {
                "proc/self/mountinfo": MOUNT_1,
                "proc/self/cgroup": GROUP_1,
                "groups/memory/memory.limit_in_bytes": "1000\n",
                "groups/memory/memory.usage_in_bytes": "2000\n",
            },
            0,
        ),
    ],
    ids=["machine", "version 2, group around it", "version 2, container", "version 1", "used up"],
)
def test_what_is_available(capacity: Program, tmp_path: Path, files: Mapping[str, str], available: int) -> None:
    for name, text in {**MEMINFO, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert capacity("files", tmp_path).facts == {"available": str(available)}


@pytest.mark.parametrize(
    ("available", "devices", "most", "share"),
    [
        (1000 * MIB, 1, 9000 * MIB, 500 * MIB),
        (1000 * MIB, 2, 9000 * MIB, 250 * MIB),
        (1000 * MIB, 1, 300 * MIB, 300 * MIB),
        (1001 * MIB, 1, 9000 * MIB, 500 * MIB),
        (0, 1, 9000 * MIB, MIB),
    ],
)
def test_what_a_device_gets(capacity: Program, available: int, devices: int, most: int, share: int) -> None:
    assert capacity("shares", available, devices, most).facts == {"share": str(share)}


@pytest.mark.parametrize("limit", ["-v", "-d"])
@pytest.mark.parametrize("devices", [1, 2])
def test_a_limit_of_the_process(capacity: Program, limit: str, devices: int) -> None:
    """All that two devices have can be used under a limit of 1 GiB, and no more."""
    script = f'ulimit {limit} {1024 * 1024}; exec "$0" devices'
    result = run(["sh", "-c", script, capacity.path], env={"MUSA_SIM_DEVICES": str(devices), "MUSA_SIM_THREADS": "1"})
    assert (result.status, result.stderr) == (0, "")
    facts = result.facts
    assert (facts["more"], facts["pinned"]) == ("musaErrorMemoryAllocation",) * 2
    totals = [int(facts[f"total {device}"]) for device in range(devices)]
    assert all(facts[f"consistent {device}"] == "1" for device in range(devices))
    assert totals == [totals[0]] * devices
    assert 64 * MIB <= sum(totals) <= 512 * MIB


def test_the_setting_has_the_last_word(capacity: Program) -> None:
    facts = capacity("devices", env={"MUSA_SIM_MEMORY": "8M", "MUSA_SIM_DEVICES": "2"}).facts
    assert (facts["total 0"], facts["total 1"]) == (str(8 * MIB), str(8 * MIB))
