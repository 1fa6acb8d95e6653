"""session.json says which run a dump is of, and a comparison warns of what the two runs do not have in common."""

from __future__ import annotations

import functools
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import dumped_runs as runs
import pytest
import torch

from musa_tools.cli import main
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.sessions import described, differences
from musa_tools.compare_tool import CompareWithCPU
from musa_tools.dump.session_file import git_head
from musa_tools.other_tools import ptdbg_ascend
from musa_tools.other_tools.msprobe import PrecisionDebugger

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def session(folder: Path, name: str = "session.json") -> dict[str, Any]:
    return dict(json.loads((folder / name).read_text()))


def test_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "--lr", "1"])
    torch.manual_seed(7)
    debugger = PrecisionDebugger(dump_path=tmp_path, level="L1", step=[0, 1])
    states = torch.get_rng_state(), random.getstate()
    with CompareWithCPU(should_log_to_file=True, output_dir=str(tmp_path / "log")):
        debugger.start()  # another tool sees nothing of it
        assert session(tmp_path)["argv"] == ["train.py", "--lr", "1"]  # there before the run may be killed
        debugger.stop()
    assert torch.equal(torch.get_rng_state(), states[0]) and random.getstate() == states[1]
    assert not (tmp_path / "log").exists()  # it had nothing to log
    found = session(tmp_path)
    assert found["versions"]["torch"] == torch.__version__
    assert found["versions"]["python"] == sys.version.split()[0]
    assert found["seeds"]["torch"] == 7
    assert found["config"]["level"] == "L1" and found["config"]["steps"] == [0, 1]


def test_once_per_run(tmp_path: Path) -> None:
    debugger = PrecisionDebugger(dump_path=tmp_path)
    for step in range(2):
        debugger.start()
        torch.ones(2).sum()
        debugger.step()
        if not step:
            (tmp_path / "session.json").write_text("of the first step")
    assert (tmp_path / "session.json").read_text() == "of the first step"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["session.json", "step0", "step1"]


def test_none_where_nothing_is_dumped(tmp_path: Path) -> None:
    debugger = PrecisionDebugger(dump_path=tmp_path / "dump", step=[3])
    debugger.start()
    debugger.stop()
    assert not (tmp_path / "dump").exists()


def test_each_rank_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        debugger = PrecisionDebugger(dump_path=tmp_path, step=[int(rank)])  # other settings: another debugger
        debugger.step() if rank == "1" else None
        debugger.start()
        torch.ones(2).sum()
        debugger.stop()
    assert session(tmp_path, "session_rank1.json")["rank"] == 1
    for path, rank in ((tmp_path / "step1", 1), (tmp_path / "step1" / "rank1" / "dump.json", 1), (tmp_path, 0)):
        assert read_dump(path).session["rank"] == rank


def test_a_comparison_shows_both_and_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, level in (("musa", "mix"), ("cuda", "L1")):
        (tmp_path / name).mkdir()
        net = runs.Net()
        runs.dump(tmp_path / name, functools.partial(runs.train_step, net), level=level, model=net)
    file = tmp_path / "cuda" / "dump" / "session.json"
    content = json.loads(file.read_text())
    content.update(accelerator="cuda", git_head=COMMIT)
    content["versions"].update(torch="2.0.1", torch_musa=None)
    file.write_text(json.dumps(content))
    folders = [str(tmp_path / "musa" / "dump"), str(tmp_path / "cuda" / "dump" / "step0" / "rank")]
    with pytest.raises(SystemExit):
        main(["compare", *folders, "-o", str(tmp_path / "result"), "--format", "json,html"])
    printed = capsys.readouterr().out
    (page,), (result,) = ((tmp_path / "result").glob(f"*.{kind}") for kind in ("html", "json"))
    for text in (printed, page.read_text()):
        assert "the runs differ in level: mix in the run, L1 in the reference" in text
        assert f"the runs differ in version of torch: {torch.__version__} in the run, 2.0.1 in the reference" in text
        assert "cuda, python" in text and "git 0123456789ab, " in text and "torch_musa:" not in text
    with pytest.raises(SystemExit):
        main(["report", str(result)])
    assert "warning: the runs differ in level" in capsys.readouterr().out


def test_runs_that_belong_together_give_no_warning(tmp_path: Path) -> None:
    one = {"config": {"level": "L1"}, "versions": {"torch": "2"}, "seeds": {"torch_state": "a", "python_state": "b"}}
    assert differences(one, {**one, "seeds": {"torch_state": "a", "python_state": "c"}}) == []
    assert differences(one, {}) == [] and differences({}, one) == []  # a dump of another tool
    (line,) = differences(one, {**one, "seeds": {"torch_state": "x", "python_state": "b", "numpy_state": "d"}})
    assert line == "the random states differ (torch): use the same seed"


@pytest.mark.parametrize("text", ["", "[1]", '{"argv": 3, "versions": [], "config": 1}', "\udcff"])
def test_a_broken_file_is_no_obstacle(tmp_path: Path, text: str) -> None:
    runs.dump(tmp_path, lambda: torch.ones(2).sum())
    (tmp_path / "dump" / "session.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    found = read_dump(tmp_path / "dump")
    assert described(found.session) == "" and differences(found.session, found.session) == []


def test_a_file_of_lines_has_one_beside_it(tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 2)
    ptdbg_ascend.set_dump_path(str(tmp_path / "npu_dump.pkl"))
    ptdbg_ascend.register_hook(model, ptdbg_ascend.acc_cmp_dump)
    ptdbg_ascend.set_dump_switch("ON")
    model(torch.ones(1, 2))
    ptdbg_ascend.set_dump_switch("OFF")
    assert session(tmp_path, "npu_dump.session.json")["config"] == {"form": "ptdbg_ascend"}
    assert "torch " in described(read_dump(tmp_path / "npu_dump.pkl").session)


def test_the_commit_is_read_without_git(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert git_head(inner) is None
    git.mkdir()
    assert git_head(inner) is None  # no HEAD
    (git / "HEAD").write_text(f"{COMMIT}\n")
    assert git_head(inner) == COMMIT
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    assert git_head(inner) is None  # no commit yet
    (git / "packed-refs").write_text(f"# pack-refs\n{'f' * 40} refs/heads/other-main\n{COMMIT} refs/heads/main\n")
    assert git_head(inner) == COMMIT
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "main").write_text("a" * 40)
    assert git_head(inner) == "a" * 40
    work = git / "worktrees" / "w"
    work.mkdir(parents=True)
    (work / "HEAD").write_text("ref: refs/heads/main\n")
    (work / "commondir").write_text("../..\n")
    (inner / ".git").write_text(f"gitdir: {work}\n")
    assert git_head(inner) == "a" * 40


def test_the_commit_is_git_s(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
        done = subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout.strip()

    git("init")
    git("commit", "--allow-empty", "--message", "empty")
    (tmp_path / "inner").mkdir()
    assert git_head(tmp_path / "inner") == git("rev-parse", "HEAD")
    git("pack-refs", "--all")
    assert git_head(tmp_path) == git("rev-parse", "HEAD")
