"""Outputs that are not regular files: devices and pipes are written to, links keep pointing where they point."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from musa_build.system.files import replace_atomically, write_if_changed
from musa_sim.mcc.commands import write_output
from musa_tools.files import whole_file

Write = Callable[[Path, bytes], object]


def _by_whole_file(path: Path, content: bytes) -> None:
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


WRITERS: dict[str, Write] = {
    "musa_build": replace_atomically,
    "musa_build, if changed": write_if_changed,
    "mcc": lambda path, content: write_output(str(path), content),
    "musa_tools": _by_whole_file,
}


class _Pipe:
    """A named pipe that a thread reads to its end."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._read = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        self._read = self.path.read_bytes()

    def content(self) -> bytes:
        self._thread.join(60)
        assert stat.S_ISFIFO(self.path.lstat().st_mode), "the pipe was replaced"
        return self._read


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_a_pipe_gets_the_content(tmp_path: Path, write: Write) -> None:
    pipe = _Pipe(tmp_path / "pipe")
    write(pipe.path, b"content")
    assert pipe.content() == b"content"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("target", ["regular", "missing", "chain"])
@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_a_link_stays_and_its_target_gets_the_content(tmp_path: Path, write: Write, target: str) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file = folder / "file"
    if target == "regular":
        file.write_bytes(b"old and longer")
    link = tmp_path / "link"
    link.symlink_to(file if target != "chain" else folder / "second")
    if target == "chain":
        (folder / "second").symlink_to(file)
    write(link, b"content")
    assert link.is_symlink() and file.read_bytes() == b"content" and not file.is_symlink()


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_a_device_stays_a_device(tmp_path: Path, write: Write) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"")
    except OSError:
        pytest.skip("only root can make a device, and not in every container")
    write(device, b"content")
    assert stat.S_ISCHR(device.lstat().st_mode)


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_standard_output_by_its_name(tmp_path: Path, write: Write) -> None:
    """/dev/stdout is a link to whatever the shell opened, here a file."""
    before = os.dup(1)
    with (tmp_path / "file").open("wb") as stream:
        os.dup2(stream.fileno(), 1)
        try:
            write(Path("/dev/stdout"), b"content")
        finally:
            os.dup2(before, 1)
            os.close(before)
    assert (tmp_path / "file").read_bytes() == b"content" and Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_a_regular_file_is_replaced_in_one_step(tmp_path: Path, write: Write) -> None:
    """A process that has the old file open keeps it."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with path.open("rb") as stream:
        write(path, b"new")
        assert stream.read() == b"old"
    assert path.read_bytes() == b"new" and [each.name for each in tmp_path.iterdir()] == ["file"]


_STAGES = {
    "object": ["-c", "k.mu"],
    "assembly": ["-S", "k.mu"],
    "preprocessed": ["-E", "k.mu"],
    "preprocessed for the device": ["-E", "--cuda-device-only", "k.mu"],
    "dependencies": ["-M", "k.mu"],
    "assembly for the device": ["-S", "--cuda-device-only", "k.mu"],
    "image": ["--cuda-device-only", "-c", "k.mu"],
    "ir": ["--cuda-device-only", "-S", "-emit-llvm", "k.mu"],
    "object of C++": ["-c", "h.cpp"],
    "preprocessed C++": ["-E", "h.cpp"],
    "program": ["k.mu", "h.cpp", "-lmusart"],
    "library": ["-shared", "-fPIC", "h.cpp"],
}


@pytest.mark.compiles
@pytest.mark.parametrize("stage", _STAGES)
def test_mcc_writes_to_pipes_and_links(sim_sdk_root: Path, tmp_path: Path, stage: str) -> None:
    """Each stage to a link; those that any compiler can write to a pipe also to one."""
    (tmp_path / "k.mu").write_text("__global__ void k() {}\n")
    (tmp_path / "h.cpp").write_text("int main() {}\n")
    (tmp_path / "target").touch()
    (tmp_path / "link").symlink_to("target")

    def mcc(*arguments: str) -> None:
        command = [sim_sdk_root / "bin/mcc", *_STAGES[stage], *arguments]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)

    mcc("-o", "link")
    content = (tmp_path / "target").read_bytes()
    assert (tmp_path / "link").is_symlink() and content
    if stage not in ("program", "library"):  # the linker seeks
        pipe = _Pipe(tmp_path / "pipe")
        mcc("-o", "pipe")
        assert pipe.content() == content


@pytest.mark.compiles
def test_mcc_writes_dependencies_to_a_pipe(sim_sdk_root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.mu").write_text("__global__ void k() {}\n")
    pipe = _Pipe(tmp_path / "pipe")
    command = [sim_sdk_root / "bin/mcc", "-c", "k.mu", "-MD", "-MF", "pipe"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    assert b"k.mu" in pipe.content()
