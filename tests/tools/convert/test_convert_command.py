"""The command: a hostile project, and everything that can go wrong between reading and writing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from musa_tools.convert import output
from musa_tools.convert.command_line import main

ROOT = Path(__file__).resolve().parents[3]

FILES = {
    "train.py": b'"""Train."""\nfrom __future__ import annotations\nimport torch\nx = torch.ones(2).cuda()\n',
    "models/net.py": b"import torch\r\ndevice = 'cuda'\r\n",
    "models/latin.py": b"# coding: latin-1\nx = '\xe9', y.to('cuda')\n",
    "models/broken.py": b"import torch\nprint 'cuda'\n",
    "models/plain.py": b"x = 1\n",
    "tool": b"#!/usr/bin/env python3\nimport torch\ntorch.cuda.synchronize()\n",
    "data": b"cuda\n",
    "demo.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x.to(\'cuda\')"]}]}',
    "run.sh": b"# CUDA_VISIBLE_DEVICES\nCUDA_VISIBLE_DEVICES=0,1 NCCL_DEBUG=INFO python train.py --device cuda\n",
    "types.pyi": b"import torch\ndef f(s: torch.cuda.Stream) -> None: ...\n",
    ".git/hook.py": b"x.to('cuda')\n",
    "env/pyvenv.cfg": b"",
    "env/lib/a.py": b"x.to('cuda')\n",
    "build/lib/a.py": b"x.to('cuda')\n",
    "node_modules/a.py": b"x.to('cuda')\n",
    "x.egg-info/a.py": b"x.to('cuda')\n",
    "package/build/__init__.py": b"device = 'cuda'\n",
    "third party/a.py": b"device = 'cuda'\n",
}
CONVERTED = {
    "train.py": FILES["train.py"].replace(b"torch\n", b"torch\nimport torch_musa\n").replace(b".cuda", b".musa"),
    "models/net.py": b"import torch\r\ndevice = 'musa'\r\n",
    "models/latin.py": b"# coding: latin-1\nx = '\xe9', y.to('musa')\n",
    "tool": b"#!/usr/bin/env python3\nimport torch\ntorch.musa.synchronize()\n",
    "demo.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x.to(\'musa\')"]}]}',
    "types.pyi": b"import torch\ndef f(s: torch.musa.Stream) -> None: ...\n",
    "package/build/__init__.py": b"device = 'musa'\n",
    "third party/a.py": b"device = 'musa'\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / "tool").chmod(0o755)
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"device = 'cuda'\n")
    (root / "link.py").symlink_to(outside)
    (root / "again.py").symlink_to(root / "models/net.py")
    (root / "loop").symlink_to(root)
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def convert(root: Path, *arguments: str) -> int:
    return main(["-r", str(root), "-l", str(root / "train.py"), *arguments])


def test_a_hostile_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(project) == 2  # one file does not parse
    assert contents(project) == {**FILES, **CONVERTED}
    assert (project / "tool").stat().st_mode & 0o777 == 0o755
    assert (project / "link.py").is_symlink() and (project / "again.py").is_symlink()
    assert (project.parent / "outside.py").read_bytes() == b"device = 'cuda'\n"
    log = capsys.readouterr().err
    assert " - INFO - Start to convert the scripts...\n" in log
    assert log.endswith(" - INFO - Scripts conversion done!!!\n")
    assert "models/broken.py was not converted: line 2" in log


CUDA, MUSA = b"import torch\nx.to('cuda')\n", b"import torch\nimport torch_musa\nx.to('musa')\n"


@pytest.mark.parametrize("where", ["outside", "inside", "hidden", "twice", "folder"])
def test_a_launch_script_that_is_a_link(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a script of the project, wherever its target lies."""
    root = tmp_path / "project"
    folders = {"inside": root / "scripts", "hidden": root / ".git" / "annex", "folder": tmp_path / "scripts"}
    target = folders.get(where, tmp_path) / "start.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(CUDA)
    (root).mkdir(exist_ok=True)
    link = root / "train.py"
    if where == "folder":
        (root / "linked").symlink_to(target.parent)
        link = root / "linked" / "start.py"
    elif where == "twice":
        (tmp_path / "other.py").symlink_to("start.py")
        link.symlink_to("../other.py")
    else:
        link.symlink_to(target)
    assert main(["-r", str(root), "-l", str(link)]) == 0
    assert link.is_symlink() == (where != "folder") and target.read_bytes() == MUSA
    assert (f"{link} is a link to {target}, " in capsys.readouterr().err) == (where != "inside")
    assert main(["-r", str(root), "-l", str(link), "--check"]) == 0


def test_a_link_that_is_not_named_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside.py").write_bytes(CUDA)
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "nothing.py").symlink_to(tmp_path / "missing.py")
    (root / "train.py").write_bytes(CUDA)
    assert convert(root) == 0
    assert (root / "train.py").read_bytes() == MUSA and (tmp_path / "outside.py").read_bytes() == CUDA
    log = capsys.readouterr().err
    assert f"link.py is a link to {tmp_path / 'outside.py'}, which is not converted" in log
    assert "missing.py" not in log  # there is nothing to convert
    assert main(["-r", str(root), "-l", str(root / "nothing.py")]) == 2
    assert "nothing.py is a link to nothing" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["-e", "train.py"]], ids=["outside", "excluded"])
