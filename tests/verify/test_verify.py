"""`musa-build verify` with the simulator, with SDKs that are otherwise, and with probes that crash or hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from altered_sdk import ALTERATIONS, altered, wrapped
from verify_runs import Verify

from musa_build.verify.assumptions import all_assumptions

#: rows that the simulator does not confirm
NOT_DECIDED = {
    "barriers-by-number",
    "card-memory",  # its host's
    "emulated-cuda-version",
    "extension-default-arch",
    "mask-of-128-lanes",  # its warps have 32
    "mupti",
    "peer-and-pools",  # it has one device
    "porting-headers",  # it has some of the SDK's libraries
    "smid-and-clock",
}
REFUTED = {
    "shared-window",  # its static and dynamic shared memory are apart
    "torch-warp-size",  # its torch_musa tells the width of device code
}


@pytest.mark.compiles
def test_a_few_rows(verify: Verify) -> None:
    run = verify("--only", "graph-numbers", "--only", "find-musa", "--only", "emulated-*")
    assert run.status == 0, run.output
    assert run.states == {
        "graph-numbers": "confirmed",
        "find-musa": "confirmed",
        "emulated-cuda-version": "not decided",
    }
    assert run.report["summary"] == {"confirmed": 2, "refuted": 0, "not decided": 1}
    assert run.report["machine"]["card"] == "MUSA simulator (mp_22)" and run.report["complete"]
    assert "[1/3] " in run.output and "[3/3] " in run.output and "verify.html" in run.output
    assert str(Path.home()) not in (run.folder / "verify.json").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.compiles
def test_what_is_otherwise_is_refuted_and_what_crashes_or_hangs_is_not(
    verify: Verify, sim_sdk_root: Path, tmp_path: Path
) -> None:
    edits = [
        *(ALTERATIONS[name] for name in ("graph-numbers", "find-musa", "libcuxx-parts")),
        wrapped('*" -dlink "*', "sleep 1000"),
        wrapped('*" -fgpu-rdc "*', "kill -SEGV $PPID"),
        wrapped('*" -MD "*', "kill -SEGV $$"),
    ]
    sdk = altered(sim_sdk_root, tmp_path / "sdk", edits)
    rows = ("graph-numbers", "find-musa", "libcuxx-parts", "dlink", "gpu-rdc", "dependency-files")
    run = verify(*(word for row in rows for word in ("--only", row)), "--limit", "4", sdk=sdk)
    assert run.status == 1, run.output
    assert {row for row, state in run.states.items() if state == "refuted"} == {*rows[:3]}
    assert run.seen["graph-numbers"] == "auto_free is 2, expected 1"
    assert "did not end" in run.seen["dlink"] and "no answer within 4 s" in run.seen["dlink"]
    assert "without an answer (status -11)" in run.seen["gpu-rdc"]
    assert "crashed (SIGSEGV)" in run.seen["dependency-files"]
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(sdk) not in left, "something is left running"


@pytest.mark.slow
@pytest.mark.compiles
def test_where_nothing_compiles_nothing_is_said(verify: Verify, sim_sdk_root: Path, tmp_path: Path) -> None:
    sdk = altered(sim_sdk_root, tmp_path / "sdk", [wrapped("*", "echo 'error: no licence' >&2; exit 1")])
    rows = ("ccbin", "throw-in-constexpr", "mcc-links")
    run = verify(*(word for row in rows for word in ("--only", row)), sdk=sdk)
    assert run.states == dict.fromkeys(rows, "not decided") and run.status == 0
    assert all("no licence" in run.seen[row] for row in rows), run.seen


@pytest.mark.compiles
def test_interrupted(sim_sdk_root: Path, tmp_path: Path) -> None:
    """Ctrl-C writes the report of what there is, and ends what runs."""
    sdk = altered(sim_sdk_root, tmp_path / "sdk", [wrapped('*" -dlink "*', "sleep 1000")])
    command = [
        sys.executable,
        "-m",
        "musa_build",
        "verify",
        "--only",
        "dlink",
        "--only",
        "find-musa",
        "--out",
        "report",
    ]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "MUSA_HOME": str(sdk), "MUSA_BUILD_SIMULATOR": "0", "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    assert any("find-musa" in line for line in lines)
    for _ in range(600):  # until the probe that never ends has begun
        running = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if any(str(sdk) in line and " -dlink" in line for line in running.splitlines()):
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(120) == 130, rest
    assert "1 confirmed, 0 refuted, 1 not decided" in rest and (tmp_path / "report" / "verify.json").is_file()
    for _ in range(120):
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if str(sdk) not in left:
            assert not any(temporary.iterdir())
            return
        time.sleep(0.5)
    pytest.fail(f"something is left running: {[line for line in left.splitlines() if str(sdk) in line]}")


def test_it_cannot_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "musa_build", "verify", "--out", str(tmp_path / "report")]
    environment = {**os.environ, "MUSA_HOME": str(tmp_path), "MUSA_BUILD_SIMULATOR": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2 and "does not point to a MUSA SDK" in done.stderr
    done = subprocess.run(
        [*command, "--only", "nonsense"], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 2 and "no row is called nonsense" in done.stderr


@pytest.mark.slow
@pytest.mark.compiles
def test_every_probe_says_of_the_simulator_what_the_simulator_claims(verify: Verify) -> None:
    run = verify("--only", "assumption", "--only", "porting")
    wanted = {row.id: "confirmed" for row in all_assumptions() if row.group in ("assumption", "porting")}
    wanted.update(dict.fromkeys(NOT_DECIDED, "not decided"), **dict.fromkeys(REFUTED, "refuted"))
    assert run.states["fp-contract"] != "not decided"  # the verdict depends on the CPU that kernels are compiled for
    wanted["fp-contract"] = run.states["fp-contract"]
    assert run.states == wanted, {row: run.seen[row] for row, state in run.states.items() if state != wanted[row]}
    assert run.status == 1


@pytest.mark.slow
@pytest.mark.compiles
def test_an_sdk_that_is_otherwise_in_many_rows(verify: Verify, sim_sdk_root: Path, tmp_path: Path) -> None:
    sdk = altered(sim_sdk_root, tmp_path / "sdk", ALTERATIONS.values())
    assert len(ALTERATIONS) >= 10
    beside = ("abort-in-kernel", "cub-types", "capture-misuse", "dlink")
    run = verify(*(word for row in (*ALTERATIONS, *beside) for word in ("--only", row)), sdk=sdk)
    assert {row for row, state in run.states.items() if state == "refuted"} == set(ALTERATIONS), run.seen
    assert {run.states[row] for row in beside} == {"confirmed"}


@pytest.mark.slow
@pytest.mark.compiles
def test_the_suite_and_the_example(verify: Verify) -> None:
    run = verify("--only", "suite-managed", "--only", "suite-fp8", "--only", "example-freqencoder")
    assert run.states == {"suite-managed": "confirmed", "suite-fp8": "confirmed", "example-freqencoder": "confirmed"}
    assert "max error" in run.seen["example-freqencoder"]
