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
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from .kernels import kept_folder
from .suites import GOOD, Outcome, Suite, call, first_error, toolkit_variables

BUILD_SECONDS, MAKE_SECONDS, RUN_SECONDS = 400, 20, (6, 8, 12, 20)
_HEAD = """# HeCBench on the CUDA toolkit

[HeCBench](https://github.com/zjin-lcf/HeCBench) (f27000a): small CUDA programs of many fields, unmodified, by their
own Makefiles (`make ARCH=sm_80`, `make run`) with `musa-build cuda-env`, on the simulator. They had not been seen
before: at the first try (27 November 2026, commit ff067cff, no change between them), 464 of 518 compiled.
`HECBENCH=CHECKOUT python -m tests.programs.hecbench` tries the next ones in the order of the SHA-256 of their names,
keeps the outcomes and writes this page. **Not verified on MUSA hardware.**

A program *passed* if it ended with status 0 and says that its results are right; it *ran* if it ended so and checks
nothing; it is *waived* if it says that the device cannot do what it needs, *built* if it compiles and was not tried
further, and *not run* if it compiles and the data for its run are missing. The arguments are sized for a GPU: a program
that takes longer than 6 s on two shared cores is run once more with 1 for its last number, the repetitions in most of
them, then with a sixteenth of its other numbers too, and then with a sixteenth of all. It is *too slow* if the last of
these that its command line allows takes 20 s.
"""
SUITE = Suite("programs", "hecbench", _HEAD)
MAKE = ("make", "ARCH=sm_80")
#: A finding of the simulator, unless it is a warning after which the kernel continues.
_FINDING = r"\[musa-sim\](?![^\n]*\n +It goes on here)[^\n]*"
_SAYS_FAILED = re.compile(rf"\b(?:FAIL|FAILED|[Ff]ailed|ERROR|[Mm]ismatch|[Ii]ncorrect)\b[^\n]*|{_FINDING}")
_SAYS_PASSED = re.compile(r"\b(?:PASS|PASSED|[Pp]assed|SUCCESS(?:FUL)?|[Ss]uccess(?:ful)?|returned OK|[Cc]orrect)\b")
_SAYS_WAIVED = re.compile(r"[^\n]*\b[Ww]aiv(?:ed|ing)\b[^\n]*")
_LACKS_DATA = re.compile(
    r"[^\n]*(?:[Uu]nable to open|[Ee]rror opening|[Cc](?:annot|ould not|an't) open|[Ff]ailed to open|[Cc]ould not find"
    r"|No such f)[^\n]*"
)
_MAKE_FAILED = re.compile(r"make: \*\*\* [^\n]*Error \d+\n?")
_PYTHON = re.compile(r"setup\.py|PYTHON_CMD")
_NUMBER = re.compile(r"(?<=\s)(?:6[4-9]|[7-9]\d|[1-9]\d{2,})(?=\s|$)")
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


def sixteenth(command: str) -> str:
    """Return a command line with a sixteenth of each number from 64 on."""
    return _NUMBER.sub(lambda found: str(int(found.group()) // 16), command)


def smaller(command: str) -> str:
    """Return a command line with 1 for its last number and a sixteenth of each other number from 64 on."""
    return sixteenth(once(command))


#: How a run's command line is changed: words for the page, and the function.
_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", str),
    ("with 1 for its last number", once),
    ("with 1 for its last number and a sixteenth of the others", smaller),
    ("with a sixteenth of its numbers", sixteenth),
)


def absent_data(commands: Iterable[str], folder: Path) -> str:
    """Return a file that the commands name, or an archive kept elsewhere (by DVC), that `folder` lacks, or ""."""
    words = (word for command in commands for word in command.split()[1:])
    named = (word for word in words if "/" in word and not (folder / word).exists())
    kept_elsewhere = (path.stem for path in sorted(folder.glob("*.dvc")) if not path.with_suffix("").exists())
    return next(named, next(kept_elsewhere, ""))


def verdict(status: int, said: str, absent: str = "") -> tuple[str, str]:
    """Return the result of a run that has ended, and a line that says why. `absent` is data that is not there."""
    said = _MAKE_FAILED.sub("", said)
    failed, lacks = _SAYS_FAILED.search(said), _LACKS_DATA.search(said)
    if (lacks or absent) and (status or failed):
        why = lacks.group(0).strip() if lacks else absent
        return "not run", f"data that the copy of the repository lacks: {why}"[:200]
    if status or failed:
        return "failed", f"status {status}: {failed.group(0) if failed else first_error(said)}"[:200]
    if waived := _SAYS_WAIVED.search(said):
        return "waived", waived.group(0).strip()[:200]
    return ("passed" if _SAYS_PASSED.search(said) else "ran"), ""


def build(folder: Path, environment: Mapping[str, str]) -> Outcome:
    """Build a program."""
    files = len(list(folder.rglob("*.cu")))
    call((*MAKE, "clean"), folder, environment, MAKE_SECONDS)
    status, said = call(MAKE, folder, environment, BUILD_SECONDS)
    (folder / "build.log").write_text(said, encoding="utf-8")
    if status:
        compiled = min(files, len(list(folder.rglob("*.o"))))
        why = f"more than {BUILD_SECONDS} s" if status == -1 else first_error(said)
        return Outcome(files, compiled, "not built", why)
    return Outcome(files, files, "built")


def run(folder: Path, files: int, environment: Mapping[str, str], seconds: tuple[int, ...] = RUN_SECONDS) -> Outcome:
    """Run a program that is built, with smaller arguments until it ends well and in time.

    `seconds` are for its own arguments, and for each smaller set of them. A program need not work with those.
    """
    planned = [line for line in call((*MAKE, "-n", "run"), folder, environment, MAKE_SECONDS)[1].splitlines() if line]
    scripts: dict[str, str] = {}
    for words, change in _CHANGES:
        scripts.setdefault("\n".join(change(line) for line in planned), words)
    outcomes = []
    for (script, words), limit in zip(scripts.items(), (*seconds[: len(scripts) - 1], seconds[-1])):
        command = ("sh", "-ec", script) if words else (*MAKE, "run")
        status, said = call(command, folder, environment, limit)
        (folder / "run.log").write_text(said, encoding="utf-8")
        if status == -1:
            outcomes.append(Outcome(files, files, "too slow", f"more than {limit} s {words}".strip()))
            continue
        said = said.replace(f"{folder}/", "").replace(str(folder), "its own folder")  # this machine's
        result, reason = verdict(status, said, absent_data(planned, folder))
        outcomes.append(Outcome(files, files, result, f"{words}. {reason}".strip() if words else reason))
        if result != "failed" or not words:
            break
    failed = (one for one in outcomes if one.result == "failed")
    return outcomes[-1] if outcomes[-1].result in GOOD else next(failed, outcomes[-1])


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
    shutil.copytree(Path(checkout, "src"), copy / "src", dirs_exist_ok=True, ignore_dangling_symlinks=True)
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