def test_a_launch_script_that_is_not_converted_is_said(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "project").mkdir()
    script = tmp_path / ("project" if options else "") / "train.py"
    script.write_bytes(CUDA)
    assert main(["-r", str(tmp_path / "project"), "-l", str(script), *options]) == 0
    assert script.read_bytes() == MUSA.replace(b"'musa'", b"'cuda'")
    assert "it gets `import torch_musa`, and nothing else" in capsys.readouterr().err


def test_a_second_run_writes_nothing(project: Path) -> None:
    convert(project)

    def stamps() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in project.rglob("*.py")}

    before = stamps()
    assert convert(project) == 2
    assert stamps() == before


@pytest.mark.parametrize("options", [["--dry-run"], ["--diff"], ["--check"]])
def test_looking_writes_nothing(project: Path, options: list[str]) -> None:
    convert(project, *options)
    assert contents(project) == FILES


def test_exit_codes(project: Path, tmp_path: Path) -> None:
    (project / "models/broken.py").unlink()
    assert convert(project, "--check") == 1
    assert convert(project) == 0
    assert convert(project, "--check") == 0
    (project / "nvtx.py").write_text("import torch\ntorch.cuda.nvtx.mark('x')\n")
    assert convert(project) == 0
    assert convert(project, "--strict") == 3
    assert main(["-r", str(tmp_path / "missing")]) == 2
    assert main(["-r", str(project), "-l", str(tmp_path / "missing.py")]) == 2
    os.mkfifo(tmp_path / "pipe.py")
    assert main(["-r", str(tmp_path / "pipe.py")]) == 2
    assert main(["-r", str(project), "--report", str(tmp_path / "x.txt")]) == 2
    with pytest.raises(SystemExit, match="2"):
        main([])


def test_diff_can_be_applied(project: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    convert(project, "--diff")
    patch = capfdbinary.readouterr().out
    subprocess.run(["git", "apply", "--unsafe-paths", "-"], input=patch, cwd=project, check=True)
    assert contents(project) == {**FILES, **CONVERTED}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-e", "models", "third party/a.py"],
        ["-e", "models,third party"],
        ["-e", "models/*", "-e", "third*"],
        ["-e", "models/net.py,models/latin.py,models/broken.py", "third party/*.py"],
    ],
)
def test_exclusions(project: Path, arguments: list[str]) -> None:
    assert convert(project, *arguments) == 0
    assert contents(project) == {
        **FILES,
        **{name: content for name, content in CONVERTED.items() if not name.startswith(("models", "third"))},
    }


