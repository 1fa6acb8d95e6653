"""NVIDIA/cuda-samples by its own CMake files through the CUDA toolkit: what compiles, builds, runs and passes.

    CUDA_SAMPLES=CHECKOUT python -m tests.programs.cuda_samples [SAMPLE ...]     # all, or these once more
    python -m tests.programs.cuda_samples page                                   # docs/cuda-samples.md, once more

The checkout is of v12.9, the last for CUDA 12, which the toolkit announces. The repository's own project is configured
once, and its samples are built one by one. They are run as its run_tests.py does, with the arguments of its
test_args.json. The outcomes are kept in docs/cuda-samples.json.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from .suites import Outcome, Suite, call, first_error, toolkit_variables

_HEAD = """# NVIDIA's cuda-samples on the CUDA toolkit

[NVIDIA/cuda-samples](https://github.com/NVIDIA/cuda-samples), v12.9, unmodified, by its own CMake files with
`musa-build cuda-env`, on the simulator. `CUDA_SAMPLES=CHECKOUT python -m tests.programs.cuda_samples` builds the
samples that it is given, runs each as the repository's `run_tests.py` does, keeps the outcomes and writes this page;
with `page`, the page alone. Samples for Tegra, for Windows and of libNVVM are left out. **Not verified on MUSA
hardware.**

A sample is *waived* where it says itself that the device lacks what it shows, and *too slow* if a run on the simulator,
on two shared cores, takes longer than its row says.
"""
SUITE = Suite("samples", "cuda-samples", _HEAD)
#: Samples for x86-64 hosts. libNVVM's compile NVVM IR, the platform's need Tegra or Windows.
GROUPS = ("0_", "1_", "2_", "3_", "4_", "5_", "6_")
BUILD_SECONDS, RUN_SECONDS = 420, 180
#: Libraries that MUSA lacks. Without their targets, the samples that link them end the configuration of all.
_ABSENT = """foreach(name nppc nppial nppicc nppidei nppif nppist nppisu nppitc nvjpeg)
  add_library(CUDA::${name} INTERFACE IMPORTED GLOBAL)
endforeach()
set(NVJITLINK_LIB nvJitLink CACHE STRING "")
set(NVVM_LIB nvvm CACHE STRING "")
"""
#: As NVIDIA's samples end if the device cannot do what they show
_WAIVED = 2
_SAYS_FAILED = re.compile(r"[Tt]est failed|TEST FAILED|\bFAILED\b|Result = FAIL")


@dataclass(frozen=True)
class Sample:
    """A sample's folder, and where it is built."""

    source: Path
    build: Path

    @property
    def name(self) -> str:
        return self.source.name

    def device_files(self) -> list[Path]:
        return sorted(self.source.rglob("*.cu"))


def samples(checkout: Path, build: Path) -> list[Sample]:
    """List the samples: the folders whose CMakeLists.txt makes a program."""
    lists = sorted(checkout.glob("Samples/*/**/CMakeLists.txt"))
    made = [path.parent for path in lists if "add_executable" in path.read_text(encoding="utf-8")]
    wanted = [folder for folder in made if folder.relative_to(checkout / "Samples").parts[0].startswith(GROUPS)]
    return [Sample(folder, build / folder.relative_to(checkout)) for folder in wanted]


def compiled_files(sample: Sample, environment: Mapping[str, str]) -> int:
    """Count the device files that compile: by the build, or by nvcc alone where the build left them out."""
    names = [path.name for path in sample.build.rglob("*.o")]
    return sum(
        any(name.startswith(f"{path.name}.") for name in names) or _compiles(path, sample, environment)
        for path in sample.device_files()
    )


def _compiles(path: Path, sample: Sample, environment: Mapping[str, str]) -> bool:
    common = sample.source.parents[2] / "Common"
    flags = ("-std=c++17", "--extended-lambda", "-dc", "-I", common, "-I", sample.source)
    target = sample.build / f"alone-{path.stem}.o"
    return call(["nvcc", *flags, path, "-o", target], sample.build, environment, BUILD_SECONDS)[0] == 0


def runs_of(name: str, arguments: Mapping[str, Any]) -> Optional[list[list[str]]]:
    """Return the arguments of each run, or None where test_args.json says that the sample is not run."""
    known = arguments.get(name, {})
    if known.get("skip") or known.get("min_gpus", 1) > 1:
        return None
    return [run.get("args", []) for run in known.get("runs", [known])]


def configure(checkout: Path, build: Path, environment: Mapping[str, str]) -> None:
    """Configure all samples, as the repository's README says, unless they are already."""
    if (build / "build.ninja").is_file():
        return
    build.mkdir(parents=True, exist_ok=True)
    absent = build / "absent.cmake"
    absent.write_text(_ABSENT, encoding="utf-8")
    options = ("-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PROJECT_cuda-samples_INCLUDE={absent}")
    subprocess.run(["cmake", "-G", "Ninja", "-S", checkout, "-B", build, *options], env=environment, check=True)


def attempt(sample: Sample, build: Path, arguments: Mapping[str, Any], environment: Mapping[str, str]) -> Outcome:
    """Build a sample and run it."""
    sample.build.mkdir(parents=True, exist_ok=True)
    target = sample.build.relative_to(build) / "all"
    status, said = call(["ninja", "-j1", "-k0", target], build, environment, BUILD_SECONDS)
    (sample.build / "build.log").write_text(said, encoding="utf-8")
    files, compiled = len(sample.device_files()), compiled_files(sample, environment)
    program = sample.build / sample.name
    if not status and not program.is_file():
        return Outcome(files, compiled, "not built", "its CMakeLists.txt leaves it out on this machine")
    if status:
        return Outcome(files, compiled, "not built", first_error(said))
    runs = runs_of(sample.name, arguments)
    if runs is None:
        return Outcome(files, compiled, "not run", "skipped by test_args.json")
    return Outcome(files, compiled, *_run(sample, program, runs, environment))


def _run(sample: Sample, program: Path, runs: list[list[str]], environment: Mapping[str, str]) -> tuple[str, str]:
    log = ""
    for words in runs:
        status, said = call([program, *words], sample.build, environment, RUN_SECONDS)
        log += f"$ {program.name} {' '.join(words)}\n{said}\n[{status}]\n"
        (sample.build / "run.log").write_text(log, encoding="utf-8")
        last = next(iter(said.strip().splitlines()[-1:]), "")[:160]
        if status == -1:
            return "too slow", f"more than {RUN_SECONDS} s"
        if status == _WAIVED:
            return "waived", last
        if status or _SAYS_FAILED.search(said):
            return "failed", f"status {status}: {first_error(said) or last}"
    return "passed", ""


def main(names: list[str]) -> int:
    """Try the samples, all of them or those that are named."""
    if names == ["page"]:
        SUITE.write_page()
        return 0
    checkout = os.environ.get("CUDA_SAMPLES")
    if not checkout:
        print("CUDA_SAMPLES must name a checkout of NVIDIA/cuda-samples", file=sys.stderr)
        return 2
    root = Path(checkout).resolve()
    build = Path(os.environ.get("CUDA_SAMPLES_BUILD", root / "build-musa")).resolve()
    arguments = json.loads((root / "test_args.json").read_text(encoding="utf-8"))
    environment = toolkit_variables()
    configure(root, build, environment)
    found = samples(root, build)
    for sample in [one for name in names for one in found if one.name == name] if names else found:
        begin = time.monotonic()
        outcome = attempt(sample, build, arguments, environment)
        SUITE.keep(sample.name, outcome)
        print(f"{sample.name}: {outcome} in {time.monotonic() - begin:.0f} s", flush=True)
    SUITE.write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
