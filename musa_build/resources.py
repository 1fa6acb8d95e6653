"""How many compilers may run at once: what the user says, else what cores and free memory allow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

from .errors import SettingError
from .settings import Value

# One C++ file that includes torch/extension.h takes 1.4 to 1.9 GB with g++.
MEMORY_PER_JOB = 2 * 1024**3


def job_count(setting: Value, asked: Optional[int], cores: int, free_memory: int) -> int:
    """Jobs for ninja: MAX_JOBS, else `build_ext -j`, else the smaller of cores and free memory (bytes) over 2 GiB.

    Raises SettingError when the setting is not a positive number.
    """
    if setting.text:
        if not (setting.text.isdecimal() and int(setting.text) > 0):
            raise SettingError(
                f"{setting.origin} is not a number of jobs", found=repr(setting.text), wanted="a whole number above 0"
            )
        return int(setting.text)
    return asked or max(1, min(cores, free_memory // MEMORY_PER_JOB))


def usable_cores() -> int:
    """The cores this process may run on, which in a container are fewer than the machine's."""
    return len(os.sched_getaffinity(0))


def free_memory() -> int:
    """Bytes of memory that programs can still get without swapping; a roomy guess where the kernel does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return usable_cores() * MEMORY_PER_JOB
