"""`musa-build sim`: the environment it gives, what it refuses, and the simulator's own answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from error_blocks import last_error

SHOW = "import json, os; print(json.dumps({k: v for k, v in os.environ.items() if k.startswith('MUSA_') "
SHOW += "and k not in ('MUSA_SIM_CACHE', 'MUSA_SIM_CLANG')}))"


def sim(*words: str) -> subprocess.CompletedProcess[str]:
    kept = ("MUSA_SIM_CACHE", "MUSA_SIM_CLANG")  # which SDK it is
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_") or name in kept}
    command = [sys.executable, "-m", "musa_build", "sim", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=clean)


def test_run_sets_the_environment_and_nothing_else() -> None:
    plain = sim("run", "--", sys.executable, "-c", SHOW)
    assert json.loads(plain.stdout) == {"MUSA_BUILD_SIMULATOR": "1"}
    full = sim("run", "--check=memory, race", "--seed", "7", "--", sys.executable, "-c", SHOW)
    assert json.loads(full.stdout) == {
        "MUSA_BUILD_SIMULATOR": "1",
        "MUSA_SIM_CHECK": "memory,race",
        "MUSA_SIM_SEED": "7",
    }


def test_the_programs_status_and_arguments_are_its_own() -> None:
    program = "import sys; print(sys.argv[1:]); sys.exit(3)"
    done = sim("run", "--seed=1", "--", sys.executable, "-c", program, "--check=other", "-h")
    assert (done.returncode, done.stdout) == (3, "['--check=other', '-h']\n")


def test_mistakes_are_one_sentence() -> None:
    unknown = sim("run", "--check=rase", "--", "true")
    assert unknown.returncode == 2
    assert "'rase' is not a check; choose from memory, race, init, sync, leaks, host, all and none" in unknown.stderr
    missing = sim("run", "--", "no-such-program-anywhere")
    assert missing.returncode == 1
    assert last_error(missing.stderr).startswith(
        "error: cannot run no-such-program-anywhere; found: No such file or directory"
    )
    assert "Traceback" not in missing.stderr


def test_help_has_examples() -> None:
    text = sim("run", "--help").stdout
    assert "musa-build sim run --check=memory,race -- pytest tests" in text
    assert "race    threads that touch" in text


def test_root_is_the_simulators(sim_sdk_root: Path) -> None:
    assert sim("root").stdout.strip() == str(sim_sdk_root)
    assert f"export MUSA_HOME={sim_sdk_root}" in sim("env").stdout
