"""llama.cpp's MUSA backend, unmodified, on the simulated SDK: build it, run its tests, compare tokens with the CPU's.

    python -m tests.programs.llama_cpp build --minutes 10             # continues where it ended; an hour of CPU in all
    python -m tests.programs.llama_cpp tests                          # those of its own that need no download
    python -m tests.programs.llama_cpp operators mp_31 --minutes 10   # the same: test-backend-ops, operator by operator
    python -m tests.programs.llama_cpp tokens                         # a random model in several types
    python -m tests.programs.llama_cpp checks --minutes 10            # a sample of the operators, compiled with checks
    python -m tests.programs.llama_cpp record                         # docs/moore-threads-programs.md

The source is that in the source distribution of llama-cpp-python. What is made is kept in its cache folder.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from sdists import CACHE, fetch_sdist, unpack

from .ggml import ARCHITECTURE, build, compiled, environment, own_tests, read_tests, running
from .record import Record, Tests, keep, read_records

NAME, VERSION = "llama_cpp_python", "0.3.36"
SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
ARCHITECTURES = "21;22;31"
COMMAND = f'cmake -B build -DGGML_MUSA=ON -DMUSA_ARCHITECTURES="{ARCHITECTURES}"\ncmake --build build'
HOME = CACHE / "programs" / f"{NAME}-{VERSION}"
BUILD, OPERATORS, TOKENS = HOME / "build", HOME / "operators.json", HOME / "tokens.json"
#: the build with checks: its objects and its library, and what the checks find
CHECKED, FINDINGS, CHECKS = HOME / "checked", HOME / "findings.json", "memory,race,sync,init"
HERE = Path(__file__).resolve().parent
#: the part of the record's `left` that the tests do not show
LEFT_FILE = HERE / "llama_cpp_left.txt"
#: of a case; what failed has its error before its name
_RESULT = re.compile(r"\b[A-Z0-9_]+\(.*\): (OK|FAIL|not supported)")
#: the files of ggml-cuda/ itself, without those that no operator reaches for MUSA, and one of the quantised products'
#: types
CHECKED_FILES = r"/ggml-cuda/(?!mmf|fattn)[\w-]+\.cu$|/mmq-instance-q4_0\.cu$"
#: ggml's own option, as a macro: without it, no operator reaches MMQ's kernels on mp_31
FORCED_MMQ = "-DGGML_CUDA_FORCE_MMQ"
_CHECKS_TITLE = f"the checks {CHECKS.replace(',', ', ')}"
#: of the record's `left`, what record() makes from the tests
_FROM_TESTS = re.compile(r"its own test |mp_\d+ \w+: ")
#: of its own tests, all but those that download a model or a repository, and the one that `operators` runs
OWN_TESTS = (
    *("-LE", "model"),
    "-E",
    "test-download-model|test-thread-safety|test-state-restore|test-tokenizers-ggml-vocabs|eval-callback|test-arg-parser"
    "|test-backend-ops",
)
FLAGS = ("-DGGML_MUSA=ON", f"-DMUSA_ARCHITECTURES={ARCHITECTURES}")


def source() -> Path:
    """Return the folder of llama.cpp, fetched and unpacked once."""
    tree = HOME / f"{NAME}-{VERSION}" / "vendor" / "llama.cpp"
    if not tree.is_dir():
        unpack(fetch_sdist(NAME, VERSION, SHA256, isolated=True), HOME)
        # it names a repository that is not there, which keeps ninja from ever finding its files up to date
        (tree / ".git").unlink(missing_ok=True)
    return tree


def operators(arch: str, minutes: float, seconds: float, only: list[str]) -> None:
    """Run test-backend-ops, operator by operator, each for so many seconds: those first that have not been run at all.

    An operator that was run to its end is run again only if it is named.
    """
    program = BUILD / "bin" / "test-backend-ops"
    variables = running(arch)
    names = only or operator_names(program, variables)
    kept = json.loads(OPERATORS.read_text()) if OPERATORS.is_file() else {}
    todo = [name for name in names if only or kept.get(f"{arch} {name}", {}).get("ended", "time") == "time"]
    end = time.monotonic() + minutes * 60
    for name in sorted(todo, key=lambda name: f"{arch} {name}" in kept):
        left = end - time.monotonic()
        if left <= 0:
            break
        outcome, before = one_operator(program, variables, name, min(left, seconds)), kept.get(f"{arch} {name}")
        # a run that ends for time on a busy machine has seen fewer cases than before
        if before is None or outcome["ended"] != "time" or outcome["fail"] or outcome["ok"] > before["ok"]:
            kept[f"{arch} {name}"] = outcome
        OPERATORS.write_text(json.dumps(kept, indent=1, sort_keys=True))


def operator_names(program: Path, variables: dict[str, str]) -> list[str]:
    """Return the operators that test-backend-ops knows."""
    listed = subprocess.run([program, "--list-ops"], env=variables, capture_output=True, text=True, check=True)
    return re.findall(r"^ *([A-Z0-9_]+)$", listed.stdout, re.MULTILINE)


def one_operator(
    program: Path, variables: dict[str, str], name: str, seconds: float, cases: str = ""
) -> dict[str, int | str]:
    """Run the cases of one operator, or those that match `cases`, for so long. Count results; say how it ended."""
    command = [str(program), "test", "-b", "MUSA0", "-o", name, *(["-p", cases] if cases else [])]
    try:
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=seconds)
        said, ended = done.stdout, f"status {done.returncode}"
    except subprocess.TimeoutExpired as late:
        said, ended = (late.stdout or b"").decode(errors="replace"), "time"
    counted = Counter(_RESULT.findall(re.sub(r"\x1b\[[0-9;]*m", "", said)))
    return {"ok": counted["OK"], "fail": counted["FAIL"], "unsupported": counted["not supported"], "ended": ended}


def checks(minutes: float, seconds: float, only: list[str], files: str, cases: str) -> None:
    """Compile the backend's own files with checks, without most template instances, and run the operators with them.

    `files` replaces CHECKED_FILES. Files that neither it names nor the build has compiled are then no part of the
    library: an operator that needs one of them ends with a status that is not 0.
    """
    program = BUILD / "bin" / "test-backend-ops"
    log = CHECKED / "log"
    library, checked = checked_library(files)
    variables = {**running(), "LD_PRELOAD": str(library), "MUSA_SIM_CHECK_LOG": str(log)}
    kept = json.loads(FINDINGS.read_text()) if FINDINGS.is_file() else {}
    end = time.monotonic() + minutes * 60
    for name in only or [name for name in operator_names(program, variables) if name not in kept]:
        log.write_text("")
        left = end - time.monotonic()
        if left <= 0:
            break
        outcome = one_operator(program, variables, name, min(left, seconds), cases)
        said = [json.loads(line).get("headline") for line in log.read_text().splitlines()]
        findings = [headline for headline in said if headline]
        kept[f"{name} {cases}".strip()] = {**outcome, "findings": findings, "files": checked if files else []}
        FINDINGS.write_text(json.dumps(kept, indent=1, sort_keys=True))


def checked_library(files: str) -> tuple[Path, list[str]]:
    """Return a library of the MUSA backend, and which of its files `files` has compiled with checks."""
    CHECKED.mkdir(exist_ok=True)
    variables = environment(MUSA_SIM_CHECK=CHECKS)
    objects: list[Path] = []
    checked: list[str] = []
    for one in json.loads((BUILD / "compile_commands.json").read_text()):
        if not one["file"].endswith(".cu"):
            continue
        if not re.search(files or CHECKED_FILES, one["file"]):
            objects += [path for path in [BUILD / one["output"]] if path.is_file() or not files]
            continue
        objects.append(CHECKED / Path(one["output"]).name)
        checked.append(Path(one["file"]).stem)
        if not objects[-1].is_file():
            # of the three architectures, the one that the operators run on
            words = [word for word in shlex.split(one["command"]) if not word.startswith("--cuda-gpu-arch=")]
            words[words.index("-o") + 1] = str(objects[-1])
            words += [f"--cuda-gpu-arch={ARCHITECTURE}", *([FORCED_MMQ] if one["file"].endswith("/mmq.cu") else [])]
            subprocess.run(words, cwd=one["directory"], env=variables, check=True, stderr=subprocess.DEVNULL)
    library, home = CHECKED / "libggml-musa.so", variables["MUSA_HOME"]
    # lazy: the library may lack functions that no chosen operator calls
    name = ["-Wl,-soname,libggml-musa.so.0", "-Wl,-z,lazy", "-o", str(library)]
    folders = [f"-L{BUILD}/bin", f"-Wl,-rpath,{BUILD}/bin:{home}/lib"]
    command = [f"{home}/bin/mcc", "-fPIC", "-shared", *map(str, objects), *name, *folders]
    subprocess.run([*command, "-lggml-base", "-lmublas", "-lmusa", "-lmusart"], env=variables, check=True)
    return library, sorted(checked)


def tokens() -> None:
    """Generate with a random model in each type, by the CPU and by the device, and compare."""
    variables, tree = running(), source()
    folders = [f"-I{tree}/include", f"-I{tree}/ggml/include"]
    libraries = [f"-L{BUILD}/bin", f"-Wl,-rpath,{BUILD}/bin", "-lllama", "-lggml", "-lggml-base"]
    for name in ("generate", "quantize"):
        written = [f"{HERE}/{name}.cpp", *folders, "-o", f"{BUILD}/{name}", *libraries]
        subprocess.run(["g++", "-O1", *written], check=True)
    found: dict[str, bool] = {}
    for kind in ("f32", "f16", "q4_0", "q8_0", "q4_K"):
        model = HOME / f"{kind}.gguf"
        if kind == "q4_K":
            subprocess.run([BUILD / "quantize", HOME / "f32.gguf", model], env=variables, check=True)
        else:
            writer = {**os.environ, "PYTHONPATH": f"{tree}/gguf-py"}
            subprocess.run([sys.executable, HERE / "random_llama.py", model, kind], env=writer, check=True)
        said = [
            subprocess.run(
                [BUILD / "generate", model, layers], env=variables, capture_output=True, text=True, check=True
            ).stdout
            for layers in ("0", "99")
        ]
        found[kind] = said[0] == said[1]
    TOKENS.write_text(json.dumps(found, indent=1))
    print(found)


def record() -> None:
    """Keep what was found, and write the page."""
    ran = json.loads(OPERATORS.read_text()) if OPERATORS.is_file() else {}
    tests: list[Tests] = []
    for arch in sorted({key.split()[0] for key in ran}):
        of_arch = [one for key, one in ran.items() if key.split()[0] == arch]
        counts = [sum(one[what] for one in of_arch) for what in ("ok", "fail", "unsupported")]
        with_cases = sum(1 for one in of_arch if one["ok"] or one["fail"] or one["unsupported"])
        tests.append(Tests(f"test-backend-ops, {arch}, {with_cases} operators", *counts))
    if TOKENS.is_file():
        same = json.loads(TOKENS.read_text())
        tests.append(Tests(f"the CPU's tokens: {', '.join(same)}", sum(same.values()), len(same) - sum(same.values())))
    tests += checked_tests()
    own, failed = read_tests(BUILD)
    tests += own
    done, files = compiled(BUILD)
    left = LEFT_FILE.read_text(encoding="utf-8").splitlines() if LEFT_FILE.is_file() else []
    left += [f"its own test {name}" for name in failed]
    ended = {key: one["ended"] for key, one in sorted(ran.items()) if one["ended"] != "status 0"}
    left += [f"{key}: {'stopped for time' if how == 'time' else f'ended with {how}'}" for key, how in ended.items()]
    version = f"ggml 0.25.3 ({NAME} {VERSION})"
    today = datetime.date.today().isoformat()
    keep(Record("llama.cpp", version, today, COMMAND, files, done, tuple(tests), tuple(left)))


def checked_tests() -> list[Tests]:
    """Count the operators that ran with checks: one row with CHECKED_FILES, one with a choice of files."""
    ran = json.loads(FINDINGS.read_text()).values() if FINDINGS.is_file() else []
    # status 127: the library lacked a function
    ran = [one for one in ran if (one["ok"] or one["fail"] or one["findings"]) and one["ended"] != "status 127"]
    tests = []
    for chosen in (False, True):
        of_these = [one for one in ran if bool(one["files"]) == chosen]
        found = [bool(one["findings"]) for one in of_these]
        where = f" in {', '.join(sorted({name for one in of_these for name in one['files']}))}" if chosen else ""
        what = f"{_CHECKS_TITLE}{where}: operators without a finding, {ARCHITECTURE}"
        tests += [Tests(what, found.count(False), found.count(True))] if found else []
    return tests


def record_checks() -> None:
    """Put into the record what the checks found, and the sentences; the rest of the record stays."""
    now, before = checked_tests(), read_records()["llama.cpp"]
    tests = [one for one in before.tests if one.what not in {test.what for test in now}]
    last = max(at for at, one in enumerate(tests) if one.what.startswith(_CHECKS_TITLE))
    sentences = LEFT_FILE.read_text(encoding="utf-8").splitlines()
    left = (*sentences, *(line for line in before.left if _FROM_TESTS.match(line)))
    keep(replace(before, tests=(*tests[: last + 1], *now, *tests[last + 1 :]), left=left))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("build").add_argument("--minutes", type=float, default=10)
    steps.add_parser("operators").add_argument("arch")
    steps.add_parser("checks")
    for step in ("operators", "checks"):
        steps.choices[step].add_argument("--minutes", type=float, default=10)
        steps.choices[step].add_argument("--seconds", type=float, default=600, help="for each operator")
        steps.choices[step].add_argument("--only", nargs="+", default=[], metavar="NAME")
    for step in ("tests", "tokens"):
        steps.add_parser(step)
    steps.choices["checks"].add_argument("--files", default="", help="the files to check, a regular expression")
    steps.choices["checks"].add_argument("--cases", default="", help="of each operator, a regular expression")
    steps.add_parser("record").add_argument("--checks", action="store_true", help="replace what the checks found alone")
    given = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    if given.step == "build":
        build(source(), BUILD, FLAGS, given.minutes)
    elif given.step == "tests":
        own_tests(BUILD, OWN_TESTS, seconds=600)
    elif given.step == "operators":
        operators(given.arch, given.minutes, given.seconds, given.only)
    elif given.step == "checks":
        checks(given.minutes, given.seconds, given.only, given.files, given.cases)
    elif given.step == "tokens":
        tokens()
    elif given.checks:
        record_checks()
    else:
        record()


if __name__ == "__main__":
    main()
