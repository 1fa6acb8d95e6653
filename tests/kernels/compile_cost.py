"""Measure what each file of the kernel library costs to compile: `python -m tests.kernels.compile_cost`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BUILD = Path(__file__).parents[2] / "backend" / "build"
LIBRARY = "libmusa_kernels"
MOST_SECONDS = 60
MOST_MEGABYTES = 1000
#: Of the whole library, in CPU minutes.
MOST_MINUTES = 30


@dataclass(frozen=True)
class Cost:
    """The cost of one file.

    Attributes:
        file: The source.
        seconds: CPU time of the compiler and all that it starts.
        megabytes: Memory of the largest of these processes.
    """

    file: str
    seconds: float
    megabytes: float

    @property
    def too_much(self) -> bool:
        return self.seconds > MOST_SECONDS or self.megabytes > MOST_MEGABYTES


def commands(build: Path, only: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield the library's sources with their command lines and the folders in which these run."""
    for database in sorted(build.glob("temp.*/compile_commands.json")):
        for entry in json.loads(database.read_text(encoding="utf-8")):
            if LIBRARY in entry["output"] and only in entry["file"]:
                yield entry["file"], entry["arguments"], entry["directory"]


def cost(file: str, arguments: list[str], directory: str) -> Cost:
    """Compile a file without a cache, into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = {"-o": "object.o", "-MF": "depends.d"}
        command = [
            str(Path(folder) / outputs[before]) if before in outputs else argument
            for before, argument in zip(["", *arguments], arguments)
        ]
        process = subprocess.Popen(command, cwd=directory, env={**os.environ, "CCACHE_DISABLE": "1"})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{file} does not compile")
    return Cost(file, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.kernels.compile_cost",
        description="Compile the files of the kernel library again, one after the other, and say what each costs.",
        epilog="exit status: 1 if a file takes more than 60 s of CPU time or 1 GB, or all take more than 30 minutes",
    )
    parser.add_argument(
        "--build", type=Path, default=BUILD, help="where the backend was built (default: backend/build)"
    )
    parser.add_argument("--only", default="", help="files whose path contains this text")
    choice = parser.parse_args()
    found = []
    for file, arguments, directory in commands(choice.build, choice.only):
        found.append(cost(file, arguments, directory))
        mark = "  TOO MUCH" if found[-1].too_much else ""
        print(f"{found[-1].seconds:7.1f} s {found[-1].megabytes:7.0f} MB  {Path(file).name}{mark}", flush=True)
    if not found:
        sys.exit(f"{choice.build} has no build of {LIBRARY}; first: make kernels")
    total = sum(each.seconds for each in found)
    print(f"{total:7.1f} s {max(each.megabytes for each in found):7.0f} MB  all {len(found)}")
    return 1 if any(each.too_much for each in found) or total > 60 * MOST_MINUTES else 0


if __name__ == "__main__":
    sys.exit(main())
