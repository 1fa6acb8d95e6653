"""`python -m musa_sim`: one root per content, whole or not there."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import musa_sim
from musa_sim.content_cache import KEPT, prune
from musa_sim.mcc.errors import DriverError
from musa_sim.mcc.sdk import LAST_USED, mark_used
from musa_sim.sdk_root import sdk_root

COMMAND = [sys.executable, "-m", "musa_sim"]
PACKAGE = Path(musa_sim.__file__).resolve().parent


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
    assert modules["musa_toolkits"]["version"] == "5.2.0"
    assert "musa_sim" in modules


def test_asking_again_gives_the_same_root(sim_sdk_root: Path) -> None:
    run = subprocess.run([*COMMAND, "root"], capture_output=True, text=True, check=True)
    assert (run.stdout.strip(), run.stderr) == (str(sim_sdk_root), "")


def test_the_libraries_alone_need_no_clang(sim_sdk_root: Path, tmp_path: Path) -> None:
    """CI compiles them before there is one, by a Python without packages; the root has copies of these."""
    folder = Path(musa_sim.__file__).resolve().parents[1]
    environment = {**os.environ, "PYTHONPATH": str(folder), "MUSA_SIM_CLANG": str(tmp_path / "none")}
    command = [sys.executable, "-S", "-m", "musa_sim"]
    run = subprocess.run([*command, "libraries"], env=environment, capture_output=True, text=True, check=True)
    made = Path(run.stdout.strip())
    assert run.stderr == "" and made.name.startswith("libraries-"), "the root of this content has compiled them"
    assert (made / "lib/libmusart.so").read_bytes() == (sim_sdk_root / "lib/libmusart.so").read_bytes()
    refused = subprocess.run([*command, "root"], env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "is not a clang" in refused.stderr


@pytest.fixture(scope="module")
def as_wheel(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of musa_sim that brings the compiled libraries, as a released wheel does."""
    folder = tmp_path_factory.mktemp("wheel")
    package = folder / "musa_sim"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "musa_sim", "libraries"]
    made = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    shutil.copytree(made, package / "compiled", ignore=lambda at, names: [n for n in names if Path(at, n).is_symlink()])
    return folder


def test_a_wheel_with_the_libraries_compiles_none(as_wheel: Path, sim_sdk_root: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(as_wheel), "MUSA_SIM_CACHE": str(tmp_path)}
    run = subprocess.run([*COMMAND, "root"], capture_output=True, text=True, check=True, env=environment)
    root = Path(run.stdout.strip())
    assert run.stderr == "" and [path.name for path in tmp_path.glob("libraries-*")] == []

    def files(root: Path) -> dict[str, object]:
        found = {path.name: path for folder in ("lib", "bin") for path in (root / folder).iterdir()}
        return {name: path.readlink() if path.is_symlink() else path.stat().st_mode for name, path in found.items()}

    assert files(root) == files(sim_sdk_root)
    subprocess.run([str(root / "bin" / "musaInfo")], capture_output=True, check=True)


