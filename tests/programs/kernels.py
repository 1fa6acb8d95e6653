"""The kernels of programs for MUSA, compiled as their own build files do: how many compile, and why others do not.

    ONNXRUNTIME_MUSA=CHECKOUT python -m tests.programs.kernels onnxruntime-musa --minutes 10   # resumes
    python -m tests.programs.kernels record onnxruntime-musa      # docs/moore-threads-programs.md

A checkout is used as it is, and nothing is written to it. With `--front-end` a file is only parsed, for host and
device, which takes a part of the time; the page says so.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from sdists import CACHE

from .record import Record, keep


class Program(NamedTuple):
    """The kernels of a program."""

    variable: str  # names the checkout
    version: str
    kernels: str  # a pattern below the checkout
    flags: tuple[str, ...]  # of its build files; {0} is the checkout
    left: tuple[str, ...] = ()  # sentences for the page
    needs: tuple[str, ...] = ()  # variables whose folders {1}, ... in the flags are


PROGRAMS = {
    "onnxruntime-musa": Program(
        "ONNXRUNTIME_MUSA",
        "297af92",
        "musa/ep/src/kernels/**/*.mu",
        ("-O2", "-std=c++17", "-fPIC", "-I{0}/musa/ep/src", "-I{0}/musa/ep/src/kernels"),
        ("Its kernels alone: the provider itself needs ONNX Runtime's headers and muDNN's attention.",),
    ),
    "tensorflow_musa_extension": Program(
        "TENSORFLOW_MUSA_EXTENSION",
        "0838943",
        "musa_ext/kernels/**/*.mu",
        ("-O3", "-fPIC", "-std=c++17", "-DEIGEN_DONT_VECTORIZE", "-I{0}/musa_ext", "-I{1}"),
        ("Its kernels alone, with the headers of TensorFlow's wheel.",),
        ("TENSORFLOW_INCLUDE",),
    ),
    "muAlg": Program(
        "MUALG",
        "5ffbaa4",
        "test/test_*.cu",
        ("-x", "musa", "-std=c++14", "-I{0}", "-I{0}/test", "-I{1}"),
        (),
        ("MUTHRUST",),
    ),
    "muThrust": Program(
        "MUTHRUST",
        "5a5e676",
        "testing/*.cu",
        ("-x", "musa", "-std=c++14", "-I{0}", "-I{0}/testing", "-I{1}"),
        (),
        ("MUALG",),
    ),
}


class Outcome(NamedTuple):
    """How the compilation of a file ended: "ok", "time", or the first error."""

    ended: str
    whole: bool  # not only parsed
    seconds: float


def _kept(name: str) -> Path:
    return CACHE / "programs" / f"{name}-kernels.json"


def outcomes(name: str) -> dict[str, Outcome]:
    """Return the known outcomes of a program's files, by their paths below the checkout."""
    path = _kept(name)
    return {file: Outcome(*each) for file, each in json.loads(path.read_text()).items()} if path.is_file() else {}


def _folder(variable: str) -> str:
    folder = os.environ.get(variable, "")
    if not folder:
        raise SystemExit(f"error: the variable {variable} must name a folder; see the docstring of {__name__}")
    return folder


def compile_one(command: Sequence[str], seconds: float, *, whole: bool) -> Outcome:
    """Compile a file for at most so long."""
    begun = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return Outcome("time", whole, seconds)
    errors = re.findall(r"error: (.*)", done.stderr)
    ended = "ok" if done.returncode == 0 else errors[0] if errors else f"status {done.returncode}"
    return Outcome(ended, whole, round(time.monotonic() - begun, 1))


def compile_all(name: str, minutes: float, *, whole: bool) -> None:
    """Compile for so long, those files first of which nothing is known."""
    program = PROGRAMS[name]
    folders = [_folder(variable) for variable in (program.variable, *program.needs)]
    root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True)
    mcc = f"{root.stdout.strip()}/bin/mcc"
    flags = [flag.format(*folders) for flag in program.flags]
    end, known = time.monotonic() + 60 * minutes, outcomes(name)
    files = sorted(str(path.relative_to(folders[0])) for path in Path(folders[0]).glob(program.kernels))
    for file in sorted(files, key=lambda each: each in known and known[each].ended != "time"):
        left = end - time.monotonic()
        if left <= 0 or (file in known and known[file].ended == "ok" and known[file].whole >= whole):
            continue
        output = ["-c", "-o", str(_kept(name).with_suffix(".o"))] if whole else ["-fsyntax-only"]
        command = [mcc, *flags, "--offload-arch=mp_31", *output, f"{folders[0]}/{file}"]
        known[file] = compile_one(command, left, whole=whole)
        _kept(name).write_text(json.dumps(known, indent=1, sort_keys=True))
        print(f"{file}: {known[file].ended} ({known[file].seconds} s)", flush=True)


def record(name: str) -> None:
    """Keep what was found, and write the page."""
    program, known = PROGRAMS[name], outcomes(name)
    files = len(list(Path(_folder(program.variable)).glob(program.kernels)))
    good = [each for each in known.values() if each.ended == "ok"]
    parsed = sum(not each.whole for each in good)
    left = [f"{parsed} of the files were only parsed, for host and device."] if parsed else []
    left += [f"{file}: {each.ended}" for file, each in sorted(known.items()) if each.ended not in ("ok", "time")]
    untried = files - sum(each.ended != "time" for each in known.values())
    left += [f"{untried} files were not tried, or stopped for time."] if untried else []
    command = f"mcc {' '.join(program.flags)} -c FILE".replace("{0}/", "").replace("{0}", ".")
    for number, variable in enumerate(program.needs, 1):
        command = command.replace(f"{{{number}}}", f"${variable}")
    today = datetime.date.today().isoformat()
    keep(Record(name, program.version, today, command, files, len(good), (), (*program.left, *left)))


def main() -> None:
    """Compile, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"[record] {' | '.join(PROGRAMS)}")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--front-end", action="store_true")
    given = parser.parse_args()
    recorded = given.names[0] == "record"
    _kept("any").parent.mkdir(parents=True, exist_ok=True)
    for name in given.names[recorded:]:
        if name not in PROGRAMS:
            parser.error(f"no program {name}; known: {', '.join(PROGRAMS)}")
        if recorded:
            record(name)
        else:
            compile_all(name, given.minutes, whole=not given.front_end)


if __name__ == "__main__":
    main()
