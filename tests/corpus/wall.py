"""Install packages that were not seen before, in the order of a list: `python -m tests.corpus.record --fresh N`.

wall.tsv is the list, and docs/wall.md the rule that made it. Each package gets one command, in an environment with
PyTorch and nothing set. What a build misses of its own requirements is installed, as pip asks of every user of
`--no-build-isolation`, and recorded. The first record of a package stays: it is the first try.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from musa_build.environment.settings import parse_toml
from musa_build.force_musa.report import VARIABLE, Report
from musa_build.system import files

HERE = Path(__file__).parent
LIST = HERE / "wall.tsv"
CPU_SECONDS = 900  # of a build: one that needs more is too large for here
WALL_SECONDS = 3600
INSTALLS, FAILS, STOPPED, NO_CUDA, ABSENT = "installs", "fails", "stopped", "no CUDA source", "no source distribution"
COUNTED = (INSTALLS, FAILS)
COMMAND = ("install", "--no-clean", "--no-build-isolation", "--no-deps")  # --no-clean: to look for CUDA sources
# Modules that builds import, and what brings them.
REQUIREMENTS = {
    "pkg_resources": "setuptools<81",
    "setuptools_scm": "setuptools_scm",
    "psutil": "psutil",
    "pybind11": "pybind11",
    "nanobind": "nanobind",
    "Cython": "cython",
    "versioneer": "versioneer",
    "einops": "einops",
    "skbuild": "scikit-build",
    "hatchling": "hatchling",
    "poetry": "poetry-core",
    "flit_core": "flit_core",
    "pdm": "pdm-backend",
    "mesonpy": "meson-python",
    "tqdm": "tqdm",
    "requests": "requests",
    "yaml": "pyyaml",
    "toml": "toml",
    "cffi": "cffi",
    "future": "future",
    "scipy": "scipy",
    "numpy": "numpy",
}
_MISSING = re.compile(r"(?:No module named|Cannot import) '([A-Za-z_]\w*)")
_THERE = re.compile(r"(setuptools|wheel|ninja|cmake|numpy|packaging|scikit-build-core|torch)\b(?!-)", re.IGNORECASE)
_PIPS = re.compile(r"^\s*(error: subprocess-exited|[^\w\s]+ |note: )|^\s*$")


@dataclass(frozen=True)
class Entry:
    """A row of the list. `rank` is "" for a package that is not among the ranked; `note` says why it is not tried."""

    name: str
    version: str
    rank: str
    note: str

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class Attempt:
    """One try. `said` is the first line of the error that a user sees; `requirements` were missing and installed."""

    date: str
    commit: str
    outcome: str
    said: str
    cuda_files: int
    extensions: int
    level: int
    requirements: tuple[str, ...]
    seconds: int
    megabytes: int


@dataclass(frozen=True)
class Ended:
    """A command that ended: its exit status (None: it was stopped), output, CPU time, and largest process."""

    status: int | None
    output: str
    seconds: float
    megabytes: int


def listed() -> list[Entry]:
    """Read the list."""
    rows = [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]
    return [Entry(*(row + [""] * 4)[:4]) for row in rows]


def attempt(entry: Entry, sdk: Path, folder: Path, logs: Path) -> Attempt:
    """Install a package in `folder`, which is removed afterwards but for `folder/library`."""
    tools, temporary, library = folder / "tools", folder / "tmp", folder / "library"
    report = folder / "report.json"
    variables = {
        **os.environ,
        "FORCE_MUSA": "1",
        "MUSA_HOME": str(sdk),
        "TORCH_MUSA_ARCH_LIST": "22",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "CCACHE_DISABLE": "1",
        "TMPDIR": str(temporary),
        "PYTHONPATH": str(tools),
        "PATH": os.pathsep.join([str(tools / "bin"), os.environ["PATH"]]),
        VARIABLE: str(report),
    }
    variables.pop("MUSA_BUILD_SIMULATOR", None)
    command = [sys.executable, "-m", "pip", *COMMAND, "--target", str(library), entry.requirement]
    seconds, megabytes, installed = 0.0, 0, []
    while True:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        ended = run(command, variables, CPU_SECONDS - seconds)
        seconds, megabytes = seconds + ended.seconds, max(megabytes, ended.megabytes)
        wanted = [] if ended.status in (0, None) else missing(ended.output, temporary)
        wanted = [each for each in wanted if each not in installed]
        if not wanted:
            break
        installed += wanted
        plain = {key: value for key, value in variables.items() if key not in ("FORCE_MUSA", "PYTHONPATH")}
        subprocess.run(
            [*command[:3], "install", "-q", "--upgrade", "--target", str(tools), *wanted], env=plain, check=False
        )
    output = ended.output.replace(f"{folder}/", "")
    files.write_if_changed(logs / f"{entry.name}.log", output)
    cuda_files = sum(1 for path in temporary.rglob("*") if path.suffix in (".cu", ".cuh") and path.is_file())
    done = Report.load(report) if report.exists() else None
    for left in (temporary, tools, folder / "cache"):
        shutil.rmtree(left, ignore_errors=True)
    outcome = outcome_of(ended, entry, cuda_files)
    return Attempt(
        datetime.date.today().isoformat(),
        _commit(),
        outcome,
        first_line(output) if outcome in (FAILS, STOPPED) else "",
        cuda_files,
        sum(extension.for_musa for extension in done.extensions) if done else 0,
        done.level if done else 0,
        tuple(installed),
        round(seconds),
        megabytes,
    )


def outcome_of(ended: Ended, entry: Entry, cuda_files: int) -> str:
    """Say how a try ended."""
    if f"No matching distribution found for {entry.requirement}" in ended.output and not cuda_files:
        return ABSENT
    if ended.status is None:
        return STOPPED
    if not cuda_files:
        return NO_CUDA
    return INSTALLS if ended.status == 0 else FAILS


def first_line(output: str) -> str:
    """Return the first line of the error in pip's output, of the last level that was tried."""
    shown = output.partition("lines of output]")[2].rpartition("; trying level ")[2]
    lines = [line.strip() for line in (shown or output).splitlines() if not _PIPS.match(line)]
    errors = [line for line in lines if re.search(r"(?<!-)\b\w*(error|Error|ERROR)\b(?!-)", line)]
    return (errors or lines or ["no message"])[0][:300]


