"""Commands in shell scripts and notebooks, configurations, and entries of a project that are no scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Converted, Options

# A command, its outcome, and how many words change.
COMMANDS = [
    ("CUDA_VISIBLE_DEVICES=0 python t.py", "MUSA_VISIBLE_DEVICES=0 python t.py", 1),
    ("python t.py --device cuda", "python t.py --device musa", 1),
    ("python t.py --device=cuda", "python t.py --device=musa", 1),
    ("python t.py --device 'cuda'", "python t.py --device 'musa'", 1),
    ("python t.py --dev cuda:1", "python t.py --dev musa:1", 1),
    (
        "torchrun t.py --dist-backend nccl --map_location cuda",
        "torchrun t.py --dist-backend mccl --map_location musa",
        2,
    ),
    ("NCCL_DEBUG=INFO torchrun t.py", "MCCL_DEBUG=INFO torchrun t.py", 1),
    ("python t.py x=cuda:0", "python t.py x=musa:0", 1),
    ("python t.py --n 1 --device \\\n cuda", "python t.py --n 1 --device \\\n musa", 1),
]
LEFT = [
    ("nvidia-smi", "mthreads-gmi"),
    ("nvcc -c k.cu", "mcc"),
    ("CUDA_HOME=/x make", "CUDA_HOME"),
    ("python t.py trainer.device=cuda", "still says cuda"),
    ("python t.py --gpu cuda", "still says cuda"),
]
HARMLESS = ["python cuda_bench.py", "ls cuda/ x.cuda", "# t.py --device cuda", "echo on cuda", "t.py --no-cuda"]


def notebook(*lines: str) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": "\n".join(lines)}], "nbformat": 4}).encode()


def cell(content: bytes) -> str:
    return str(json.loads(content)["cells"][0]["source"])


def convert(path: str, content: bytes, shell: bool = False) -> Converted:
    found = convert_content(path, content, Options(shell=shell))
    assert found.error is None
    return found


@pytest.mark.parametrize(("before", "after", "words"), COMMANDS)
@pytest.mark.parametrize("form", ["{}", "  {} || exit 1", "python a.py && {}", "{} # again"])
def test_commands_of_scripts(before: str, after: str, words: int, form: str) -> None:
    script = f"#!/bin/sh\n{form.format(before)}\n".encode()
    found = convert("run.sh", script)
    assert found.content is None and len(found.remarks) == words
    assert all("--shell" in remark.message and remark.line in (2, 3) for remark in found.remarks)
    found = convert("run.sh", script, shell=True)
    assert found.content == script.replace(before.encode(), after.encode()) and not found.remarks
    assert convert("run.sh", found.content, shell=True).content is None


@pytest.mark.parametrize(("before", "after", "words"), COMMANDS)
@pytest.mark.parametrize("form", ["!{}", "x = !{}", "if ok:\n    !{}", "%run {}", "%%bash\n{}", "%%sh\n# x\n{}"])
def test_commands_of_notebooks(before: str, after: str, words: int, form: str) -> None:
    content = notebook(*form.format(before).split("\n"))
    found = convert("a.ipynb", content)
    assert found.content is None and len(found.remarks) == words
    assert all(remark.line - form.count("\n") in (1, 2) for remark in found.remarks)
    found = convert("a.ipynb", content, shell=True)
    assert found.content is not None and cell(found.content) == form.format(after)


@pytest.mark.parametrize("shell", [False, True])
@pytest.mark.parametrize(("command", "word"), LEFT)
def test_what_a_command_still_says(command: str, word: str, shell: bool) -> None:
    for path, content in (("run.sh", command.encode()), ("a.ipynb", notebook(f"!{command}"))):
        found = convert(path, content, shell)
        assert found.content is None and [word in remark.message for remark in found.remarks] == [True]


@pytest.mark.parametrize("command", HARMLESS)
def test_commands_that_name_no_device(command: str) -> None:
    assert not convert("run.sh", command.encode()).remarks


CONFIGS = [
    ("c.yaml", "device: cuda"),
    ("c.yml", "  device: 'cuda:0'  # the first"),
    ("c.yaml", "devices: [cuda:0]"),
    ("c.yaml", "- cuda"),
    ("c.yaml", "backend: nccl"),
    ("c.yaml", 'CUDA_VISIBLE_DEVICES: "0"'),
    ("c.yaml", "CUDA_HOME: /usr/local/x"),
    ("c.yaml", "_target_: torch.cuda.amp.GradScaler"),
    ("c.yaml", "run: python t.py --device cuda"),
    ("c.json", '{"device": "cuda", "n": 1}'),
    ("c.json", '"cuda:1",'),
    ("c.json", '"env": {"NCCL_DEBUG": "INFO"}'),
    ("c.toml", 'device = "cuda"'),
    ("c.ini", "device=cuda"),
    ("c.cfg", "device = cuda:0"),
]
NO_DEVICE = [
    ("c.yaml", "use_cuda: true"),
    ("c.yaml", "cuda: true"),
    ("c.yaml", "# device: cuda"),
    ("c.yaml", "text: it runs on cuda and nccl"),
    ("c.yaml", "path: models/cuda/x.pt"),
    ("c.json", '{"cuda": {"n": 1}, "notes": "no cuda"}'),
    ("c.toml", "[cuda]"),
    ("c.ini", "; device = cuda"),
]


@pytest.mark.parametrize("shell", [False, True])
@pytest.mark.parametrize(("path", "line"), CONFIGS)
def test_configurations_are_shown_and_not_changed(path: str, line: str, shell: bool) -> None:
    found = convert(path, f"a: 1\n{line}\nb: 2\n".encode(), shell)
    assert found.content is None and [(each.line, each.level) for each in found.remarks] == [(2, "unclear")]


@pytest.mark.parametrize(("path", "line"), NO_DEVICE)
def test_configurations_that_name_no_device(path: str, line: str) -> None:
    assert not convert(path, f"a = 1\n{line}\n".encode()).remarks


def test_the_last_remark_on_a_configuration_with_many_names_counts_the_rest() -> None:
    remarks = convert("c.json", b'"device": "cuda",\n' * 100).remarks
    assert len(remarks) == 21 and remarks[-1].message.endswith("(and 79 more in this file)")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("path", ["x.py", "x.pyi", "run.sh"])
def test_wide_characters_are_an_error_if_the_file_names_cuda(encoding: str, path: str) -> None:
    error = convert_content(path, "x.cuda()\n".encode(encoding), Options()).error
    assert error is not None and "UTF-8" in error
    assert convert_content(path, "x = 1\n".encode(encoding), Options()).error is None


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"\xff\xfe{", "not UTF-8"), (b" \n", "empty"), (b'{"cells": [', "too early")],
)
def test_notebooks_that_are_none(content: bytes, message: str) -> None:
    error = convert_content("a.ipynb", content, Options()).error
    assert error is not None and message in error


def test_entries_that_are_no_files_are_named(tmp_path: Path) -> None:
    root, outside = tmp_path / "p", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "a.py").write_text('x.to("cuda:0")\n')
    (root / "gone.py").symlink_to(tmp_path / "nothing.py")
    (root / "linked").symlink_to(outside)
    (root / "inside").symlink_to(root)
    os.mkfifo(root / "pipe.sh")
    command = [sys.executable, "-m", "musa_tools.convert.command_line", "-r", str(root)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 0 and (root / "a.py").read_text() == 'x.to("musa:0")\n'
    assert "gone.py is a link to nothing" in run.stderr and "pipe.sh is neither a file nor a folder" in run.stderr
    assert f"linked is a link to the folder {outside}" in run.stderr and "inside is" not in run.stderr