def test_an_exclusion_that_is_not_there_is_a_warning(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    convert(project, "-e", "no/such.py")
    assert "-e: no/such.py does not exist" in capsys.readouterr().err


def test_shell_scripts_if_asked_for(project: Path) -> None:
    convert(project, "--shell")
    text = (project / "run.sh").read_bytes()
    assert text == b"# CUDA_VISIBLE_DEVICES\nMUSA_VISIBLE_DEVICES=0,1 MCCL_DEBUG=INFO python train.py --device musa\n"


def test_one_file_and_a_launch_script_outside(project: Path) -> None:
    net = project / "models/net.py"
    assert main(["-r", str(net), "-l", str(project / "train.py")]) == 0
    assert net.read_bytes() == CONVERTED["models/net.py"]
    assert (project / "train.py").read_bytes() == FILES["train.py"].replace(
        b"torch\n", b"torch\nimport torch_musa\n", 1
    )


def test_backups(project: Path, tmp_path: Path) -> None:
    convert(project, "--backup")
    assert (project / "models/net.py.orig").read_bytes() == FILES["models/net.py"]
    (project / "models/net.py").write_bytes(b"import torch\ntorch.cuda.init()\n")
    convert(project, "--backup")
    assert (project / "models/net.py.orig").read_bytes() == FILES["models/net.py"]  # the oldest is kept
    (project / "models/net.py").write_bytes(b"x.to('cuda')\n")
    convert(project, "--backup", str(tmp_path / "old"))
    assert contents(tmp_path / "old") == {"models/net.py": b"x.to('cuda')\n"}


def test_a_backup_in_the_project_is_never_converted(project: Path) -> None:
    old = contents(project)
    for _ in range(2):
        convert(project, "--backup", str(project / "old"))
        assert {name: text for name, text in contents(project / "old").items() if old[name] != text} == {}
    assert not (project / "old/old").exists()


def test_reports(project: Path, tmp_path: Path) -> None:
    (project / "<b>&.py").write_text("import torch\ntorch.cuda.nvtx.mark('x')\n")
    convert(project, "--dry-run", "--report", str(tmp_path / "r.json"))
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["summary"] == {
        "files": 12, "changed": 8, "changes": 9, "unsupported": 1, "unclear": 3, "left": 0, "failed": 1,
    }  # fmt: skip
    files = {each["path"]: each for each in report["files"]}
    assert files["models/net.py"]["changes"] == [
        {"line": 2, "column": 11, "rule": "device string", "old": "cuda", "new": "musa", "source": "device = 'cuda'"}
    ]
    assert "line 2" in files["models/broken.py"]["error"]
    convert(project, "--dry-run", "--report", str(tmp_path / "r.html"))
    page = (tmp_path / "r.html").read_text()
    assert "&lt;b&gt;&amp;.py" in page and "<b>&.py" not in page
    assert "http" not in page and "<script" not in page


def test_processes_give_the_same(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("musa_tools.convert.files._WORTH_A_PROCESS", 1)
    monkeypatch.setattr("musa_tools.convert.files._CHUNK", 50)
    assert convert(project, "--jobs", "2") == 2
    assert contents(project) == {**FILES, **CONVERTED}


# -- all or nothing


def test_a_read_only_file_in_the_middle(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "package/build/__init__.py").chmod(0o444)
    assert convert(project) == 4
    assert contents(project) == FILES
    assert "package/build/__init__.py cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder(project: Path) -> None:
    (project / "models").chmod(0o555)
    try:
        assert convert(project) == 4
    finally:
        (project / "models").chmod(0o755)
    assert contents(project) == FILES


def test_a_file_that_was_changed_meanwhile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = output._Transaction.stage

    def meddle(self: Any, path: Path, content: bytes) -> None:
        stage(self, path, content)
        if path.name == "train.py":
            path.write_bytes(b"mine\n")

    monkeypatch.setattr(output._Transaction, "stage", meddle)
    assert convert(project) == 4
    assert contents(project) == {**FILES, "train.py": b"mine\n"}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["stage", "replace"])
def test_an_error_at_the_fourth_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    original = getattr(output._Transaction, step)
    calls: list[Path] = []

    def fail(self: Any, path: Path, *rest: Any) -> None:
        calls.append(path)
        original(self, path, *rest)
        if len(calls) == 4:
            raise error

    monkeypatch.setattr(output._Transaction, step, fail)
    assert convert(project) == (4 if isinstance(error, OSError) else 130)
    assert contents(project) == FILES


def test_a_full_disk(project: Path) -> None:
    """A limit of file sizes acts like a full disk: the kernel refuses to write."""
    (project / "large.py").write_bytes(b"device = 'cuda'\n" + b"# filler\n" * 20_000)
    before = contents(project)
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        "from musa_tools.convert.command_line import main; sys.exit(main(sys.argv[1:]))"
    )
    run = subprocess.run(  # -B: Python would write its own files cut off, too
        [sys.executable, "-B", "-c", code, "-r", project], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 4, run.stderr
    assert "File too large" in run.stderr and "Traceback" not in run.stderr
    assert contents(project) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_at_any_time(tmp_path: Path, number: int) -> None:
    root = tmp_path / "many"
    root.mkdir()
    before = {f"m{each}.py": b"device = 'cuda'\n" + b"x = 1\n" * 300 for each in range(150)}
    after = {name: content.replace(b"cuda", b"musa") for name, content in before.items()}
    for delay in (0, 0.03, 0.1, 0.3):
        for name, content in before.items():
            (root / name).write_bytes(content)
        command = [sys.executable, "-m", "musa_tools.convert.command_line", "-r", str(root)]
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
            assert run.stderr is not None
            run.stderr.readline()  # it has begun
            time.sleep(delay)
            run.send_signal(number)
            run.stderr.read()
        assert run.returncode in (0, 130, -number)  # -number: before or after its work
        assert contents(root) == (before if run.returncode == 130 else after if run.returncode == 0 else contents(root))
        assert contents(root) in (before, after)


def test_interrupted_in_a_terminal(tmp_path: Path) -> None:
    """Ctrl-C reaches the workers too; only one process may speak."""
    before = {
        f"m{each}.py": b"device = 'cuda'\n" + b"torch.cuda.init()\n" * 50 + b"y = 1\n" * 4000 for each in range(100)
    }
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-m", "musa_tools.convert.command_line", "-r", str(tmp_path), "--jobs", "2"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        assert run.stderr is not None
        run.stderr.readline()
        time.sleep(0.3)
        os.killpg(run.pid, signal.SIGINT)
        log = run.stderr.read()
    assert run.returncode == 130 and "Traceback" not in log, log
    assert contents(tmp_path) == before


def test_a_closed_pipe_is_quiet(project: Path) -> None:
    for number in range(200):
        (project / f"m{number}.py").write_bytes(b"device = 'cuda'\n" * 50)
    command = f"{sys.executable} -m musa_tools.convert.command_line -r {project} --diff | head -1"
    run = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("--- a/") and "Traceback" not in run.stderr and "BrokenPipe" not in run.stderr


def test_it_needs_no_torch_and_little_time() -> None:
    code = (
        "import musa_tools.convert.command_line, sys;"
        "print([name for name in ('torch', 'numpy', 'jinja2') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["-h"])
    text = capsys.readouterr().out
    assert all(
        word in text for word in ("--root_path", "--launch_path", "--excluded_path", "Examples:", "Exit status:")
    )
