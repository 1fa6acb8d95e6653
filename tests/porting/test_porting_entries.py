"""Entries of a tree besides ordinary files: other encodings and names, links, pipes, native counterparts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.errors import PortingError
from musa_build.porting import SimplePorting
from musa_build.porting.engine.edits import Finding, Severity
from musa_build.porting.report.summary import PortReport

CODE = "#include <cuda_runtime.h>\n// größe\nvoid f(void* p) { cudaFree(p); }\n"
PORTED = CODE.replace("cuda_runtime", "musa_runtime").replace("cudaFree", "musaFree")


def make(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def port(root: Path) -> PortReport:
    return SimplePorting(root).run()


def contents(root: Path) -> dict[str, str]:
    paths = [path for path in root.rglob("*") if path.is_file() and path.name[0] != "."]
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}


def described(findings: tuple[Finding, ...]) -> dict[str, str]:
    assert all(finding.severity is Severity.WARNING for finding in findings)
    return {finding.path: finding.code for finding in findings}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-8", "latin-1"])
def test_every_encoding_is_ported(encoding: str, tmp_path: Path) -> None:
    for name, code in {"bare": CODE, "marked": "\ufeff" + CODE}.items():
        if name == "marked" and encoding not in ("utf-16-le", "utf-16-be"):
            continue
        make(tmp_path / name, {"k.cu": code.encode(encoding)})
        report = port(tmp_path / name)
        made = (tmp_path / f"{name}_musa/k.mu").read_bytes()
        narrow = encoding in ("utf-8-sig", "utf-8", "latin-1")
        assert made == PORTED.encode(encoding if narrow else "utf-8")
        assert described(report.findings) == ({} if narrow else {"k.cu": "unusual-source"})
        assert port(tmp_path / name).written == ()


@pytest.mark.parametrize("content", [b"\xff\xfea", "int \ud800 x;".encode("utf-16-le", "surrogatepass")])
def test_what_cannot_be_decoded_is_copied_with_a_warning(content: bytes, tmp_path: Path) -> None:
    report = port(make(tmp_path / "s", {"k.cu": content}))
    assert described(report.findings) == {"k.cu": "unusual-source"} and "cannot be read" in report.findings[0].message
    assert (tmp_path / "s_musa/k.mu").read_bytes() == content


def test_lines_that_end_in_cr(tmp_path: Path) -> None:
    old_mac, windows, mixed = CODE.replace("\n", "\r"), CODE.replace("\n", "\r\n"), CODE.replace("\n", "\r", 1)
    report = port(
        make(tmp_path / "s", {n: t.encode() for n, t in {"a.cu": old_mac, "b.cu": windows, "c.h": mixed}.items()})
    )
    assert (tmp_path / "s_musa/a.mu").read_bytes() == PORTED.encode()
    assert (tmp_path / "s_musa/b.mu").read_bytes() == PORTED.replace("\n", "\r\n").encode()
    assert (tmp_path / "s_musa/c.h").read_bytes() == PORTED.encode()
    assert described(report.findings) == {"a.cu": "unusual-source", "c.h": "unusual-source"}


@pytest.mark.parametrize(
    ("source", "ported"),
    [
        (b"// a\rcudaFree(p);\n", b"// a\nmusaFree(p);\n"),
        (b"// a\rcudaFree(p);\r\n", b"// a\nmusaFree(p);\r\n"),
        (b"// a\r\rcudaFree(p);\n", b"// a\n\nmusaFree(p);\n"),
        (b"// a \\\r\r\ncudaFree(p);\r\r\n", b"// a \\\r\r\nmusaFree(p);\r\r\n"),  # a line that ends in CR CR LF
    ],
)
def test_cr_ends_a_line_among_others(source: bytes, ported: bytes, tmp_path: Path) -> None:
    """As in g++ and clang: a comment ends there."""
    port(make(tmp_path / "s", {"a.cu": source}))
    assert (tmp_path / "s_musa/a.mu").read_bytes() == ported


def test_a_suffix_in_capitals(tmp_path: Path) -> None:
    include = b'#include "LIB.CUH"\n#include "sub/Other.Cuh"\n'
    files = {
        "KERNEL.CU": include + CODE.encode(),
        "LIB.CUH": CODE.encode(),
        "sub/Other.Cuh": b"",
        "A.CPP": CODE.encode(),
    }
    report = port(make(tmp_path / "s", {**files, "x.HPP": CODE.encode(), "y.C": CODE.encode(), "READ.ME": b"cudaFree"}))
    made = contents(tmp_path / "s_musa")
    assert set(made) == {"KERNEL.mu", "LIB.muh", "sub/Other.muh", "A.CPP", "x.HPP", "y.C", "READ.ME"}
    assert made["KERNEL.mu"] == '#include "LIB.muh"\n#include "sub/Other.muh"\n' + PORTED
    assert {made[name] for name in ("LIB.muh", "A.CPP", "x.HPP", "y.C")} == {PORTED} and made["READ.ME"] == "cudaFree"
    assert described(report.findings) == dict.fromkeys(["KERNEL.CU", "LIB.CUH", "sub/Other.Cuh"], "unusual-source")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("a.mu", "a ported file cannot be written"),
        (".musa_build_porting.json", "the manifest of the ported tree is no file"),
        (".musa_build_porting.last", ""),
    ],
)
def test_a_pipe_in_the_output_is_never_waited_for(name: str, error: str, tmp_path: Path) -> None:
    make(tmp_path / "s", {"a.cu": CODE.encode()})
    command = [sys.executable, "-m", "musa_build", "port", "s", "-o", "out"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "out" / name).unlink()
    os.mkfifo(tmp_path / "out" / name)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode != 0) == bool(error) and error in done.stderr, done.stderr
    assert (tmp_path / "out" / name).is_fifo()


def test_pipes_sockets_devices_and_links_to_nothing_are_passed_over_with_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "s", {"a.cu": CODE.encode(), "sub/b.cuh": b""})
    os.mkfifo(root / "pipe.cuh")
    monkeypatch.chdir(root)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.cu")
        links = {
            "gone.cuh": "nowhere.cuh",
            "annex.h": "../.git/annex/objects/x",  # outside, and not there
            "loop.cu": "loop.cu",
            "one.cu": "two.cu",
            "two.cu": "one.cu",
            "null.h": "/dev/null",
            "folder": "sub",
            "to_pipe.h": "pipe.cuh",
        }
        for name, target in links.items():
            (root / name).symlink_to(target)
        (root / "inside.cuh").symlink_to("sub/b.cuh")
        report = port(root)
    assert set(contents(tmp_path / "s_musa")) == {"a.mu", "sub/b.muh", "inside.muh"}
    skipped = dict.fromkeys(["pipe.cuh", "socket.cu", *links], "skipped-entry")
    assert described(report.findings) == {**skipped, "folder": "linked-folder"}
    messages = {finding.path: finding.message for finding in report.findings}
    assert "a pipe" in messages["pipe.cuh"] and "a socket" in messages["socket.cu"] and "a device" in messages["null.h"]
    assert "no file" in messages["gone.cuh"] and "Too many levels" in messages["loop.cu"]


@pytest.mark.parametrize(("cuda", "native"), [("x.cuh", "x.muh"), ("k.cu", "k.mu"), ("sub/x.cuh", "sub/x.muh")])
def test_a_native_file_is_taken_in_place_of_the_cuda_one(cuda: str, native: str, tmp_path: Path) -> None:
    files = {cuda: CODE.encode(), native: b"// native\n", "main.cu": f'#include "{cuda}"\n'.encode()}
    report = port(make(tmp_path / "s", files))
    made = contents(tmp_path / "s_musa")
    assert made == {native: "// native\n", "main.mu": f'#include "{native}"\n'}
    assert described(report.findings) == {cuda: "native-counterpart"}
    assert f"--ignore '{native}'" in report.findings[0].message
    SimplePorting(tmp_path / "s", ignore_dir_paths=[native]).run()
    assert contents(tmp_path / "s_musa")[native] == PORTED


def test_collisions_name_what_to_leave_out(tmp_path: Path) -> None:
    with pytest.raises(PortingError, match=r"both become k\.mu.*--ignore 'k\.CU'"):
        port(make(tmp_path / "a", {"k.CU": b"", "k.cu": b""}))
    with pytest.raises(PortingError, match=r"k\.cu becomes k\.mu, which is the folder of k\.mu/x\.h.*--ignore 'k\.cu'"):
        port(make(tmp_path / "b", {"k.cu": b"", "k.mu/x.h": b""}))
    assert not (tmp_path / "a_musa").exists() and not (tmp_path / "b_musa").exists()


FOLDER, FILE = {"z.h/deep/q.cu": b"", "z.h/r.h": b"", "a.cu": b""}, {"z.h": b"int z;", "a.cu": b""}


@pytest.mark.parametrize(("first", "second"), [(FOLDER, FILE), (FILE, FOLDER)])
def test_a_folder_that_becomes_a_file_and_the_reverse(
    first: dict[str, bytes], second: dict[str, bytes], tmp_path: Path
) -> None:
    root = make(tmp_path / "s", first)
    port(root)
    root.rename(tmp_path / "old")
    make(root, second)
    report = port(root)
    assert set(contents(tmp_path / "s_musa")) == {name.replace(".cu", ".mu") for name in second}
    assert set(report.removed) == {name.replace(".cu", ".mu") for name in first if name != "a.cu"}
    assert port(root).written == ()


@pytest.mark.parametrize(("first", "second"), [(FOLDER, FILE), (FILE, FOLDER)])
def test_what_porting_did_not_make_is_not_removed_for_it(
    first: dict[str, bytes], second: dict[str, bytes], tmp_path: Path
) -> None:
    root = make(tmp_path / "s", first)
    port(root)
    mine = tmp_path / "s_musa" / ("z.h/mine.txt" if "z.h" not in first else "z.h")
    mine.write_text("by hand")
    root.rename(tmp_path / "old")
    make(root, second)
    before = contents(tmp_path / "s_musa")
    with pytest.raises(PortingError, match=r"in the way.*z\.h"):
        port(root)
    assert contents(tmp_path / "s_musa") == before and mine.read_text() == "by hand"


def test_kept_names(tmp_path: Path) -> None:
    root = make(tmp_path / "s", {"k.cu": b'#include "x.cuh"\n' + CODE.encode(), "x.cuh": b"", "x.muh": b"native"})
    SimplePorting(root, keep_names=True).run()
    made = contents(tmp_path / "s_musa")
    assert set(made) == {"k.cu", "x.cuh", "x.muh"} and made["k.cu"] == '#include "x.cuh"\n' + PORTED
    assert SimplePorting(root, keep_names=True).run().written == ()
    (root / "x.muh").unlink()
    report = port(root)  # without: the names change, and what the manifest lists goes
    assert set(contents(tmp_path / "s_musa")) == {"k.mu", "x.muh"} and set(report.removed) == {"k.cu", "x.cuh"}
    assert SimplePorting(root, keep_names=True).run().removed == ("k.mu", "x.muh")
