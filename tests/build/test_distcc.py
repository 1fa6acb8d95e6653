"""The recipe of docs/building.md for distcc, with two daemons on this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from demo_project import Project, check_kernel

pytestmark = pytest.mark.skipif(
    shutil.which("distcc") is None or shutil.which("distccd") is None, reason="there is no distcc here"
)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


#: distccd gives root's rights up, and then cannot read an SDK in root's home: to itself it is to be another user
AS_ROOT = ("unshare", "--user", "--map-user=1000") if os.geteuid() == 0 else ()


@pytest.fixture
def daemons(tmp_path: Path, sim_sdk_root: Path) -> Iterator[dict[int, Path]]:
    """Two distccd that have mcc on their PATH, port -> log."""
    if AS_ROOT and subprocess.run([*AS_ROOT, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no user namespaces")
    logs = {free_port(): tmp_path / "one.log", free_port(): tmp_path / "two.log"}
    # A daemon runs only the compilers on its own list, unless an option makes it trust its clients.
    trust = ("--allow", "127.0.0.1", "--enable-tcp-insecure")
    options = ("--daemon", "--no-detach", "--log-stderr", "--jobs", "1", *trust)
    env = {**os.environ, "PATH": f"{sim_sdk_root}/bin:{os.environ['PATH']}"}
    running = [
        subprocess.Popen([*AS_ROOT, "distccd", *options, "--port", str(port)], stderr=log.open("w"), env=env)
        for port, log in logs.items()
    ]
    try:
        limit = time.monotonic() + 30
        while not all(answers(port) for port in logs):
            for daemon, log in zip(running, logs.values()):
                if daemon.poll() is not None:
                    pytest.fail(f"distccd does not run: {log.read_text()}")
            assert time.monotonic() < limit, "distccd does not answer"
            time.sleep(0.05)
        yield logs
    finally:
        for daemon in running:
            daemon.terminate()
            daemon.wait()


def test_two_daemons_share_the_files(project: Project, daemons: dict[int, Path]) -> None:
    more = [f"csrc/part{number}.{suffix}" for number in range(3) for suffix in ("cpp", "mu")]
    for source in more:
        project.write(source, f"int {Path(source).stem}_{Path(source).suffix[1:]}() {{ return {len(source)}; }}\n")
    sources = ["csrc/bindings.cpp", "csrc/kernel.mu", *more]
    project.configure(extensions=f'MUSAExtension("demo", {sources}, include_dirs=["include"])')
    hosts = " ".join(f"127.0.0.1:{port}/1,lzo" for port in daemons)
    state = project.root / "distcc"
    state.mkdir()
    settings = {"DISTCC_HOSTS": hosts, "DISTCC_FALLBACK": "0", "DISTCC_DIR": str(state)}
    outcome = project.built(MUSA_BUILD_LAUNCHER="distcc", **settings)
    assert len(outcome.compiled) == 8
    check_kernel(project.load(), sizes=(64,))
    done = [log.read_text().count("COMPILE_OK") for log in daemons.values()]
    assert sum(done) == 8 and min(done) > 0, "each file once, on both"
    assert (
        sum(
            " mcc " in line and "COMPILE_OK" in line
            for log in daemons.values()
            for line in log.read_text().splitlines()
        )
        == 4
    )
