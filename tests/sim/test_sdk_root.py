"""`python -m musa_sim`: one root per content, whole or not there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from musa_sim.mcc.errors import DriverError
from musa_sim.sdk_root import sdk_root

COMMAND = [sys.executable, "-m", "musa_sim"]


def start(*args: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *args],
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_the_tree_is_the_one_of_a_musa_sdk(sim_sdk_root: Path) -> None:
    for name in (
        "bin/mcc",
        "bin/clang++",
        "bin/musa_version_query",
        "cmake/FindMUSA.cmake",
        "include/musa_runtime.h",
        "lib/libmusart.so",
        "version.json",
    ):
        assert (sim_sdk_root / name).exists(), name
    assert (sim_sdk_root / "lib/libmusart.so").resolve().name.startswith("libmusart.so.5")
    modules = json.loads((sim_sdk_root / "version.json").read_text())
    assert modules["musa_toolkits"]["version"] == "5.1.0"
    assert "musa_sim" in modules


def test_asking_again_gives_the_same_root(sim_sdk_root: Path) -> None:
    run = subprocess.run([*COMMAND, "root"], capture_output=True, text=True, check=True)
    assert (run.stdout.strip(), run.stderr) == (str(sim_sdk_root), "")


def test_headers_named_with_dash_i_cause_no_warnings(sim_sdk_root: Path, tmp_path: Path) -> None:
    """Extensions are compiled so: the folder is then not a system one, and nobody should see our warnings."""
    source = tmp_path / "empty.mu"
    source.write_text("__global__ void nothing() {}\n")
    command = [str(sim_sdk_root / "bin" / "mcc"), f"-I{sim_sdk_root / 'include'}", "-Wall", "--offload-arch=mp_22"]
    done = subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_env_selects_the_sdk_in_a_shell(sim_sdk_root: Path) -> None:
    script = f'eval "$({sys.executable} -m musa_sim env)" && echo "$MUSA_HOME" && command -v mcc'
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(sim_sdk_root), str(sim_sdk_root / "bin/mcc")]


STUCK_GXX = """#!/bin/sh
case " $* " in *" -c "*) exec sleep 600 ;; *) exec {gxx} "$@" ;; esac
"""
HANDING_GXX = """#!/bin/sh
# Compiles nothing: what it links are the libraries that were compiled for the SDK of all tests.
for word; do
    case $previous in -o) output=$word ;; esac
    previous=$word
done
case " $* " in
    *" -c "*) : > "$output" ;;
    *" -shared "*) sleep 0.2; cp "{lib}/$(basename "$output")" "$output" ;;
    *) exec {gxx} "$@" ;;
esac
"""


def with_gxx(folder: Path, script: str) -> str:
    """A PATH on which g++ is `script`. Its place is part of what names the root."""
    folder.mkdir(exist_ok=True)
    (folder / "g++").write_text(script)
    (folder / "g++").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.compiles
def test_a_killed_layout_leaves_nothing_half_done_and_two_at_once_share_one(sim_sdk_root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "a cache"
    stuck = with_gxx(tmp_path / "bin", STUCK_GXX.format(gxx=shutil.which("g++")))
    killed = start("root", MUSA_SIM_CACHE=str(cache), PATH=stuck, TMPDIR=str(tmp_path))
    deadline = time.monotonic() + 60
    while not list(cache.glob("libraries-*.partial-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert len(list(cache.glob("*.partial-*"))) == 2, "killed in the middle, of the root and of its libraries"

    handing = with_gxx(tmp_path / "bin", HANDING_GXX.format(gxx=shutil.which("g++"), lib=sim_sdk_root / "lib"))
    both = [start("root", MUSA_SIM_CACHE=str(cache), PATH=handing, CCACHE_DISABLE="1") for _ in range(2)]
    outputs = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    roots = {stdout.strip() for stdout, _ in outputs}
    assert len(roots) == 1
    assert sum("compiling" in stderr for _, stderr in outputs) == 1
    assert not list(cache.glob("*.partial-*"))
    version = subprocess.run([Path(roots.pop()) / "bin/mcc", "--version"], capture_output=True, text=True, check=True)
    assert "mcc version" in version.stdout


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    process = start("root", MUSA_SIM_CACHE=str(tmp_path / "file"))
    _, stderr = process.communicate()
    assert process.returncode == 1
    assert len(stderr.splitlines()) == 1
    assert "MUSA_SIM_CACHE" in stderr


def test_other_processors_are_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(DriverError, match=r"^the simulator runs on x86-64 Linux only; this is aarch64 Linux$"):
        sdk_root()