def test_libraries_of_other_sources_are_not_taken(as_wheel: Path, tmp_path: Path) -> None:
    """An installation whose files somebody changed compiles its own."""
    changed = tmp_path / "changed"
    shutil.copytree(as_wheel, changed)
    with (changed / "musa_sim/runtime/base/device_abi.h").open("a") as header:
        header.write("\n#error changed\n")
    environment = {**os.environ, "PYTHONPATH": str(changed), "MUSA_SIM_CACHE": str(tmp_path / "cache")}
    run = subprocess.run([*COMMAND, "root"], capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 1 and "[0/" in run.stderr and "#error changed" in run.stderr


def test_headers_named_with_dash_i_cause_no_warnings(sim_sdk_root: Path, tmp_path: Path) -> None:
    """Extensions are compiled so: the folder is then not a system one, and our warnings should not appear."""
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
    """Return a PATH on which g++ is `script`. Its path is part of the root's digest."""
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


def test_a_cache_that_cannot_be_written_is_a_block(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    process = start("root", MUSA_SIM_CACHE=str(tmp_path / "file"))
    _, stderr = process.communicate()
    assert process.returncode == 1
    assert [line.split(":")[0].strip() for line in stderr.splitlines()] == ["error", "found", "hint"]
    assert "MUSA_SIM_CACHE" in stderr


def test_other_processors_are_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(DriverError, match=r"^the simulator runs on x86-64 Linux only; found: aarch64 Linux$"):
        sdk_root()


def test_every_name_of_an_interpreter_gives_one_root(sim_sdk_root: Path, tmp_path: Path) -> None:
    """`python`, `python3` and `python3.x` of an environment are links to one program, often through others."""
    environment = tmp_path / "environment" / "bin"
    environment.mkdir(parents=True)
    package = str(Path(musa_sim.__file__).parents[1])  # an editable install is on no path
    for name in ("python", "python3", "any name"):
        (environment / name).symlink_to(sys.executable)
    (environment.parent / "pyvenv.cfg").write_text(f"home = {Path(os.path.realpath(sys.executable)).parent}\n")
    for name in ("python", "python3", "any name"):
        run = subprocess.run(
            [environment / name, "-m", "musa_sim", "root"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, package])},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == str(sim_sdk_root)


def aged(path: Path, days: float) -> Path:
    os.utime(path, (time.time() - days * 86400,) * 2)
    return path


def cached(folder: Path, name: str, days: float) -> Path:
    """A folder of the cache that was last used some days ago."""
    made = folder / name
    (made / LAST_USED).parent.mkdir(parents=True)
    (made / LAST_USED).touch()
    aged(made / LAST_USED, days)
    return aged(made, 1000)


def test_folders_are_removed_by_last_use(tmp_path: Path) -> None:
    folders = [cached(tmp_path, f"musa-{days}", days) for days in (50, 0, 40, 1, 30)]
    busy = folders[2]
    with Path(f"{busy}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as the process that makes it
        prune(folders, kept=3, days=0)
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"musa-0", "musa-1", "musa-30", "musa-40"}
    prune(tmp_path.glob("musa-*"), kept=1, days=14)
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"musa-0", "musa-1"}


@pytest.mark.compiles
def test_a_new_root_ends_old_ones_but_not_those_in_use(
    sim_sdk_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root is in use when its path is printed, when its mcc compiles, and when a program loads its libmusart."""
    used = {name: cached(tmp_path, f"musa-{name}", 100) for name in ("asked", "mcc", "program")}
    for days in range(100, 100 + KEPT):
        cached(tmp_path, f"musa-other-{days}", days)
    for name in ("mcc", "program"):
        shutil.rmtree(used[name])
        # without the precompiled headers, which other processes write and remove
        shutil.copytree(sim_sdk_root, used[name], symlinks=True, ignore=shutil.ignore_patterns("precompiled"))
        aged(used[name] / LAST_USED, 100)
    main = used["mcc"] / "share/musa_sim/mcc_main.py"
    subprocess.run([sys.executable, "-IS", main, "--version"], check=True, capture_output=True)
    load = f"import ctypes; ctypes.CDLL({str(used['program'] / 'lib/libmusart.so')!r})"
    subprocess.run([sys.executable, "-c", load], check=True)
    mark_used(used["asked"] / LAST_USED)

    monkeypatch.setenv("MUSA_SIM_CACHE", str(tmp_path))
    monkeypatch.setattr("musa_sim.sdk_root.sdk_libraries", lambda *_: sim_sdk_root)
    new = sdk_root()
    left = {path.name for path in tmp_path.glob("musa-*") if path.is_dir()} - {new.name}
    assert left >= {f"musa-{name}" for name in used} and len(left) == KEPT
    assert "musa-other-111" not in left
