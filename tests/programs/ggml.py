"""The programs on ggml: their build with CMake, the tests of their own, and the variables with which they run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .record import Tests
from .sdk import simulated_sdk

#: the architecture that ggml 0.25 is written for: on the others it takes the properties' 128 lanes for its kernels' 32
ARCHITECTURE = "mp_31"
#: of what ctest prints at the end: how many tests failed, and each one with its number, its name and how it ended
_SUMMARY = re.compile(r"tests passed(?:, (\d+) tests? failed)? out of (\d+)")
_FAILED = re.compile(r"^\s*\d+ - (.*\S)\s*$", re.MULTILINE)


def environment(**more: str) -> dict[str, str]:
    """Return the variables with which a program on ggml is built and run."""
    home = str(simulated_sdk())
    return {**os.environ, "MUSA_HOME": home, "MUSA_PATH": home, "PATH": f"{home}/bin:{os.environ['PATH']}", **more}


def running(arch: str = ARCHITECTURE) -> dict[str, str]:
    """Return the variables for a run: a crash must end, and not wait for a debugger."""
    return environment(MUSA_SIM_ARCH=arch, GGML_NO_BACKTRACE="1")


def build(source: Path, folder: Path, flags: Sequence[str], minutes: float) -> None:
    """Configure and build as the page says, for so long; what is compiled stays."""
    variables = environment()
    subprocess.run(["cmake", "-B", folder, *flags], cwd=source, env=variables, check=True)
    started = subprocess.Popen(["cmake", "--build", folder], env=variables, start_new_session=True)
    try:
        print(f"cmake ended with status {started.wait(minutes * 60)}")
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGTERM)  # make and the compilers are children of cmake
        started.wait()
    print("{} of {} files of the MUSA backend are compiled".format(*compiled(folder)))


def compiled(folder: Path) -> tuple[int, int]:
    """Return how many files of the MUSA backend are compiled, and of how many."""
    listed = json.loads((folder / "compile_commands.json").read_text())
    objects = [folder / one["output"] for one in listed if one["file"].endswith(".cu")]
    return sum(path.is_file() for path in objects), len(objects)


def own_tests(folder: Path, chosen: Sequence[str], seconds: int) -> None:
    """Run those tests of a build that ctest's words choose, each for so long; keep what was found."""
    command = ["ctest", "--test-dir", folder, "--timeout", str(seconds), *chosen]
    said = subprocess.run(command, env=running(), capture_output=True, text=True, check=False).stdout
    print(said)
    kept = outcome(said)
    if kept is None:
        raise SystemExit(f"error: ctest found no test in {folder}: build the program first")
    _found_in(folder).write_text(json.dumps(kept, indent=1))


def outcome(said: str) -> dict[str, int | list[str]] | None:
    """Return the counts and the failures that ctest prints at its end, by any of its versions; None without a test."""
    found = _SUMMARY.search(said)
    if not found:
        return None
    failed, every = int(found[1] or 0), int(found[2])
    return {"passed": every - failed, "failed": failed, "which": _FAILED.findall(said)}


def read_tests(folder: Path) -> tuple[tuple[Tests, ...], tuple[str, ...]]:
    """Return the counts that own_tests() kept, and a line for each test that failed."""
    if not _found_in(folder).is_file():
        return (), ()
    kept = json.loads(_found_in(folder).read_text())
    return (Tests("its own tests, by ctest", kept["passed"], kept["failed"]),), tuple(kept["which"])


def _found_in(folder: Path) -> Path:
    return folder.parent / "own_tests.json"
