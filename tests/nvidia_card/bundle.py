"""Compile the collected cases' programs, by nvcc for a card or by mcc for the simulator, and pack them with input.

    python tests/nvidia_card/bundle.py CASES BUNDLE [--compiler mcc] [--arch sm_80] [--jobs N] [--only PROGRAM]

BUNDLE then has all that run_cases.py needs on a machine with a card: programs, inputs, cases.json and the script.
The exit status is 1 if a program does not compile and differences.toml does not say why, or says so of one that does.
NVCC_APPEND_FLAGS may name folders of CUDA's libraries that are not in its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), *(str(HERE.parent / "sim" / name) for name in ("stdlib", "runtime"))]

import function_tables  # noqa: E402
import stdlib_features  # noqa: E402
import stdlib_verdicts  # noqa: E402
from nvidia_cases import SUITES, Case, collected  # noqa: E402

from nvidia_card import cuda_names  # noqa: E402
from nvidia_card.differences import Differences  # noqa: E402

RUNTIME_TESTS = SUITES / "runtime" / "programs"
CARD = Case(("../nvidia_card/card.mu",), ("-std=c++17",), (), ())
_PROBLEM = re.compile("error|undefined|cannot find")
#: one seed, of which a record is made
IDIOM_SEED = "20251122"
#: programs that tests port from CUDA, and their originals
PORTED = {"cuda_musa/barriers.mu": "checks/programs/barriers_of_parts.cu"}


@dataclass(frozen=True)
class Compiler:
    """How a program is compiled: the command without its sources, and what is linked."""

    name: str
    command: tuple[str, ...]
    libraries: str  # the folder of the SDK's libraries
    for_card: bool

    def line(self, case: Case, sources: Sequence[Path], output: Path) -> list[str]:
        linked = [f"-l{_library(name) if self.for_card else name}" for name in case.libraries]
        if not self.for_card:
            linked += [f"-L{self.libraries}", "-lmusart", f"-Wl,-rpath,{self.libraries}"]
        return [*self.command, *case.flags, *map(str, sources), "-o", str(output), *linked]


def nvcc(arch: str, names: Path) -> Compiler:
    include = [f"-I{names / 'include'}", f"-I{HERE / 'include'}", f"-I{RUNTIME_TESTS}"]
    ours = ["-include", str(names / "cuda_names.h"), "-include", str(HERE / "include" / "musa_only.h")]
    # the usual flags of nvcc for code that clang accepts without flags
    usual = ["--extended-lambda", "--expt-relaxed-constexpr", "-Xcompiler", "-pthread", "-w", "-O2", f"-arch={arch}"]
    return Compiler("nvcc", ("nvcc", "-x", "cu", *usual, *ours, *include), "", True)


def mcc(root: Path) -> Compiler:
    command = (str(root / "bin" / "mcc"), "-x", "musa", "-O2", "-w", "-pthread", f"-I{RUNTIME_TESTS}")
    return Compiler("mcc", command, str(root / "lib"), False)


def _library(name: str) -> str:
    """CUDA's name of a library: mublas is cublas, musa is cuda."""
    return {"musa": "cuda"}.get(name, re.sub("^mu", "cu", name))


def idiom_cases() -> list[Case]:
    """The idioms, whose programs draw their own input and write what they record to a file."""
    programs = sorted((SUITES / "idioms" / "programs").glob("*.mu"))
    names = [path.relative_to(SUITES).as_posix() for path in programs]
    return [Case((name,), ("-std=c++17",), (), (IDIOM_SEED, "{file}")) for name in names]


def sources_of(case: Case, for_card: bool, scratch: Path) -> list[Path]:
    """The sources of a program. Those that a test makes are made here, of what the compiler accepts."""
    if case.sources[0] in PORTED and for_card:
        return [SUITES / PORTED[case.sources[0]]]
    if not case.sources[0].startswith("stdlib/features_"):
        return [SUITES / name for name in case.sources]
    _, standard, page = Path(case.sources[0]).stem.split("_")
    pages = stdlib_features.PAGES
    chosen_pages = pages if standard == "17" else pages[:2] if page == pages[0] else pages[2:]
    features = [feature for each in chosen_pages for feature in stdlib_features.read(each)]
    record = json.loads(stdlib_verdicts.RECORD.read_text(encoding="utf-8"))
    verdicts = record["nvcc relaxed" if for_card else "mcc"]
    chosen = [
        (number, feature)
        for number, feature in enumerate(features)
        if standard in verdicts[feature.name] and not (for_card and feature.name in record["nvcc no result"])
    ]
    path = scratch / Path(case.sources[0]).name
    path.write_text("#include <musa_runtime.h>\n" + stdlib_features.program(chosen), encoding="utf-8")
    return [path]


