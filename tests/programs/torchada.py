"""torchada, unmodified, beside the simulated torch_musa: its own tests, and freqencoder built through it.

    python -m tests.programs.torchada tests --minutes 10     # file by file; continues where it ended
    python -m tests.programs.torchada freqencoder            # with its CUDAExtension and BuildExtension
    python -m tests.programs.torchada record                 # docs/moore-threads-programs.md

The source distribution has the tests without their conftest.py; what they need of it is written beside them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from freqencoder.freqencoder_project import EXAMPLE, copy_sources
from sdists import CACHE, fetch_sdist, installed_package, unpack

from .record import Record, Tests, keep
from .sdk import simulated_sdk

NAME, VERSION = "torchada", "0.1.103"
SHA256 = "73aeafd47d35a16e38c0797661d50ae152d7d19b0ae7e3a30126f9e149eceaaf"
HOME = CACHE / "programs" / f"{NAME}-{VERSION}"
FILES, FREQENCODER = HOME / "tests.json", HOME / "freqencoder.json"
#: the part of the record's `left` that the outcomes do not show
LEFT_FILE = Path(__file__).resolve().parent / "torchada_left.txt"
#: replaces the file that the distribution leaves out: a patched torch, and whether there is a device
_CONFTEST = """import pytest
import torchada

@pytest.fixture
def has_gpu():
    return True
"""
_SETUP = """import torchada
from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

sources = ["freqencoder/src/freqencoder.cu", "freqencoder/src/bindings.cpp"]
extension = CUDAExtension("freqencoder._MUSAC", sources, extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O2"]})
setup(name="freqencoder", packages=find_packages(), ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
"""


class Outcome(NamedTuple):
    """The tests of a file: how many passed, were skipped, and what is said of each that failed, by its name."""

    passed: int
    skipped: int
    failed: dict[str, str]


def _environment() -> dict[str, str]:
    python_path = os.pathsep.join([str(installed_package(NAME, VERSION)), os.environ.get("PYTHONPATH", "")])
    # without musaInfo on PATH, torchada compiles its operators for that architecture
    return {
        **os.environ,
        "PYTHONPATH": python_path,
        "TORCH_EXTENSIONS_DIR": str(HOME / "extensions"),
        "MUSA_HOME": str(simulated_sdk()),
        "MUSA_SIM_ARCH": "mp_31",
    }


def outcome_of(report: Path) -> Outcome:
    """Read what pytest wrote of a file."""
    passed, skipped, failed = 0, 0, {}
    for case in ET.parse(report).getroot().iter("testcase"):
        wrong = [each for each in case if each.tag in ("failure", "error")]
        if wrong:
            name = "::".join(filter(None, [case.get("classname", "").rpartition(".")[2], case.get("name", "")]))
            said = (wrong[0].text or "") if wrong[0].tag == "error" else wrong[0].get("message", "")
            failed[name] = next((line for line in reversed(said.splitlines()) if line.startswith("E ")), said)
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return Outcome(passed, skipped, failed)


def run_tests(minutes: float, again: bool, only: str) -> None:
    """Run the tests of each file, or of one, for so long; those first of which nothing is known."""
    unpacked = HOME / f"{NAME}-{VERSION}"
    if not unpacked.is_dir():
        unpack(fetch_sdist(NAME, VERSION, SHA256), HOME)
    (unpacked / "tests" / "conftest.py").write_text(_CONFTEST)
    known, report = known_outcomes(), HOME / "report.xml"
    end = time.monotonic() + 60 * minutes
    for file in sorted(unpacked.glob("tests/test_*.py"), key=lambda path: path.name in known):
        left = end - time.monotonic()
        wanted = file.name == only if only else file.name not in known or (again and bool(known[file.name].failed))
        if left <= 0 or not wanted:
            continue
        report.unlink(missing_ok=True)
        options = ["-q", "-p", "no:cacheprovider", "-W", "ignore", f"--junitxml={report}", "--tb=short"]
        command = [sys.executable, "-m", "pytest", *options, str(file)]
        try:
            done = subprocess.run(
                command, cwd=unpacked, env=_environment(), capture_output=True, text=True, check=False, timeout=left
            )
        except subprocess.TimeoutExpired:
            break
        (HOME / f"{file.stem}.log").write_text(done.stdout + done.stderr)
        if report.is_file():
            known[file.name] = outcome_of(report)
            FILES.write_text(json.dumps(known, indent=1, sort_keys=True))
        print(f"{file.name}: {(done.stdout.splitlines() or ['no output'])[-1]}", flush=True)


def known_outcomes() -> dict[str, Outcome]:
    """Return the outcomes that are kept, by the files' names."""
    kept = json.loads(FILES.read_text()) if FILES.is_file() else {}
    return {name: Outcome(*one) for name, one in kept.items()}


def freqencoder() -> None:
    """Build the example through torchada, and run its demo.

    torchada leaves the dispatch key of TORCH_LIBRARY_IMPL as it is: here it is that of torch_musa's tensors.
    """
    project = copy_sources(EXAMPLE, HOME / "freqencoder")
    (project / "setup.py").write_text(_SETUP)
    bindings = project / "freqencoder" / "src" / "bindings.cpp"
    bindings.write_text(bindings.read_text().replace("(freqencoder, CUDA, m)", "(freqencoder, PrivateUse1, m)"))
    found: dict[str, bool] = {}
    for what, command in (("build", ["setup.py", "build_ext", "--inplace"]), ("demo", ["demo.py"])):
        done = subprocess.run([sys.executable, *command], cwd=project, env=_environment(), check=False)
        found[what] = done.returncode == 0
    FREQENCODER.write_text(json.dumps(found))
    print(found)


def record() -> None:
    """Keep what was found, and write the page."""
    known = known_outcomes()
    counts = [sum(of) for of in zip(*((one.passed, len(one.failed), one.skipped) for one in known.values()))]
    tests = [Tests(f"its own tests, {len(known)} files", *counts)] if known else []
    built = json.loads(FREQENCODER.read_text()) if FREQENCODER.is_file() else {}
    if built:
        passed = sum(built.values())
        tests.append(Tests(f"freqencoder through it: {', '.join(built)}", passed, len(built) - passed))
    left = LEFT_FILE.read_text(encoding="utf-8").splitlines() if LEFT_FILE.is_file() else []
    today = datetime.date.today().isoformat()
    keep(Record(NAME, VERSION, today, f"pip install {NAME}", 0, 0, tuple(tests), tuple(left)))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    of_tests = steps.add_parser("tests")
    of_tests.add_argument("--minutes", type=float, default=10)
    of_tests.add_argument("--again", action="store_true", help="once more the files in which a test failed")
    of_tests.add_argument("--only", default="", metavar="FILE", help="one file, also if it is known")
    steps.add_parser("freqencoder")
    steps.add_parser("record")
    given = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    if given.step == "tests":
        run_tests(given.minutes, given.again, given.only)
    elif given.step == "freqencoder":
        freqencoder()
    else:
        record()


if __name__ == "__main__":
    main()
