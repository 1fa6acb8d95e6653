"""SimplePorting with folders: names, includes, a second run, hand edits, bad input."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Optional, Union

import pytest

from musa_build.errors import PortingError
from musa_build.porting import SimplePorting
from musa_build.porting.tree.output import MANIFEST

Tree = dict[str, Union[str, bytes]]


def make(root: Path, files: Tree) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def contents(root: Path) -> dict[str, bytes]:
    """All files below `root` but the manifest."""
    paths = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(paths)}


def times(root: Path) -> dict[str, int]:
    return {path.as_posix(): path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def cuda(tmp_path: Path) -> Path:
    return make(tmp_path / "cuda", {"k.cu": "cudaFree(p);\n", "sub/k.cuh": "#pragma once\n"})


def test_files_that_are_not_cuda_are_copied_byte_for_byte(tmp_path: Path) -> None:
    binary = bytes(range(256))
    files: Tree = {"Makefile": "NVCC = cudaMalloc", "LICENSE": "CUDA", "a.png": binary, "n.mu": "cudaFree", "k.cu": ""}
    root = make(tmp_path / "src", files)
    os.chmod(make(root, {"run.sh": "#!/bin/sh\n"}) / "run.sh", 0o755)  # noqa: PTH101
    make(root, {".git/HEAD": "ref", "__pycache__/x.pyc": "x"})
    (root / "n.mu").chmod(0o600)
    SimplePorting(root).run()
    output = tmp_path / "src_musa"
    wanted = {"Makefile": b"NVCC = cudaMalloc", "LICENSE": b"CUDA", "a.png": binary, "n.mu": b"cudaFree", "k.mu": b""}
    assert contents(output) == {**wanted, "run.sh": b"#!/bin/sh\n"}
    assert (output / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (output / "n.mu").stat().st_mode & 0o777 == 0o600


def test_folders_that_builds_write_are_left_out(tmp_path: Path) -> None:
    """After `FORCE_MUSA=1 pip install .`, an analysis of the project still counts its own files alone."""
    own: Tree = {"k.cu": "", "build/own.cu": "", "src/build/tempo/k.cu": "", "musa/k.cu": "", "build/lib/k.cu": ""}
    built = [
        "build/musa/temp.x/k.cu",
        "build/temp.x/k.cu",
        "build/lib.x/k.cu",
        "src/build/bdist.x/k.cu",
        "p.egg-info/a",
    ]
    root = make(tmp_path / "src", {**own, **dict.fromkeys(built, "")})
    SimplePorting(root).run()
    assert [*contents(tmp_path / "src_musa")] == sorted(name.replace(".cu", ".mu") for name in own)


def test_includes_follow_renamed_files_and_only_those(tmp_path: Path) -> None:
    root = make(
        tmp_path / "csrc",
        {
            "main.cu": '#include "a.cuh"\n#include "common/b.cuh"\n#include <common/b.cuh>\n#include "my_cuda.h"\n'
            '#include "elsewhere/c.cuh"\n#include "csrc/common/b.cuh"\n',
            "sub/deep.cpp": '#include "../a.cuh"\n#include "b.cuh"\n#include "../cuda/own.h"\n#include "../main.cu"\n',
            "a.cuh": "",
            "my_cuda.h": "",
            "common/b.cuh": "",
            "cuda/own.h": "",
        },
    )
    SimplePorting(root).run()
    made = contents(tmp_path / "csrc_musa")
    assert made["main.mu"].decode() == (
        '#include "a.muh"\n#include "common/b.muh"\n#include <common/b.muh>\n#include "my_cuda.h"\n'
        '#include "elsewhere/c.cuh"\n#include "csrc/common/b.muh"\n'
    )
    assert made["sub/deep.cpp"].decode() == (
        '#include "../a.muh"\n#include "b.muh"\n#include "../cuda/own.h"\n#include "../main.mu"\n'
    )
    assert set(made) == {"main.mu", "sub/deep.cpp", "a.muh", "my_cuda.h", "common/b.muh", "cuda/own.h"}


@pytest.mark.parametrize("spelling", ["cuda", "cuda/", "./cuda", "cuda/sub/..", "{tmp}/cuda", "{tmp}/cuda/"])
def test_output_is_beside_the_source_however_it_is_spelled(
    spelling: str, cuda: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = SimplePorting(spelling.format(tmp=tmp_path)).run()
    assert report.output == tmp_path / "cuda_musa"
    assert set(contents(tmp_path)) == {"cuda/k.cu", "cuda/sub/k.cuh", "cuda_musa/k.mu", "cuda_musa/sub/k.muh"}


def test_the_working_directory_itself_can_be_ported(cuda: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cuda)
    assert SimplePorting(".").run().output == cuda.with_name("cuda_musa")


def test_sources_are_never_changed(cuda: Path) -> None:
    before, stamps = contents(cuda), times(cuda)
    SimplePorting(cuda, mapping_rule={"cudaFree": "x"}).run()
    assert (contents(cuda), times(cuda)) == (before, stamps)


def test_second_run_changes_nothing(cuda: Path, tmp_path: Path) -> None:
    first = SimplePorting(cuda).run()
    stamps = times(tmp_path)
    second = SimplePorting(cuda).run()
    assert times(tmp_path) == stamps
    assert (set(first.written), second.written, second.removed) == ({"k.mu", "sub/k.muh"}, (), ())


def test_only_the_changed_file_is_written_again(cuda: Path, tmp_path: Path) -> None:
    SimplePorting(cuda).run()
    stamps = times(tmp_path / "cuda_musa")
    (cuda / "k.cu").write_text("cudaMalloc(p);\n")
    report = SimplePorting(cuda).run()
    assert report.written == ("k.mu",)
    header = (tmp_path / "cuda_musa/sub/k.muh").as_posix()
    assert times(tmp_path / "cuda_musa")[header] == stamps[header]


def test_what_lost_its_source_is_removed_and_nothing_else(cuda: Path, tmp_path: Path) -> None:
    SimplePorting(cuda).run()
    make(tmp_path / "cuda_musa", {"sub/mine.txt": "mine"})
    (cuda / "sub/k.cuh").unlink()
    report = SimplePorting(cuda).run()
    assert report.removed == ("sub/k.muh",)
    assert set(contents(tmp_path / "cuda_musa")) == {"k.mu", "sub/mine.txt"}


def test_constructing_touches_nothing(cuda: Path, tmp_path: Path) -> None:
    make(tmp_path / "cuda_musa", {"k.mu": "by hand"})
    SimplePorting(cuda)
    assert contents(tmp_path / "cuda_musa") == {"k.mu": b"by hand"}


def test_a_file_that_porting_did_not_make_is_not_overwritten(cuda: Path, tmp_path: Path) -> None:
    make(tmp_path / "cuda_musa", {"k.mu": "by hand"})
    with pytest.raises(PortingError, match="did not make"):
        SimplePorting(cuda).run()
    assert contents(tmp_path / "cuda_musa") == {"k.mu": b"by hand"}


def test_a_folder_with_foreign_files_is_refused_whole(cuda: Path, tmp_path: Path) -> None:
    output = tmp_path / "cuda_musa"
    make(output, {"deep/notes.txt": "by hand", ".git/config": "hidden"})
    with pytest.raises(PortingError, match="did not make") as caught:
        SimplePorting(cuda).run()
    assert str(output / "deep/notes.txt") in str(caught.value)
    assert sorted(path.name for path in output.iterdir()) == [".git", "deep"]
    (output / "deep/notes.txt").unlink()
    SimplePorting(cuda).run()
    assert (output / "k.mu").is_file() and (output / ".git/config").read_text() == "hidden"


def test_a_ported_tree_that_lost_its_manifest_is_taken_over(cuda: Path, tmp_path: Path) -> None:
    SimplePorting(cuda).run()
    (tmp_path / "cuda_musa" / MANIFEST).unlink()  # as in a repository that holds ported files
    assert SimplePorting(cuda).run().written == ()
    assert (tmp_path / "cuda_musa" / MANIFEST).is_file()


def test_an_edit_by_hand_is_kept_while_the_source_stays(cuda: Path, tmp_path: Path) -> None:
    SimplePorting(cuda).run()
    (tmp_path / "cuda_musa/k.mu").write_text("by hand")
    for _ in range(2):
        report = SimplePorting(cuda).run()
        assert [finding.code for finding in report.findings] == ["edited-by-hand"]
        assert (tmp_path / "cuda_musa/k.mu").read_text() == "by hand"
    (cuda / "k.cu").write_text("cudaMalloc(p);\n")
    with pytest.raises(PortingError, match="edited by hand"):
        SimplePorting(cuda).run()
    (cuda / "k.cu").unlink()
    SimplePorting(cuda).run()
    assert (tmp_path / "cuda_musa/k.mu").read_text() == "by hand"


def test_a_manifest_that_points_elsewhere_is_refused(cuda: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("")
    SimplePorting(cuda).run()
    manifest = tmp_path / "cuda_musa/.musa_build_porting.json"
    manifest.write_text(manifest.read_text().replace("sub/k.muh", "../victim"))
    with pytest.raises(PortingError, match="manifest"):
        SimplePorting(cuda).run()
    assert victim.exists()


@pytest.mark.parametrize("ignored", ["a/mlu", "cuda/a/mlu", "{tmp}/cuda/a/mlu/", "./cuda/a/mlu"])
def test_ignored_folders_are_left_out_with_everything_below(
    ignored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "cuda", {"k.cu": "", "a/mlu/x.cu": "", "a/mlu/deep/y.cu": "", "a/z.cu": ""})
    monkeypatch.chdir(tmp_path)
    SimplePorting(root, ignore_dir_paths=[ignored.format(tmp=tmp_path)]).run()
    assert set(contents(tmp_path / "cuda_musa")) == {"k.mu", "a/z.mu"}


def test_an_ignored_folder_that_is_not_there_is_reported(cuda: Path) -> None:
    (finding,) = SimplePorting(cuda, ignore_dir_paths=["nowhere"]).run().findings
    assert (finding.code, finding.path) == ("ignored-nothing", "nowhere")


RULE = {"cudaFree": "release"}
DROPPED, RULED, DEFAULT, FROM_FOLDER = "cudaFree(p);", "release(p);", "musaFree(p);", "folder(p);"


@pytest.mark.parametrize(
    ("positional", "keywords", "wanted"),
    [
        ((), {}, DEFAULT),
        ((None, RULE), {}, RULED),
        ((["sub"], RULE, False, None), {}, RULED),
        ((None, None, True), {}, DROPPED),
        ((None, None, False, "mapping/"), {}, FROM_FOLDER),
        ((None, RULE, True, "mapping"), {}, RULED),
        ((RULE,), {}, RULED),  # the order of torch_musa's README from here on
        ((RULE, False, None), {}, RULED),
        ((RULE, True, "mapping"), {}, RULED),
        ((None, True, None), {}, DROPPED),
        ((None, True, "mapping"), {}, FROM_FOLDER),
        ((None, False, "mapping"), {}, FROM_FOLDER),
        ((RULE,), {"drop_default_mapping": True}, RULED),
        ((RULE,), {"mapping_dir_path": "mapping"}, RULED),
        ((), {"mapping_rule": RULE, "ignore_dir_paths": ["sub"]}, RULED),
        ((), {"drop_default_mapping": True, "mapping_dir_path": Path("mapping")}, FROM_FOLDER),
    ],
)
def test_both_orders_of_arguments(
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    wanted: str,
    cuda: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make(tmp_path / "mapping", {"extra.json": '{"cudaFree": "folder"}'})
    monkeypatch.chdir(tmp_path)
    SimplePorting("cuda", *positional, **keywords).run()
    assert (tmp_path / "cuda_musa/k.mu").read_text() == wanted + "\n"
    assert RULE == {"cudaFree": "release"}, "the caller's mapping was changed"


def test_nothing_is_printed_and_the_root_logger_is_left_alone(cuda: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = (logging.getLogger().level, list(logging.getLogger().handlers))
    SimplePorting(cuda).run()
    assert (logging.getLogger().level, list(logging.getLogger().handlers)) == before
    assert capfd.readouterr().out == ""


def test_the_log_holds_the_summary_and_the_warnings(cuda: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the logger of musa_build, whose handler shows them in every script."""
    (cuda / "asm.cu").write_text('__device__ void f() { asm("x"); }\n')
    report = SimplePorting(cuda, mapping_rule={"never": "x"}).run()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"musa_build | INFO : {report.summary}"
    assert lines[1] == "musa_build | WARNING : the rule 'never' never matched"
    assert [line for line in lines[2:] if line.startswith("musa_build | WARNING : asm.cu:1: ")]
    assert len(lines) == 2 + report.warnings


