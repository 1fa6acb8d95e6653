"""`musa-build sim run --report`: what programs and people read of a run's findings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from error_blocks import only_error

from musa_build import sim_report
from musa_build.sim_report.log import SourceLocation
from musa_build.sim_report.report import as_html, excerpts

PROGRAMS = Path(__file__).with_name("programs")
KERNEL = (PROGRAMS / "two_defects.mu").read_text(encoding="utf-8")


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "musa_build", "sim", "run", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sim_sdk_root: Path) -> Path:
    """A folder with a space in its name, and a program with two defects."""
    folder = tmp_path_factory.mktemp("odd name")
    (folder / "the kernel.mu").write_text(KERNEL, encoding="utf-8")
    library = sim_sdk_root / "lib"
    command = [str(sim_sdk_root / "bin" / "mcc"), "--sim-check=all", "the kernel.mu", "-o", "program"]
    subprocess.run([*command, f"-L{library}", "-lmusart", f"-Wl,-rpath,{library}"], check=True, cwd=folder)
    return folder


@pytest.mark.compiles
def test_a_run_with_findings(folder: Path) -> None:
    done = run("--check=memory,race", "--seed=0", "--report=found.json", "--", "./program", cwd=folder)
    assert done.returncode == 86, done.stderr
    assert "The checks found 2 defects: 1 race, 1 memory. Report: found.json" in done.stderr
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    assert {name: found[name] for name in ("command", "checks", "seed", "status")} == {
        "command": ["./program"],
        "checks": "memory,race",
        "seed": 0,
        "status": 86,
    }
    race, memory = found["findings"]
    assert (race["kind"], race["times"], race["programs"]) == ("race", 31, ["program"])
    assert {(location["path"], location["line"]) for location in race["places"]} == {
        ("the kernel.mu", 4),
        ("the kernel.mu", 5),
    }
    assert memory["headline"].startswith("read of 4 bytes, out of bounds, at the kernel.mu:7:")
    assert "kernel count(int const*, int*), block (0,0,0), thread (31,0,0)" in memory["details"]


@pytest.mark.compiles
def test_the_page_shows_the_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--check=memory,race", "--report=found.html", "--", "./program", cwd=folder).returncode == 86
    page = (folder / "found.html").read_text(encoding="utf-8")
    assert "atomicAdd(&amp;bins[in[threadIdx.x]], 1);" in page and "the kernel.mu:4, 5" in page
    monkeypatch.chdir(folder)
    (shared,) = excerpts([SourceLocation("the kernel.mu", 4, 1), SourceLocation("the kernel.mu", 5, 1)])
    assert shared.named == (4, 5) and [number for number, _ in shared.lines] == list(range(1, 10))
    (absent,) = excerpts([SourceLocation("gone.mu", 4, 1)])
    assert absent.lines == ()


def test_a_run_without_checks_does_not_say_that_they_found_nothing(tmp_path: Path) -> None:
    done = run("--check=none", "--report=none.html", "--", sys.executable, "-c", "", cwd=tmp_path)
    assert done.returncode == 0 and "No check was on. Report: none.html" in done.stderr
    page = (tmp_path / "none.html").read_text(encoding="utf-8")
    assert "No check was on." in page and "found nothing" not in page


def test_a_program_without_findings(tmp_path: Path) -> None:
    done = run("--report=none.html", "--", sys.executable, "-c", "import sys; sys.exit(3)", cwd=tmp_path)
    assert done.returncode == 3
    page = (tmp_path / "none.html").read_text(encoding="utf-8")
    assert "The checks found nothing." in page and "other inputs may show defects" in page
    assert 'id="filter"' not in page and "<script>" not in page and "choose more states" not in page


@pytest.mark.parametrize(
    ("report", "status", "message"),
    [
        ("found.txt", 2, "'found.txt' ends in none of .html, .json"),
        ("no/such/found.json", 1, "cannot write no/such/found.json [MB204]\n  found:  there is no folder"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_first(
    report: str, status: int, message: str, tmp_path: Path
) -> None:
    done = run(f"--report={report}", "--", sys.executable, "-c", "open('ran', 'w')", cwd=tmp_path)
    assert done.returncode == status and message in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "ran").exists()


def test_a_program_that_does_not_exist(tmp_path: Path) -> None:
    done = run("--report=found.json", "--", "no-such-program-anywhere", cwd=tmp_path)
    assert done.returncode == 1
    error = only_error(done.stderr)
    assert error.startswith("error: cannot run no-such-program-anywhere; found: No such file or directory")


def test_interrupted_and_ended_programs_have_a_report(tmp_path: Path) -> None:
    waits = "import os, time; open('ready', 'w'); time.sleep(600)"
    command = [
        sys.executable,
        "-m",
        "musa_build",
        "sim",
        "run",
        "--report=found.json",
        "--",
        sys.executable,
        "-c",
        waits,
    ]
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stderr=subprocess.DEVNULL) as parent:
        while not (tmp_path / "ready").exists():
            time.sleep(0.02)
        os.kill(parent.pid, signal.SIGTERM)
        assert parent.wait() == 128 + signal.SIGTERM
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["status"] == 128 + signal.SIGTERM


def entry(**content: object) -> str:
    return json.dumps({"program": "p", "process": 1, **content})


def test_processes_that_find_the_same_are_one_finding() -> None:
    reported = {
        "headline": "race: a write at a.mu:3:5 and a read at b.mu:9, with no barrier",
        "details": "    kernel k\n",
    }
    count = {"kind": "race", "place": "a.mu:3:5 and b.mu:9", "times": 4}
    cut = '{"program": "p", "pro'
    (finding,) = sim_report.read_log(
        "\n".join([entry(**reported), entry(**count), entry(**reported, process=2), entry(**count, process=2), cut, ""])
    )
    assert finding.times == 8 and finding.details == ("kernel k",)
    assert finding.places == (SourceLocation("a.mu", 3, 5), SourceLocation("b.mu", 9, 0))
    (crashed,) = sim_report.read_log(entry(**reported))
    assert crashed.times == 1


def test_sources_and_messages_are_text_and_no_markup(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    source = tmp_path / "evil.mu"
    source.write_text(evil, encoding="utf-8")
    found = sim_report.read_log(entry(headline=f"race: {evil} at {source}:1:1", details=evil))
    page = as_html(sim_report.Run((evil,), "race", None, 86, found))
    assert evil not in page and "&lt;/script&gt;" in page
