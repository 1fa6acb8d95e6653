"""The kernels of programs for MUSA, compiled as their own build files do: how many compile, and why others do not.

    ONNXRUNTIME_MUSA=CHECKOUT python -m tests.programs.kernels onnxruntime-musa --minutes 10   # resumes
    python -m tests.programs.kernels run tutorial_on_musa         # the files that are whole programs
    python -m tests.programs.kernels record onnxruntime-musa      # docs/moore-threads-programs.md

A checkout is used as it is, and nothing is written to it. With `--front-end` a file is only parsed, for host and
device, which takes a part of the time; the page says so. How each file ended is kept in outcomes/, so that a row of the
page does not depend on a cache.
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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from sdists import CACHE

from .record import Record, Tests, keep, read_records
from .sdk import simulated_sdk

ARCHITECTURE = "mp_31"
OUTCOMES = Path(__file__).with_name("outcomes")


class Program(NamedTuple):
    """The kernels of a program."""

    variable: str  # names the checkout
    version: str
    kernels: str  # a pattern below the checkout
    flags: tuple[str, ...]  # of its build files; {0} is the checkout
    left: tuple[str, ...] = ()  # sentences for the page
    needs: tuple[str, ...] = ()  # variables whose folders {1}, ... in the flags are
    # files that are whole programs, what each prints if it is right, and its arguments
    run: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


#: the flags of MUSAExtension; {1} is site-packages, {2} has Python.h
_TORCH = (
    *("-fPIC", "-std=c++20", "-O3", "-U__CUDA__", "-I{1}/torch_musa/share/generated_cuda_compatible/include"),
    *("-I{1}/torch/include", "-I{1}/torch/include/torch/csrc/api/include", "-I{1}", "-I{2}"),
)
_TORCH_NEEDS = ("SITE_PACKAGES", "PYTHON_INCLUDE")

_MUALG: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("allocator", "iterator", "warp_reduce", "warp_scan"), ()),
    **dict.fromkeys(("block_histogram", "block_load_store", "block_radix_sort", "block_reduce", "block_scan"), ()),
    **dict.fromkeys(
        (
            *("device_histogram", "device_radix_sort", "device_reduce", "device_reduce_by_key", "device_scan"),
            *("device_run_length_encode", "device_select_if", "device_select_unique"),
        ),
        ("--n=10007",),
    ),
    "grid_barrier": ("--i=10", "--grid-size=8"),
}

PROGRAMS = {
    "pytorch_sparse": Program(
        "PYTORCH_SPARSE",
        "ac2f219",
        "csrc/musa/*.mu",
        (*_TORCH, "-DWITH_PYTHON", "-DWITH_MUSA", "-I{0}/csrc"),
        ("Its kernels alone, with the flags of MUSAExtension: its tests were not run.",),
        _TORCH_NEEDS,
    ),
    "vllm_musa": Program(
        "VLLM_MUSA",
        "1a9e569",
        "csrc_musa/**/*.mu",
        _TORCH,
        (
            "Its setup.py builds 8 of these files; the others come from vLLM, and no build file names them.",
            "attention_kernels.mu keeps inline PTX in code for MUSA, which mcc here does not compile (row `ptx-in-asm` "
            "of docs/unverified.md).",
            "custom_all_reduce.mu calls at::musa::musaStreamIsCapturing, which torch_musa 2.1.1 to 2.7.1 lack; it "
            "was written for an older one. Its test uses std::array without <array>, and needs MPI and NCCL.",
            "musa_porting.py names headers .muh, and its rules change the includes of seven of them alone: the files "
            "below that find no .cuh, and no musa_compat.h in the folder above, need more rules. marlin_cuda_kernel.mu "
            "says at::cuda::getCurrentMUSAStream.",
        ),
        _TORCH_NEEDS,
    ),
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
        ("Its kernels alone, with the headers of the wheel tensorflow-cpu 2.15.1.",),
        ("TENSORFLOW_INCLUDE",),
    ),
    "MT-DeepEP": Program(
        "MT_DEEPEP",
        "eb56e64",
        "csrc/kernels/*.mu",
        ("-fPIC", "-std=c++17", "-O3", "-rdc=true", "-march=native", "-I{0}/csrc", "-I{1}"),
        (
            "Its kernels alone, with the flags of its setup.py and Debian's libibverbs-dev: no public package has "
            "MTSHMEM, whose libraries setup.py links. deep_ep.cpp was only parsed.",
            "Three of the four include utils.muh, which the repository lacks (runtime.mu:7, intranode.mu:5, "
            "ibgda_device.muh:5). Its utils.cuh is no substitute: it calls volatile_load and volatile_store, which no "
            "file there defines (utils.cuh:53, 69).",
        ),
        ("RDMA_INCLUDE",),
    ),
    "muAlg": Program(
        "MUALG",
        "5ffbaa4",
        "test/test_*.cu",
        ("-x", "musa", "-O2", "-DNDEBUG", "-std=c++14", "-I{0}", "-I{0}/test", "-I{1}"),
        (
            "Tests of a whole device ran with 10,007 items (--n): their own sizes take hours here. test_grid_barrier "
            "runs into the watchdog with its 10,000 rounds, and ran with --i=10 --grid-size=8.",
            "Its shared memory has words of 8 bytes for classes that need 16 (util_type.cuh:385), so that vectors of "
            "16 bytes are at addresses of 8: four tests come to these types and end there. Before, their cases pass.",
            "test_warp_scan: lanes call __syncwarp with a mask that lacks them (warp_scan_smem.cuh:116), which a "
            "warning says.",
            "test_iterator: thrust::copy_if reads flags of other lanes with no barrier after their writes "
            "(warp_reduce_smem.cuh:291, 294). --check=race reports it; lanes that are not in lockstep sum up wrong.",
        ),
        ("MUTHRUST",),
        # they compare with the host's results, and end with 1 where these differ
        tuple((f"test/test_{name}.cu", "", arguments) for name, arguments in _MUALG.items()),
    ),
    "muThrust": Program(
        "MUTHRUST",
        "5a5e676",
        "testing/*.cu",
        ("-x", "musa", "-std=c++14", "-I{0}", "-I{0}/testing", "-I{1}"),
        (
            "muAlg shuffles in segments of 33 lanes where a warp has no item, and uses no result "
            "(cub/util_ptx.cuh:342, the last lane is -1). A warning says so, once per kernel.",
            "reduce_by_key passes with 2 workers. With 4 and more (MUSA_SIM_THREADS) TestReduceByKey and "
            "TestReduceByKeyToDiscardIterator fail: a block then adds up what several blocks before it left, by the "
            "function of muAlg that makes test_iterator fail (warp_reduce_smem.cuh:291, 294). With two barriers there, "
            "in a changed copy, all cases pass with 2, 4, 8 and 16 workers.",
        ),
        ("MUALG",),
    ),
    "gpu-compute-driver-bench": Program(
        "GPU_COMPUTE_DRIVER_BENCH",
        "20838a9",
        "**/*.c[pu]*",
        ("-x", "musa", "-mtgpu", "-std=c++17", "-I{0}/common/include", "-I/usr/include/libcpuid"),
        ("libcpuid is Debian's (libcpuid-dev).",),
    ),
    "tutorial_on_musa": Program(
        "TUTORIAL_ON_MUSA",
        "48faf75",
        "*musa*/**/*.mu",
        ("-I{0}/musa_quick_start/2_example_cmakelist/device/include",),
        (
            "Its quick start and its check of a setup; by scripts of their own (musify_example.py, maskrcnn.py), its "
            "example of musify and maskrcnn's extension.",
        ),
        run=(
            ("musa_quick_start/0_example_mul/main.mu", "y[3] = 8", ()),
            ("musa_quick_start/4_reduce_demo/reduce_global_mem.mu", "10099.998047", ()),
            ("musa_quick_start/4_reduce_demo/reduce_shared_memory.mu", "10099.998047", ()),
            ("setup_musa/check/test_musa.mu", "MUSA check successfully!", ()),
        ),
    ),
}


class Outcome(NamedTuple):
    """How the compilation of a file ended: "ok", "time", or the first error."""

    ended: str
    whole: bool  # not only parsed
    seconds: float


def kept_folder() -> Path:
    """Return the folder of what is known from one run to the next."""
    return CACHE / "programs"


def read_kept(name: str) -> dict[str, Any]:
    """Return the content of a file of outcomes/, by the paths of a program's files."""
    path = OUTCOMES / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def write_kept(name: str, found: Mapping[str, Any]) -> None:
    """Replace a file of outcomes/, a line for each of the program's files."""
    lines = [f"{json.dumps(file)}: {json.dumps(found[file])}" for file in sorted(found)]
    OUTCOMES.mkdir(exist_ok=True)
    (OUTCOMES / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def outcomes(name: str) -> dict[str, Outcome]:
    """Return the known outcomes of a program's files, by their paths below the checkout."""
    return {file: Outcome(*each) for file, each in read_kept(f"{name}-kernels").items()}


def keep_outcome(name: str, file: str, found: Outcome) -> None:
    """Keep how the compilation of a file ended; no lack of time replaces what was seen before."""
    known = outcomes(name)
    if found.ended != "time" or file not in known:
        write_kept(f"{name}-kernels", {**known, file: found})


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


def command_of(name: str) -> tuple[Path, list[str]]:
    """Return a program's checkout, and mcc with its flags."""
    program = PROGRAMS[name]
    folders = [_folder(variable) for variable in (program.variable, *program.needs)]
    flags = [flag.format(*folders) for flag in program.flags]
    return Path(folders[0]), [f"{simulated_sdk()}/bin/mcc", *flags, f"--offload-arch={ARCHITECTURE}"]


def _known_runs(name: str) -> dict[str, str]:
    return read_kept(f"{name}-runs")


def run_all(name: str, minutes: float) -> None:
    """Link and run the whole programs for so long, those first of which nothing is known; keep how each ended."""
    checkout, mcc = command_of(name)
    program, known, end = CACHE / "programs" / f"{name}-program", _known_runs(name), time.monotonic() + 60 * minutes
    for file, expected, arguments in sorted(PROGRAMS[name].run, key=lambda each: each[0] in known):
        left = end - time.monotonic()
        if left <= 0 or known.get(file) == "ok":
            continue
        try:
            known[file] = compile_one(
                [*mcc, f"{checkout}/{file}", "-o", str(program), "-lmusart"], left, whole=True
            ).ended
            if known[file] == "ok":
                left, environment = max(1.0, end - time.monotonic()), {**os.environ, "MUSA_SIM_ARCH": ARCHITECTURE}
                done = subprocess.run(
                    [str(program), *arguments],
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=left,
                )
                if done.returncode or expected not in done.stdout:
                    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()] or ["nothing"]
                    first = next((line for line in said if line.startswith("[musa-sim]")), said[-1])
                    known[file] = f"status {done.returncode}, {first.replace(f'{checkout}/', '')}"
        except subprocess.TimeoutExpired:
            known[file] = "time"
        write_kept(f"{name}-runs", known)
        print(f"{file}: {known[file]}", flush=True)