def compiled(compiler: Compiler, case: Case, output: Path, scratch: Path) -> str:
    """Compile a program. Returns the first error; empty if there is none."""
    line = compiler.line(case, sources_of(case, compiler.for_card, scratch), output)
    line.append(f"-I{scratch}")
    done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return ""
    errors = [
        text for text in (done.stderr + done.stdout).splitlines() if re.search("error|undefined|cannot find", text)
    ]
    return errors[0] if errors else f"exit status {done.returncode}"


def missing_library(error: str) -> str:
    """Name the part of CUDA that this machine lacks, if that is why a program does not compile; empty otherwise."""
    header = re.search(r"fatal error: (cu(?:blas|fft|rand|solver|sparse)\w*\.h): No such file", error)
    library = re.search(r"cannot find -l(cu\w+)", error)
    found = header or library
    return found[1] if found else ""


def bundle(cases: Sequence[Case], inputs: Path, out: Path, compiler: Compiler, jobs: int) -> dict[str, str]:
    """Write the bundle. Returns {program: first error} of those that did not compile."""
    shutil.rmtree(out, ignore_errors=True)
    scratch = out / "scratch"
    for folder in (out / "programs", out / "inputs", scratch):
        folder.mkdir(parents=True)
    # the header that the test of device_functions.mu makes
    (scratch / "device_function_rows.h").write_text(function_tables.program(), encoding="utf-8")
    programs = {case.program: case for case in cases}
    executables = {name: f"programs/{number}" for number, name in enumerate(sorted(programs))}
    error = compiled(compiler, CARD, out / "programs" / "card", scratch)
    if error:
        raise SystemExit(f"{compiler.name} compiles nothing here: {error}")
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda name: compiled(compiler, programs[name], out / executables[name], scratch), programs)
        errors = dict(zip(programs, results))
    kept = [case for case in cases if not errors[case.program]]
    for case in kept:
        if case.input:
            shutil.copyfile(inputs / f"{case.input}.input", out / "inputs" / case.input)
    shutil.rmtree(scratch)
    content = {"compiler": compiler.name, "cases": [_entry(case, executables[case.program]) for case in kept]}
    (out / "cases.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(HERE / "run_cases.py", out / "run_cases.py")
    return {name: error for name, error in errors.items() if error}


def _entry(case: Case, executable: str) -> dict[str, object]:
    return {
        "key": case.key,
        "executable": executable,
        "arguments": case.arguments,
        "input": case.input,
        "dtype": case.dtype,
    }


def for_cards(cases: Sequence[Case], differences: Differences) -> list[Case]:
    """The cases that mean something on a card."""
    return [case for case in cases if differences.of("not_run", case.program, case.arguments) is None]


def unexplained(cases: Sequence[Case], errors: dict[str, str], differences: Differences) -> list[str]:
    """Lines about programs of which differences.toml says the opposite, or nothing."""
    lines = []
    for program in sorted({case.program for case in cases}):
        listed = differences.of("not_compiled", program)
        error = errors.get(program, "")
        if error and not listed and not missing_library(error):
            lines.append(f"{program}: does not compile, and differences.toml does not say why: {error}")
        if listed and not error:
            lines.append(f"{program}: compiles, but differences.toml says that it does not: {listed.reason}")
    return lines


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compile the collected cases' programs for a card.")
    parser.add_argument("cases", type=Path)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--compiler", choices=("nvcc", "mcc"), default="nvcc")
    parser.add_argument("--arch", default="sm_80", help="of nvcc; newer cards compile its PTX when they load it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="programs whose name contains this")
    return parser.parse_args()


def main() -> int:
    chosen = _arguments()
    differences = Differences.read()
    every = for_cards([*collected(chosen.cases), *idiom_cases()], differences)
    cases = [case for case in every if chosen.only in case.program]
    done = subprocess.run([sys.executable, "-m", "musa_sim", "root"], stdout=subprocess.PIPE, text=True, check=True)
    root = Path(done.stdout.strip())
    if chosen.compiler == "nvcc":
        names = chosen.bundle.parent / "names"
        cuda_names.write(names, root / "lib")
        compiler = nvcc(chosen.arch, names)
    else:
        compiler = mcc(root)
        # a rehearsal has the programs that a card would have
        cases = [case for case in cases if differences.of("not_compiled", case.program) is None]
    errors = bundle(cases, chosen.cases, chosen.bundle, compiler, chosen.jobs)
    left_out = {program for program in errors if differences.of("not_compiled", program)}
    absent = sorted({missing_library(error) for error in errors.values()} - {""})
    print(
        f"{len({case.program for case in cases}) - len(errors)} programs compiled, {len(left_out)} listed as not for it"
    )
    if absent:
        print("not on this machine:", ", ".join(absent))
    lines = unexplained(cases, errors, differences) if compiler.for_card else list(map(": ".join, errors.items()))
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
