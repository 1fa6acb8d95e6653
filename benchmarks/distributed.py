"""Measure how much work distcc takes off a machine that compiles MUSA or CUDA sources, with two daemons on this one.

    python benchmarks/distributed.py [--jobs 2] [--compiler nvcc] FILE... [-- FLAG...]

Compiles the files with mcc or the CUDA toolkit's nvcc (`musa-build cuda-env`), as in a build: on this machine, with
two helpers, with a helper that is killed in the middle, and with one that has another release of the simulated SDK.
Each row has the CPU time of the client (the compiler and distcc), that of the helpers, and the wall time; then how
many objects are those of the first row, and how many files the helpers and the client compiled. All share this
machine's processors. So the wall time shows what distribution costs; what it gives with more machines is the client's
share.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import musa_sim.sdk_root

#: distccd gives root's rights up, and then cannot read an SDK in root's home: to itself it is to be another user
AS_ROOT = ("unshare", "--user", "--map-user=1000") if os.geteuid() == 0 else ()
COLUMNS = ("", "client CPU s", "helpers CPU s", "wall s", "equal objects", "by helpers", "by the client")


class Helper(NamedTuple):
    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def compiled(self) -> int:
        return self.log.read_text().count("COMPILE_OK")


@dataclass(frozen=True)
class Build:
    """Files that one compiler compiles with the same flags."""

    compiler: str
    files: Sequence[Path]
    flags: Sequence[str]
    jobs: int
    folder: Path

    def run(self, name: str, variables: Mapping[str, str], helpers: Sequence[Helper], kill_after: int = 0) -> None:
        """Compile all files and print a row. Kill the first helper once it compiled some."""
        made = self.folder / name.replace(" ", "-")
        made.mkdir()
        env = {**os.environ, "MUSA_SIM_DISTCC": "", **variables}
        before, began = _cpu(), time.monotonic()
        said = []

        def compile_one(number: int) -> None:
            if kill_after and helpers[0].compiled() >= kill_after:
                with suppress(ProcessLookupError):
                    os.killpg(helpers[0].process.pid, signal.SIGKILL)
            command = [self.compiler, *self.flags, "-c", str(self.files[number]), "-o", str(made / f"{number}.o")]
            said.append(subprocess.run(command, env=env, capture_output=True, text=True, check=False).stderr)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as executor:
            list(executor.map(compile_one, range(len(self.files))))
        wall, client = time.monotonic() - began, _cpu() - before
        compiled = sum(helper.compiled() for helper in helpers)
        for helper in helpers:
            _stop(helper)
        outputs = [made / f"{number}.o" for number in range(len(self.files))]
        objects = [path.read_bytes() if path.exists() else None for path in outputs]
        here = sum("; done here" in text for text in said)
        reference = [self.folder / "local" / path.name for path in outputs]
        equal = sum(path.exists() and path.read_bytes() == object_ for path, object_ in zip(reference, objects))
        helped = _cpu() - before - client
        wanted = sum(path.exists() for path in reference)
        row = (name, f"{client:.1f}", f"{helped:.1f}", f"{wall:.1f}", f"{equal} of {wanted}", compiled, here)
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _stop(helper: Helper) -> None:
    with suppress(ProcessLookupError):
        os.killpg(helper.process.pid, signal.SIGTERM)
    helper.process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _helper(folder: Path, root: Path) -> Helper:
    port = _free_port()
    log = folder / f"{port}.log"
    options = (
        "--daemon",
        "--no-detach",
        "--log-stderr",
        "--jobs",
        "1",
        "--allow",
        "127.0.0.1",
        "--enable-tcp-insecure",
    )
    command = [*AS_ROOT, "distccd", *options, "--listen", "127.0.0.1", "--port", str(port)]
    env = {**os.environ, "PATH": f"{root}/bin:{os.environ['PATH']}"}
    helper = Helper(subprocess.Popen(command, stderr=log.open("w"), env=env, start_new_session=True), port, log)
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return helper
        if helper.process.poll() is not None:
            sys.exit(f"distccd does not run:\n{log.read_text()}")
        time.sleep(0.05)


def _variables(folder: Path, helpers: Sequence[Helper]) -> dict[str, str]:
    state = Path(tempfile.mkdtemp(dir=folder))
    hosts = " ".join(f"127.0.0.1:{helper.port}/1,lzo" for helper in helpers)
    return {"MUSA_SIM_DISTCC": "distcc", "DISTCC_HOSTS": hosts, "DISTCC_DIR": str(state)}


def _other_release(root: Path, folder: Path) -> Path:
    """Return a copy of an SDK root whose mcc is another one."""
    copy = folder / "other-sdk"
    shutil.copytree(root / "bin", copy / "bin")
    shutil.copytree(root / "share", copy / "share", symlinks=True)
    for name in ("include", "lib"):
        (copy / name).symlink_to(root / name)
    launcher = copy / "bin/mcc"
    launcher.write_text(launcher.read_text().replace(str(root), str(copy)))
    module = next((copy / "share").rglob("mcc/__init__.py"))
    module.write_text(module.read_text() + "# another release\n")
    return copy


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="distributed-") as folder:
        yield Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compiler", default="", help="default: the simulated SDK's mcc")
    own, flags = _split(sys.argv[1:])
    given = parser.parse_args(own)
    if not shutil.which("distcc") or not shutil.which("distccd"):
        sys.exit("there is no distcc: apt install distcc")
    root = musa_sim.sdk_root.sdk_root()
    with _scratch() as folder:
        build = Build(given.compiler or str(root / "bin/mcc"), given.files, flags, given.jobs, folder)
        print(f"{len(given.files)} files, {given.jobs} jobs\n")
        print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
        build.run("local", {}, [])
        for name, roots, kill in (
            ("two helpers", (root, root), 0),
            ("one is killed", (root, root), len(given.files) // 6),
            ("one has another SDK", (_other_release(root, folder), root), 0),
        ):
            helpers = [_helper(folder, each) for each in roots]
            build.run(name, _variables(folder, helpers), helpers, kill)


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


if __name__ == "__main__":
    main()
