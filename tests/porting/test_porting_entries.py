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
from musa_build.porting.tree.session import PortReport

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


# Files that are copied -> a word of the finding about each, and its line.
COPIED = [
    ("CMakeLists.txt", "# CUDA\nadd_library(k src/kernel.cu)\nfind_package(CUDAToolkit)\n", "kernel.mu", 2),
    ("CMakeLists.txt", "project(x)\nenable_language(CUDA)\n", "CUDA", 2),
    ("cmake/x.cmake", "set(CMAKE_CUDA_ARCHITECTURES 80)\n", "CMAKE_CUDA_ARCHITECTURES", 1),
    ("meson.build", "project('x', 'cpp')\nsources = files('kernel.cu')\n", "kernel.mu", 2),
    ("meson.build", "add_languages('cuda')\n", "cuda", 1),
    ("Makefile", "all: k.o\n%.o: %.cu\n\tnvcc -c $<\n", "%.cu", 2),
    ("Makefile.gpu", "LIBS = -lcudart\n", "-lcudart", 1),
    ("BUILD", 'cuda_library(name = "k", srcs = ["kernel.cu"])\n', "kernel.mu", 1),
    ("BUILD.bazel", 'load("@rules_cuda//:defs.bzl", "x")\n', "rules_cuda", 1),
    ("setup.py", 'import x\nsources = ["src/kernel.cu"]\n', "kernel.mu", 2),
    ("setup.py", 'x = [f for f in files if f.endswith(".cu")]\n', ".cu", 1),
    ("setup.py", 'x = glob.glob(os.path.join(here, "*.cu"))\n', "*.cu", 1),
    ("setup.py", 'x = [f"{name}.cu" for name in names]\n', ".cu", 1),
    ("setup.py", 'run("nvcc -c src/kernel.cu -o k.o")\n', "kernel.mu", 1),
    ("MANIFEST.in", "recursive-include src *.cu *.cuh\n", "*.cu", 1),
    ("pyproject.toml", '[tool.x]\nsources = ["src/kernel.cu"]\n', "kernel.mu", 2),
    ("build.sh", "clang -c src/kernel.cu\n", "kernel.mu", 1),
    ("a.pyx", '# cuda\ncdef extern from "cuda_runtime.h":\n    int cudaMalloc(void**, size_t)\n', "musa_runtime.h", 2),
    ("a.pxd", "cdef int cudaFree(void*)\n", "musaFree", 1),
    ("a.rs", 'use x;\n#[link(name = "cudart")]\nextern {}\n', "cudart", 2),
    ("a.go", "package a\n\n// #cgo LDFLAGS: -lcudart\nfunc f() { C.cudaMalloc() }\n", "musaMalloc", 4),
    ("a.f90", "! CUDA\nistat = cudaDeviceSynchronize()\n", "musaDeviceSynchronize", 2),
    ("config.jinja", '#include "kernel.cu"\n{{ x }}\n', "kernel.mu", 1),
    ("a.ptx", ".version 7.0\n", "NVIDIA", 0),
    ("a.cubin", "\x7fELF\0", "NVIDIA", 0),
    ("a.cuf", "program a\n", "NVIDIA", 0),
]


@pytest.mark.parametrize(("name", "content", "word", "line"), COPIED)
def test_a_copied_file_that_names_cuda_or_a_renamed_file_is_reported(
    name: str, content: str, word: str, line: int, tmp_path: Path
) -> None:
    """Each file that porting does not translate has one finding, with its first line, if it is wrong in the port."""
    root = make(tmp_path / "s", {name: content.encode(), "src/kernel.cu": b"", "b/other.cuh": b""})
    (found,) = SimplePorting(root).run().findings
    assert (found.code, found.path, found.line) == ("copied-file", name, line) and word in found.message
    assert (tmp_path / "s_musa" / name).read_text() == content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("CMakeLists.txt", "option(WITH_CUDA x)\nif(USE_CUDA)\n# add_library(k kernel.cu) CUDA\nendif()\n"),
        ("CMakeLists.txt", 'message(STATUS "CUDA is used")\nadd_library(k other.cpp accuracy.c my_cuda.cpp)\n'),
        ("Makefile", "all:\n\t@echo nvcc kernel.cu\n"),
        ("setup.py", '"""Builds it."""\n# kernel.cu\nimport torch\ntorch.cuda.init()\nx = "kernel.cpp"\n'),
        ("README.md", "kernel.cu calls cudaMalloc and needs CUDA\n"),
        ("notes.txt", "kernel.cu and find_package(CUDAToolkit)\n"),
        ("a.rs", 'fn curve() { custom("cuda"); } // cudaMalloc\n'),
        ("a.pyx", "# cudaMalloc\ncdef int cursor\n"),
        ("n.mu", "cudaMalloc kernel.cu\n"),
        ("ci.yml", "env:\n  CUDA_VERSION: 12.1\n"),
        ("setup.py", 'x = ["other.cu", "kernel.cu.txt"]\n'),
        ("setup.py", '"""Build kernel.cu."""\ndef f():\n    """Build it.\n\n    See kernel.cu.\n    """\n'),
    ],
)
def test_other_copied_files_are_silent(name: str, content: str, tmp_path: Path) -> None:
    root = make(tmp_path / "s", {name: content.encode(), "src/kernel.cu": b""})
    assert SimplePorting(root).run().findings == ()


def test_kept_names_are_right_in_copied_files(tmp_path: Path) -> None:
    root = make(tmp_path / "s", {"setup.py": b'x = ["kernel.cu", "*.cu"]\n', "kernel.cu": b""})
    assert [each.line for each in SimplePorting(root).run().findings] == [1]
    assert SimplePorting(root, keep_names=True).run().findings == ()


@pytest.mark.parametrize(
    "name",
    ["a.cppm", "a.ixx", "a.mm", "a.txx", "a.tcc", "a.def", "a.c++", "a.cuh.in", "a.cu.jinja", "a.h.j2", "a.cpp.tmpl"],
)
def test_modules_x_macros_and_templates_are_ported_and_keep_their_names(name: str, tmp_path: Path) -> None:
    text = b'#include "k.cuh"\n{% if x %}cudaFree({{ p }});{% endif %} // @X@\n'
    root = make(tmp_path / "s", {name: text, "k.cuh": b""})
    report = SimplePorting(root).run()
    made = (tmp_path / "s_musa" / name).read_text()
    assert made == '#include "k.muh"\n{% if x %}musaFree({{ p }});{% endif %} // @X@\n' and report.findings == ()


@pytest.mark.parametrize("name", ["a.txt.in", "a.in", ".in", "a.md.jinja", "jinja", "in.jinja"])
def test_templates_of_other_files_are_copied(name: str, tmp_path: Path) -> None:
    root = make(tmp_path / "s", {name: b"cudaFree(p);\n", "k.cu": b""})
    assert SimplePorting(root).run().edits == 0
