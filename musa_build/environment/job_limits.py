"""The number of compilers that may run at once: the user's setting, else what cores and free memory allow.

In a container the limits are those of its control group. /proc/meminfo and the number of cores do not show them.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..errors import SettingError

if TYPE_CHECKING:
    from .settings import Value

# One C++ file that includes torch/extension.h takes 1.4 to 1.9 GB with g++.
MEMORY_PER_JOB = 2 * 1024**3
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def job_count(setting: Value, requested: Optional[int], cores: int, free_memory: int) -> int:
    """Return the number of jobs for ninja.

    Args:
        setting: The setting MAX_JOBS, which wins.
        requested: The number after `build_ext -j`, if any.
        cores: The default, as far as memory allows.
        free_memory: In bytes. A job needs 2 GiB.

    Raises:
        SettingError: The setting is not a positive number.
    """
    if setting.text:
        return positive_number(setting)
    return requested or max(1, min(cores, free_memory // MEMORY_PER_JOB))


def positive_number(setting: Value) -> int:
    """Parse a number of jobs. Raises SettingError."""
    if not (setting.text.isdecimal() and int(setting.text) > 0):
        raise SettingError(
            f"{setting.origin} is not a number of jobs", found=repr(setting.text), wanted="a whole number above 0"
        )
    return int(setting.text)


def usable_cores(group: Path = _CONTROL_GROUP) -> int:
    """Return the cores this process may use: its affinity, limited by its control group (1.5 cores count as two)."""
    cores = len(os.sched_getaffinity(0))
    quota = _fields(group / "cpu.max")  # version 2: "150000 100000" or "max 100000"
    if not quota:
        quota = [*_fields(group / "cpu" / "cpu.cfs_quota_us"), *_fields(group / "cpu" / "cpu.cfs_period_us")]
    if len(quota) == 2 and quota[0].isdecimal() and int(quota[1]) > 0:  # version 1 says -1 for no limit
        cores = min(cores, max(1, math.ceil(int(quota[0]) / int(quota[1]))))
    return cores


def free_memory(group: Path = _CONTROL_GROUP) -> int:
    """Return the bytes of memory that programs can get without swapping; a generous guess if that is unknown."""
    free = usable_cores() * MEMORY_PER_JOB
    for name, value in _counts(Path("/proc/meminfo")):
        if name == "MemAvailable:":
            free = value * 1024
    version_1 = group / "memory"
    for limit, used, detail in (
        (group / "memory.max", group / "memory.current", group / "memory.stat"),
        (version_1 / "memory.limit_in_bytes", version_1 / "memory.usage_in_bytes", version_1 / "memory.stat"),
    ):
        bound, taken = _fields(limit), _fields(used)
        if bound and taken and bound[0].isdecimal() and taken[0].isdecimal():
            # Cached files count as used, but the kernel drops them when programs need memory.
            cached = next((value for name, value in _counts(detail) if name == "inactive_file"), 0)
            free = min(free, max(0, int(bound[0]) - int(taken[0]) + cached))
    return free


def _fields(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def _counts(path: Path) -> list[tuple[str, int]]:
    """Return the lines that consist of a name and a number."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return []
    return [(line[0], int(line[1])) for line in lines if len(line) >= 2 and line[1].isdecimal()]
