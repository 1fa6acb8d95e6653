"""MTML: what management tools read of the simulated devices."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from library_programs import SOURCES


def test_two_devices_as_the_python_binding_asks(sim_sdk_root: Path) -> None:
    libraries = [str(sim_sdk_root / "lib" / name) for name in ("libmtml.so.2", "libmusart.so.5")]
    environment = {**os.environ, "MUSA_SIM_DEVICES": "2", "MUSA_SIM_ARCH": "mp_31"}
    command = [sys.executable, str(SOURCES / "mtml_names.py"), *libraries]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    facts = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert re.fullmatch(r"\d+\.\d+\.\d+-simulator", facts.pop("driver"))
    assert facts == {
        "count": "2",
        "name": "MUSA simulator (mp_31)",
        "same_device": "1",
        "peers": "0",
        "fans": "0",
        "total": "1",
        "used": "1",
        "current": "0",
        "serial": "not supported",
        # pymtml then raises the error that nvitop-musa knows
        "sensors": "0",
        "no_device": "invalid argument",
        "no_uuid": "not found",
        "short": "insufficient size",
    }
