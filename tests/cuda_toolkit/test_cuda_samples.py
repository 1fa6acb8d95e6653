"""The record of NVIDIA's samples: how they are run, what counts as failed, and the page that is written from it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.programs.cuda_samples import SUITE, runs_of, samples
from tests.programs.hecbench import SUITE as HECBENCH
from tests.programs.hecbench import absent_data, once, program_folders, sixteenth, smaller, verdict
from tests.programs.hecbench import run as run_hecbench
from tests.programs.suites import Outcome, Suite, call, first_error


def test_runs_as_test_args_says() -> None:
    arguments = {
        "twice": {"runs": [{"args": ["-a"]}, {"args": ["-b", "2"]}]},
        "once": {"args": ["-c"]},
        "never": {"skip": True},
        "pair": {"min_gpus": 2},
    }
    assert runs_of("twice", arguments) == [["-a"], ["-b", "2"]]
    assert runs_of("once", arguments) == [["-c"]] and runs_of("unknown", arguments) == [[]]
    assert runs_of("never", arguments) is None and runs_of("pair", arguments) is None


def test_the_first_error() -> None:
    assert first_error("[1/2] x.cu\nx.cu:3:1: error: no such name\nx.cu:4: error: other\n") == "error: no such name"
    assert first_error("one\nlast line\n") == "last line" and first_error("") == ""


def test_samples_are_the_folders_that_make_a_program(tmp_path: Path) -> None:
    for folder, text in {
        "0_Introduction": "add_subdirectory(clock)",
        "0_Introduction/clock": "add_executable(clock clock.cu)",
        "8_Platform_Specific/Tegra/x": "add_executable(x x.cu)",
    }.items():
        (tmp_path / "Samples" / folder).mkdir(parents=True)
        (tmp_path / "Samples" / folder / "CMakeLists.txt").write_text(text)
    (found,) = samples(tmp_path, tmp_path / "build")
    assert found.name == "clock" and found.build == tmp_path / "build/Samples/0_Introduction/clock"


def test_a_page() -> None:
    outcomes = {
        "a": Outcome(2, 2, "passed"),
        "b": Outcome(1, 0, "not built", "error: a | b"),
        "c": Outcome(1, 1, "failed"),
    }
    text = SUITE.page(outcomes, {"c": "a reason"})
    assert "3 samples, with 4 files of device code, of which 3 compile" in text and "`a`" in text
    assert "| b | not built | 0 of 1 | error: a \\| b |" in text and "| c | failed | 1 of 1 | a reason |" in text


@pytest.mark.parametrize("suite", [SUITE, HECBENCH], ids=lambda suite: suite.file)
def test_the_page_is_the_records(suite: Suite) -> None:
    outcomes, reasons = suite.outcomes(), suite.reasons()
    assert suite.page_file.read_text(encoding="utf-8") == suite.page(outcomes, reasons)
    assert set(reasons) <= {name for name, one in outcomes.items() if one.result != "passed"}


def test_what_takes_too_long_ends_with_all_that_it_started(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > child; echo begun; wait"
    status, said = call(["sh", "-c", script], tmp_path, {"PATH": "/usr/bin:/bin"}, 1)
    assert status == -1 and said == "begun\n"
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 30
    while is_running(child):  # a signal takes a moment
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        return Path("/proc", str(process), "stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_verdicts_of_hecbench() -> None:
    assert verdict(0, "time 3 us\nPASS\n") == ("passed", "") and verdict(0, "time 3 us\n") == ("ran", "")
    assert verdict(0, "PASS\nFAIL: 3\n") == ("failed", "status 0: FAIL: 3") and verdict(2, "x")[0] == "failed"
    assert verdict(1, "Unable to open a.mtx\n")[0] == "not run"
    assert verdict(0, "> TEST SUCCESSFUL\n")[0] == "passed"
    assert verdict(0, "Two GPUs are required\nWaiving test.\n") == ("waived", "Waiving test.")
    assert verdict(0, "Failed to open a.mtx\n")[0] == "not run"
    warning = (
        "[musa-sim] kernel k, block (0,0,0): 1 of 2 warps had exited\n    It goes on here, and can hang on a card\n"
    )
    assert verdict(0, f"{warning}PASS\n") == ("passed", "")
    assert verdict(0, f"{warning}PASS\n[musa-sim] kernel k: x\n") == ("failed", "status 0: [musa-sim] kernel k: x")
    assert verdict(2, "No rows\nmake: *** [Makefile:5: run] Error 1\n") == ("failed", "status 2: No rows")


def test_data_that_a_program_of_hecbench_lacks(tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("")
    assert absent_data(["./main ./here.txt 0.5 3"], tmp_path) == ""
    assert absent_data(["./main ./here.txt", "./main data/a.txt 3"], tmp_path) == "data/a.txt"
    (tmp_path / "graph.mtx.dvc").write_text("")
    assert absent_data(["./main 3"], tmp_path) == "graph.mtx"
    assert verdict(1, "x", "graph.mtx")[0] == "not run" and verdict(0, "PASS", "graph.mtx")[0] == "passed"


def test_the_last_number_is_the_repetitions() -> None:
    assert once("./main 8192 10000 10 100") == "./main 8192 10000 10 1"
    assert once("./main -f data/3.txt") == "./main -f data/3.txt" and once("./main") == "./main"


def test_smaller_arguments_are_a_sixteenth() -> None:
    assert smaller("./main 8192 63 100 0.125 64 1000") == "./main 512 63 6 0.125 4 1"
    assert sixteenth("./main -s 8192") == "./main -s 512"
    assert smaller("./main -n 1024 data/1024.txt") == "./main -n 64 data/1024.txt"


def test_a_program_gets_smaller_arguments_until_it_ends(tmp_path: Path) -> None:
    environment = {**os.environ, "MAKELEVEL": "1", "MAKEFLAGS": "w"}  # as under `make ci`
    (tmp_path / "Makefile").write_text("run:\n\tsh main.sh 1600 20\n")
    (tmp_path / "main.sh").write_text("echo PASS; test $1 = 100 -a $2 = 1 || sleep 60\n")
    words = "with 1 for its last number and a sixteenth of the others."
    assert run_hecbench(tmp_path, 3, environment, seconds=(1, 1, 5, 1)) == Outcome(3, 3, "passed", words)
    (tmp_path / "main.sh").write_text("echo PASS; test $1 = 100 || sleep 60; test $2 = 20 || exit 1\n")
    words = "with a sixteenth of its numbers."
    assert run_hecbench(tmp_path, 3, environment, seconds=(1, 1, 5, 5)) == Outcome(3, 3, "passed", words)
    (tmp_path / "main.sh").write_text("sleep 60\n")
    why = f"more than 1 s {words[:-1]}"
    assert run_hecbench(tmp_path, 3, environment, seconds=(1, 1, 1, 1)) == Outcome(3, 3, "too slow", why)
    (tmp_path / "main.sh").write_text("test $2 = 20 || exit 1; sleep 60\n")
    failed = run_hecbench(tmp_path, 3, environment, seconds=(1, 1, 1, 1))
    assert (failed.result, failed.why.split(".")[0]) == ("failed", "with 1 for its last number")
    (tmp_path / "main.sh").write_text("echo FAILED to read $PWD/a in $PWD; exit 1\n")
    failed = run_hecbench(tmp_path, 3, environment, seconds=(1, 1, 1, 1))
    assert failed.why == "status 2: FAILED to read a in its own folder"


def test_programs_come_in_the_order_of_their_digests(tmp_path: Path) -> None:
    for name in ("a-cuda", "b-cuda", "c-cuda", "d-hip"):
        (tmp_path / "src" / name).mkdir(parents=True)
        (tmp_path / "src" / name / "Makefile").write_text("python setup.py install" if name == "c-cuda" else "run:\n")
    names = [folder.name for folder in program_folders(tmp_path)]
    assert sorted(names) == ["a-cuda", "b-cuda"] and names == [
        folder.name for folder in program_folders(tmp_path.resolve())
    ]