def compile_all(name: str, minutes: float, *, whole: bool, from_the_end: bool = False) -> None:
    """Compile for so long, those files first of which nothing is known, and the last of the alphabet on demand."""
    checkout, mcc = command_of(name)
    end, known = time.monotonic() + 60 * minutes, outcomes(name)
    paths = checkout.glob(PROGRAMS[name].kernels)
    files = sorted((str(path.relative_to(checkout)) for path in paths), reverse=from_the_end)
    for file in sorted(files, key=lambda each: each in known and known[each].ended != "time"):
        left = end - time.monotonic()
        if left <= 0 or (file in known and known[file].ended == "ok" and known[file].whole >= whole):
            continue
        output = ["-c", "-o", str(kept_folder() / f"{name}.o")] if whole else ["-fsyntax-only"]
        found = compile_one([*mcc, *output, f"{checkout}/{file}"], left, whole=whole)
        keep_outcome(name, file, found)
        print(f"{file}: {found.ended} ({found.seconds} s)", flush=True)


def _complete(name: str, known: Mapping[str, Outcome]) -> None:
    """Raise an error if fewer files were tried than the page has of this version: its row would fall for no reason."""
    kept, tried = read_records().get(name), sum(each.ended != "time" for each in known.values())
    if kept and kept.version == PROGRAMS[name].version and tried < kept.compiled:
        found = f"outcomes/{name}-kernels.json has {tried} files, and {kept.compiled} compiled by the page"
        raise SystemExit(f"error: {found}; compile the others first")


