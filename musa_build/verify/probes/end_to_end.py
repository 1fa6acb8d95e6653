"""End-to-end probes: the simulator's conformance suite, the example, and the assumptions of porting."""

from __future__ import annotations

import os
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

from ...porting.engine.rules import default_tables
from ..probe_context import PROGRAMS, ProbeContext, exit_text, facts_of, first_error
from ..verdict import UndecidedError, Verdict, compared, confirmed, judged, refuted, undecided

CHECKOUT = Path(__file__).resolve().parents[3]
#: A test file of tests/sim, and the expression of pytest that selects its tests for a card.
SUITES = {
    "runtime/test_compute.py": "not 128",
    "runtime/test_intrinsics.py": "not U__CUDA__",
    "runtime/test_float16.py": "not 128",
    "runtime/test_managed.py": "by_name",
    "idioms/test_idioms.py": "O2 and not fibers or every_idiom",
    "libraries/test_cooperative_groups.py": "not 128 and not check",
    "libraries/test_cub_block.py": "not 128 and not check",
    "libraries/test_cub_device.py": "not 128 and not check",
    "libraries/test_thrust.py": "not check",
    "libraries/test_fp8.py": "not check",
    "libraries/test_mublas.py": "not refus and not check and not host",
    "libraries/test_mufft.py": "not refus and not check",
    "libraries/test_murand.py": "not check and not host",
}
SHOWN = 5


def _checkout() -> Path:
    """Return a checkout of musa_build, which has the tests and the example; a wheel has neither."""
    folder = Path(os.environ.get("VERIFY_CHECKOUT") or CHECKOUT)
    if not (folder / "tests" / "sim").is_dir():
        raise UndecidedError("needs a checkout of musa_build: name it by --checkout")
    return folder


def suite(name: str) -> Callable[[ProbeContext], Verdict]:
    """Return a probe that runs one test file of tests/sim with the SDK."""

    def run(context: ProbeContext) -> Verdict:
        folder, results = _checkout(), context.scratch / "results.xml"
        options = ["-q", "-p", "no:xdist", "-o", f"cache_dir={context.scratch / 'cache'}", f"--junitxml={results}"]
        command = [sys.executable, "-m", "pytest", *options, "-k", SUITES[name], folder / "tests" / "sim" / name]
        done = context.run(command, MUSA_TEST_SDK=str(context.sdk.root))
        if not results.is_file():
            raise UndecidedError(exit_text(done))
        cases = list(ElementTree.parse(results).iter("testcase"))
        failed = {_name(case): text for case in cases if (text := _failure(case))}
        passed = sum(1 for case in cases if not list(case)) + 0
        if failed:
            shown = "; ".join(f"{case}: {text}" for case, text in list(failed.items())[:SHOWN])
            return refuted(f"{len(failed)} of {len(cases)} tests fail: {shown}")
        return judged(True, f"{passed} tests agree") if passed else undecided("no test ran")

    return run


def _name(case: ElementTree.Element) -> str:
    return case.get("name", "")


def _failure(case: ElementTree.Element) -> str:
    found = [*case.iter("failure"), *case.iter("error")]
    return (found[0].get("message") or "fails").splitlines()[0][:160] if found else ""


def example(context: ProbeContext) -> Verdict:
    """Port, build and run examples/freqencoder in a copy."""
    folder = context.scratch / "freqencoder"
    ignored = shutil.ignore_patterns("build", "*_musa", "*.so", "*.egg-info", "__pycache__")
    shutil.copytree(_checkout() / "examples" / "freqencoder", folder, ignore=ignored)
    _need_torch_musa(context)
    built = context.run([sys.executable, "-c", _SETUP, folder, "setup_musa.py", "build_ext", "--inplace"])
    if built.returncode:
        return refuted(f"it does not build: {first_error(built)}")
    done = context.run([sys.executable, folder / "demo.py", "--out", context.scratch / "out"])
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode:
        return refuted(f"it builds, and fails: {exit_text(done)}")
    return confirmed("; ".join(lines[:4]))


_SETUP = """
import os, runpy, sys
os.chdir(sys.argv[1])
sys.argv = sys.argv[2:]
sys.path.insert(0, os.getcwd())
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def _need_torch_musa(context: ProbeContext) -> None:
    done = context.run([sys.executable, "-c", "import torch, torch_musa; assert torch.musa.is_available()"])
    if done.returncode:
        raise UndecidedError(f"no torch_musa with a device: {exit_text(done)}")


def ported_headers(context: ProbeContext) -> Verdict:
    """Look for every header that porting writes."""
    names = sorted(
        {
            rule.replace
            for rule in default_tables("sdk.rules", "libraries.rules").headers
            if not rule.replace.endswith("/")
        }
    )
    tests = "".join(f'#if !__has_include(<{name}>)\n#pragma message("absent={name}")\n#endif\n' for name in names)
    done = context.compile(context.write("headers.mu", tests), "-fsyntax-only")
    if done.returncode:
        raise UndecidedError(first_error(done))
    absent = sorted(set(re.findall(r"absent=([\w./]+)", done.stderr)))
    if not absent:
        return confirmed(f"all {len(names)} headers exist")
    there = len(names) - len(absent)
    return undecided(
        f"{there} of {len(names)} exist. Has the SDK these under other names, or not at all: {', '.join(absent)}?"
    )


def ported_program(context: ProbeContext) -> Verdict:
    """Port a CUDA program with the calls that packages use, compile it and run it."""
    (context.scratch / "src").mkdir()
    shutil.copyfile(PROGRAMS / "ported.cu", context.scratch / "src" / "ported.cu")
    done = context.run([sys.executable, "-m", "musa_build", "port", "src"])
    source = context.scratch / "src_musa" / "ported.mu"
    if done.returncode or not source.is_file():
        raise UndecidedError(f"porting fails: {exit_text(done)}")
    built = context.link(source, libraries=("murand", "mublas"))
    if built.returncode:
        context.must_compile()
        return refuted(f"the ported program does not compile: {first_error(built)}")
    expected = {"launched": "musaSuccess", "sum": "4950", "half": "3", "warp": "496", "drawn": "1", "blas": "11"}
    return compared(expected, facts_of(context.run(["./program"])))


#: id, group, question, assumption, probe, seconds
ENTRIES: tuple[tuple[str, str, str, str, Callable[[ProbeContext], Verdict], float], ...] = (
    *(
        (
            f"suite-{Path(name).stem.removeprefix('test_').replace('_', '-')}",
            "conformance",
            f"tests/sim/{name}: does the card compute what the simulator computes?",
            "every test passes",
            suite(name),
            1800.0,
        )
        for name in SUITES
    ),
    ("example-freqencoder", "example", "Does the example build, and agree with NumPy?", "yes", example, 900.0),
    (
        "porting-headers",
        "porting",
        "Does the SDK have the headers whose names porting writes?",
        "all of them, by the names of torch_musa's mapping files and by analogy",
        ported_headers,
        180.0,
    ),
    (
        "porting-program",
        "porting",
        "Does a ported CUDA program compile with the SDK, and compute what it should?",
        "yes",
        ported_program,
        180.0,
    ),
)