@pytest.mark.parametrize(
    ("files", "folder", "message"),
    [
        ({}, "missing", "does not exist"),
        ({"file": ""}, "file", "is not a folder"),
        ({"empty/sub/.git/HEAD": ""}, "empty", "nothing to port"),
        ({"src/k.cu": "", "src/k.CU": ""}, "src", "both become k.mu"),
        ({"src/a.cu": ""}, "", "cannot be used"),
    ],
)
def test_bad_folder(files: Tree, folder: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    before: Optional[dict[str, bytes]] = contents(tmp_path)
    with pytest.raises(PortingError, match=message):
        SimplePorting(folder).run()
    assert contents(tmp_path) == before
    assert not list(tmp_path.glob("*_musa"))


def test_a_link_out_of_the_tree_is_refused_and_one_inside_is_followed(cuda: Path, tmp_path: Path) -> None:
    (cuda / "inside.cu").symlink_to("k.cu")
    SimplePorting(cuda).run()
    assert (tmp_path / "cuda_musa/inside.mu").read_text() == "musaFree(p);\n"
    (tmp_path / "secret").write_text("secret")
    (cuda / "outside.h").symlink_to(tmp_path / "secret")
    with pytest.raises(PortingError, match="leads out"):
        SimplePorting(cuda).run()


def test_output_that_is_a_file_is_one_clear_error(cuda: Path, tmp_path: Path) -> None:
    (tmp_path / "cuda_musa").write_text("")
    with pytest.raises(PortingError, match="cuda_musa"):
        SimplePorting(cuda).run()