def record(name: str, more_tests: tuple[Tests, ...] = (), more_left: Sequence[str] = ()) -> None:
    """Keep what was found, and write the page."""
    program, known = PROGRAMS[name], outcomes(name)
    _complete(name, known)
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
    ran = {file: ended for file, ended in _known_runs(name).items() if ended != "time"}
    passed = sum(ended == "ok" for ended in ran.values())
    tests = (
        (Tests("whole programs, linked and run", passed, len(ran) - passed, len(program.run) - len(ran)),)
        if ran
        else ()
    )
    left += [f"{file}, run: {ended}" for file, ended in sorted(ran.items()) if ended != "ok"]
    today = datetime.date.today().isoformat()
    keep(
        Record(
            name,
            program.version,
            today,
            command,
            files,
            len(good),
            (*tests, *more_tests),
            (*program.left, *left, *more_left),
        )
    )


def main() -> None:
    """Compile, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"[run|record] {' | '.join(PROGRAMS)}")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--front-end", action="store_true")
    parser.add_argument("--from-the-end", action="store_true", help="the last files of the alphabet first")
    given = parser.parse_args()
    step = given.names[0] if given.names[0] in ("run", "record") else "compile"
    kept_folder().mkdir(parents=True, exist_ok=True)
    for name in given.names[step != "compile" :]:
        if name not in PROGRAMS:
            parser.error(f"no program {name}; known: {', '.join(PROGRAMS)}")
        if step == "record":
            record(name)
        elif step == "run":
            run_all(name, given.minutes)
        else:
            compile_all(name, given.minutes, whole=not given.front_end, from_the_end=given.from_the_end)


if __name__ == "__main__":
    main()
