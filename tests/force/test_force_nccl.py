"""A CUDA package that calls NCCL from C++, built with FORCE_MUSA=1 and nothing else, and run on four devices."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from forcing import Project

RUN = """
import all_devices, numpy
devices = 4
one = numpy.arange(1000, dtype=numpy.float32)
total = sum(one + 100 * device for device in range(devices))
for half in (False, True):
    wanted = numpy.tile(total / 2 if half else total, devices)
    numpy.testing.assert_array_equal(all_devices.run(1000, half), wanted)
found, compiled = all_devices.version()
assert found == compiled
"""


@pytest.mark.compiles
def test_it_links_and_agrees(new_project: Callable[[str], Project]) -> None:
    project = new_project("nccl_cuda")
    outcome = project.setup("build_ext", "--inplace")
    assert outcome.returncode == 0, outcome.output
    environment = {**project.environment, "MUSA_SIM_DEVICES": "4", "MUSA_SIM_MCCL_TIMEOUT": "30"}
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(
        command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