def missing(output: str, unpacked: Path) -> list[str]:
    """Return the requirements that a build did not find, by the module that it imports, and by its project."""
    found = _MISSING.search(output)
    named = [REQUIREMENTS[found.group(1)]] if found and found.group(1) in REQUIREMENTS else []
    for project in unpacked.glob("pip-install-*/*/pyproject.toml"):
        asked = parse_toml(project.read_text(encoding="utf-8"), str(project)).get("build-system", {})
        named += [each for each in asked.get("requires", ()) if not _THERE.match(each)]
    return list(dict.fromkeys(named))


def run(command: list[str], variables: Mapping[str, str], cpu_seconds: float) -> Ended:
    """Run a command, and stop it and its children when they have used too much time."""
    out = Path(variables["TMPDIR"]) / "output.txt"
    with out.open("wb") as stream:
        started = subprocess.Popen(
            command, env=dict(variables), stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
        )
        deadline, stopped = time.monotonic() + WALL_SECONDS, False
        while True:
            pid, status, usage = os.wait4(started.pid, os.WNOHANG)
            if pid:
                break
            if not stopped and (session_seconds(started.pid) > cpu_seconds or time.monotonic() > deadline):
                os.killpg(started.pid, signal.SIGKILL)
                stopped = True
            time.sleep(0.5)
    started.returncode = status
    output = out.read_text(encoding="utf-8", errors="replace")
    code = None if stopped else os.waitstatus_to_exitcode(status)
    return Ended(code, output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)


def session_seconds(session: int) -> float:
    """Return the CPU time of a session's processes, and of those that they waited for."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended
        if int(fields[3]) == session:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _commit() -> str:
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()
