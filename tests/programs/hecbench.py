"""HeCBench's CUDA programs by their own Makefiles through the CUDA toolkit: what compiles, runs and passes.

    HECBENCH=CHECKOUT python -m tests.programs.hecbench [--minutes 30]    # the next ones, in the order of their digests
    HECBENCH=CHECKOUT python -m tests.programs.hecbench --build-only      # without running them
    HECBENCH=CHECKOUT python -m tests.programs.hecbench NAME ...          # these once more
    python -m tests.programs.hecbench page                                # docs/hecbench.md, once more

Each program is built in a copy of the checkout's src/, with `make ARCH=sm_80`, and run with `make run`. The order, by
the SHA-256 of the names, keeps the choice out of our hands. The outcomes are kept in docs/hecbench.json.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from .kernels import kept_folder
from .suites import Outcome, Suite, call, first_error, toolkit_variables

_HEAD = """# HeCBench on the CUDA toolkit

[HeCBench](https://github.com/zjin-lcf/HeCBench) (f27000a): small CUDA programs of many fields, unmodified, by their
own Makefiles (`make ARCH=sm_80`, `make run`) with `musa-build cuda-env`, on the simulator. They had not been seen
before: at the first try (27 November 2026, commit ff067cff, no change between them), 464 of 518 compiled.
`HECBENCH=CHECKOUT python -m tests.programs.hecbench` tries the next ones in the order of the SHA-256 of their names,
keeps the outcomes and writes this page. **Not verified on MUSA hardware.**

A program *passed* if it ended with status 0 and says that its results are right; it *ran* if it ended so and checks
nothing. The arguments are sized for a GPU: a program that takes longer than 20 s on two shared cores is run once more
with 1 for its last number, the repetitions in most of them, and is *too slow* if that takes a minute.
"""
SUITE = Suite("programs", "hecbench", _HEAD)
MAKE = ("make", "ARCH=sm_80")
BUILD_SECONDS, RUN_SECONDS, ONCE_SECONDS = 400, 20, 60
_SAYS_FAILED = re.compile(r"\b(?:FAIL|FAILED|[Ff]ailed|ERROR|[Mm]ismatch|[Ii]ncorrect)\b[^\n]*|\[musa-sim\][^\n]*")
_SAYS_PASSED = re.compile(r"\b(?:PASS|PASSED|[Pp]assed|SUCCESS|[Ss]uccess(?:ful)?|[Cc]orrect)\b")
_LACKS_DATA = re.compile(r"[^\n]*(?:[Uu]nable to open|[Ee]rror opening|[Cc]annot open|[Ff]ailed to open)[^\n]*")
_PYTHON = re.compile(r"setup\.py|PYTHON_CMD")
_LAST_NUMBER = re.compile(r"^(?P<program>\s*(?:\S+/)?\S+\s.*?)(?P<number>\b\d+)\s*$")


def program_folders(checkout: Path) -> list[Path]:
    """List the folders of the programs, in the order of the SHA-256 of their names. Python packages are left out."""
    folders = [
        path.parent for path in checkout.glob("src/*-cuda/Makefile") if not _PYTHON.search(path.read_text("utf-8"))
    ]
    return sorted(folders, key=lambda folder: hashlib.sha256(folder.name.encode()).hexdigest())


def once(command: str) -> str:
    """Return a command line with 1 for its last number."""
    return _LAST_NUMBER.sub(r"\g<program>1", command)


def verdict(status: int, said: str) -> tuple[str, str]:
    """Return the result of a run that has ended, and a line that says why."""
    failed, lacks = _SAYS_FAILED.search(said), _LACKS_DATA.search(said)
    if status and lacks:
        return "not run", f"data that the copy of the repository lacks: {lacks.group(0).strip()}"[:200]
    if status or failed:
        return "failed", f"status {status}: {failed.group(0) if failed else first_error(said)}"[:200]
    return ("passed" if _SAYS_PASSED.search(said) else "ran"), ""


def build(folder: Path, environment: Mapping[str, str]) -> Outcome:
    """Build a program."""
    files = len(list(folder.rglob("*.cu")))
    call((*MAKE, "clean"), folder, environment, RUN_SECONDS)
    status, said = call(MAKE, folder, environment, BUILD_SECONDS)
    (folder / "build.log").write_text(said, encoding="utf-8")
    if status:
        compiled = min(files, len(list(folder.rglob("*.o"))))
        why = f"more than {BUILD_SECONDS} s" if status == -1 else first_error(said)
        return Outcome(files, compiled, "not built", why)
    return Outcome(files, files, "built")


def run(folder: Path, files: int, environment: Mapping[str, str]) -> Outcome:
    """Run a program that is built."""
    status, said = call((*MAKE, "run"), folder, environment, RUN_SECONDS)
    (folder / "run.log").write_text(said, encoding="utf-8")
    if status != -1:
        return Outcome(files, files, *verdict(status, said))
    commands = [line for line in call((*MAKE, "-n", "run"), folder, environment, RUN_SECONDS)[1].splitlines() if line]
    shorter = [once(command) for command in commands]
    why = f"more than {RUN_SECONDS} s"
    if shorter != commands:
        status, said = call(("sh", "-ec", "\n".join(shorter)), folder, environment, ONCE_SECONDS)
        (folder / "run.log").write_text(said, encoding="utf-8")
        result, reason = verdict(status, said)
        if status != -1:
            return Outcome(files, files, result, f"with 1 for its last number. {reason}".strip())
        why = f"more than {ONCE_SECONDS} s with 1 for its last number"
    return Outcome(files, files, "too slow", why)


def main() -> int:
    """Try programs, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--build-only", action="store_true")
    given = parser.parse_args()
    if given.names == ["page"]:
        SUITE.write_page()
        return 0
    checkout = os.environ.get("HECBENCH")
    if not checkout:
        print("HECBENCH must name a checkout of zjin-lcf/HeCBench", file=sys.stderr)
        return 2
    copy = kept_folder() / "hecbench"
    shutil.copytree(Path(checkout, "src"), copy / "src", dirs_exist_ok=True)
    environment = {**toolkit_variables(), "MUSA_SIM_ARCH": "mp_22"}
    known = {name for name, one in SUITE.outcomes().items() if given.build_only or one.result != "built"}
    end = time.monotonic() + 60 * given.minutes
    for folder in program_folders(copy):
        name = folder.name[: -len("-cuda")]
        if time.monotonic() > end or (name not in given.names if given.names else name in known):
            continue
        begin = time.monotonic()
        outcome = build(folder, environment)
        if outcome.result == "built" and not given.build_only:
            outcome = run(folder, outcome.files, environment)
        SUITE.keep(name, outcome)
        print(f"{name}: {outcome} in {time.monotonic() - begin:.0f} s", flush=True)
    SUITE.write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
