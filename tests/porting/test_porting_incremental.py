"""The output when inputs change, a run fails, or a run is repeated."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from error_blocks import last_error

from musa_build.porting import SimplePorting
from musa_build.porting.__main__ import NAME, cached_output, main
from musa_build.porting.api import session_for, validate_options
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.tree.output import (
    MANIFEST,
    NOOP_CACHE,
    STAGING,
    Manifest,
    PortedFile,
    opened,
    stamp_of,
    write_tree,
)


@pytest.fixture
def src(tmp_path: Path) -> Path:
    """Make a tree whose files are old enough that their time stamps can be trusted."""
    root = tmp_path / "src"
    for name, content in {"a.cu": "cudaFree(a);\n", "b.cu": '#include "c.cuh"\n', "c.cuh": "int scale_cuda;\n"}.items():
        root.mkdir(exist_ok=True)
        (root / name).write_text(content)
    age(root)
    return root


def age(root: Path) -> None:
    old = time.time() - 100
    for path in (*root.rglob("*"), root):
        os.utime(path, (old, old))


def state(root: Path) -> dict[str, bytes]:
    hidden = (MANIFEST, NOOP_CACHE)
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name not in hidden}


def test_the_record_s_name_is_the_same_in_both_modules() -> None:
    assert NOOP_CACHE == NAME


def test_a_settled_file_is_not_even_opened(src: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = SimplePorting(src).run()
    opened_files: list[str] = []
    import musa_build.porting.tree.session as session

    monkeypatch.setattr(session, "read", lambda file: opened_files.append(file.path))
    second = SimplePorting(src).run()
    assert opened_files == []
    assert second.written == () and second.findings == first.findings and second.edits == first.edits


def test_only_the_changed_file_is_read_and_its_findings_change(src: Path) -> None:
    SimplePorting(src).run()
    (src / "c.cuh").write_text("int other_cuda;\n")
    report = SimplePorting(src).run()
    assert report.written == ("c.muh",)
    assert [finding.message for finding in report.findings] == ["other_cuda was left as it is"]


def test_a_new_header_changes_the_includes_of_unchanged_files(src: Path, tmp_path: Path) -> None:
    (src / "c.cuh").unlink()
    assert [f.code for f in SimplePorting(src).run().findings] == ["unknown-header"]
    (src / "c.cuh").write_text("")
    report = SimplePorting(src).run()
    assert set(report.written) == {"b.mu", "c.muh"}
    assert (tmp_path / "src_musa/b.mu").read_text() == '#include "c.muh"\n'


def test_other_rules_port_again(src: Path, tmp_path: Path) -> None:
    SimplePorting(src).run()
    report = SimplePorting(src, mapping_rule={"scale_cuda": "scale"}).run()
    assert report.written == ("c.muh",) and report.unused_rules == ()
    assert SimplePorting(src, mapping_rule={"scale_cuda": "scale"}).run().unused_rules == ()


def test_same_size_and_same_time_but_other_content_is_seen(src: Path, tmp_path: Path) -> None:
    SimplePorting(src).run()
    before = (src / "a.cu").stat()
    (src / "a.cu").write_text("cudaFree(z);\n")
    os.utime(src / "a.cu", ns=(before.st_atime_ns, before.st_mtime_ns))
    SimplePorting(src).run()
    assert (tmp_path / "src_musa/a.mu").read_text() == "musaFree(z);\n"


def test_a_file_written_just_before_is_not_taken_for_settled(src: Path, tmp_path: Path) -> None:
    for i in range(30):
        (src / "a.cu").write_text(f"cudaFree({i % 10});\n")  # always the same size
        SimplePorting(src).run()
        assert (tmp_path / "src_musa/a.mu").read_text() == f"musaFree({i % 10});\n"


def test_a_manifest_of_the_first_version_is_still_ours(src: Path, tmp_path: Path) -> None:
    SimplePorting(src).run()
    path = tmp_path / "src_musa" / MANIFEST
    content = json.loads(path.read_bytes())
    old = {target: values[4] for target, values in content["files"].items()}
    path.write_text(json.dumps({"made_by": "musa_build.porting", "version": 1, "files": old, "rules": ""}))
    (src / "a.cu").write_text("cudaMalloc(a);\n")
    assert SimplePorting(src).run().written == ("a.mu",)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_run_leaves_the_old_output(error: BaseException, src: Path, tmp_path: Path) -> None:
    SimplePorting(src).run()
    output = tmp_path / "src_musa"
    before = state(output)
    for path in src.iterdir():
        path.write_text("cudaMalloc(new);\n")
    session = session_for(validate_options(src, rule_set()))
    old = Manifest.read(output)

    def interrupted() -> Iterator[PortedFile]:
        files = list(session.ported(output, old))
        yield from files[:2]
        raise error

    with pytest.raises(type(error) if isinstance(error, OSError) else KeyboardInterrupt), opened(output):
        write_tree(output, interrupted(), old, session.fingerprint)
    assert state(output) == before
    assert not (output / STAGING).exists()
    assert set(SimplePorting(src).run().written) == {"a.mu", "b.mu", "c.muh"}


def test_a_full_disk_is_one_error_and_leaves_the_old_output(src: Path, tmp_path: Path) -> None:
    """The operating system refuses to write more than 1000 bytes into one file, as it would on a full disk."""
    SimplePorting(src).run()
    before = state(tmp_path / "src_musa")
    (src / "a.cu").write_text("cudaFree(a);\n")
    (src / "b.cu").write_text("cudaFree(b);\n" * 1000)
    code = (
        "import resource, signal, sys; from musa_build.porting.__main__ import main;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "sys.exit(main(sys.argv[1:]))"
    )
    # -B: Python would write its own files cut off, too
    run = subprocess.run([sys.executable, "-B", "-c", code, str(src)], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert last_error(run.stderr).startswith(f"error: the ported tree cannot be written; found: {tmp_path}/src_musa: ")
    assert state(tmp_path / "src_musa") == before


def test_new_folders_and_new_files_in_old_ones_are_ported(src: Path, tmp_path: Path) -> None:
    """A folder that the output lacks is moved as a whole, one that it has is filled up; all stamps are the last."""
    for name in ("old/a.cu", "old/deep/b.cu"):
        (src / name).parent.mkdir(exist_ok=True)
        (src / name).write_text("cudaFree(a);\n")
    SimplePorting(src).run()
    for name in ("old/c.cu", "old/deep/d.cu", "old/new/e.cu", "new/deep/f.cu"):
        (src / name).parent.mkdir(parents=True, exist_ok=True)
        (src / name).write_text("cudaFree(a);\n")
    wanted = {"old/c.mu", "old/deep/d.mu", "old/new/e.mu", "new/deep/f.mu"}
    output = tmp_path / "src_musa"
    assert set(SimplePorting(src).run().written) == wanted
    assert {(output / target).read_text() for target in wanted} == {"musaFree(a);\n"}
    assert not (output / STAGING).exists()
    for target, record in Manifest.read(output).files.items():
        assert record.output_stamp == stamp_of((output / target).stat())
    assert not SimplePorting(src).run().written


def test_what_a_killed_run_left_is_cleared_away(src: Path, tmp_path: Path) -> None:
    staging = tmp_path / "src_musa" / STAGING
    staging.mkdir(parents=True)
    (staging / "0").write_text("half a fi")
    SimplePorting(src).run()
    assert not staging.exists()


def test_two_runs_at_once_agree(src: Path, tmp_path: Path) -> None:
    for i in range(200):
        (src / f"{i}.cu").write_text("cudaFree(a);\n" * 50)
    command = [sys.executable, "-m", "musa_build.porting", str(src)]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0], [run.communicate()[1] for run in runs]
    for run in runs:
        run.communicate()
    assert (tmp_path / "src_musa/199.mu").read_text() == "musaFree(a);\n" * 50
    assert not (tmp_path / "src_musa" / STAGING).exists()


def test_ctrl_c_in_a_process_leaves_no_half_file(src: Path, tmp_path: Path) -> None:
    for i in range(300):
        (src / f"{i}.cu").write_text("cudaFree(a);\n" * 200)
    command = [sys.executable, "-m", "musa_build.porting", str(src)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "src_musa").exists() and time.monotonic() < deadline:
            time.sleep(0.001)  # until it has begun
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode in (0, 130) and "Traceback" not in said
    for path in (tmp_path / "src_musa").rglob("*.mu"):
        assert path.read_text() in ("musaFree(a);\n" * 200, "musaFree(a);\n", '#include "c.muh"\n')
    assert len(SimplePorting(src).run().findings) == 1
    assert len(list((tmp_path / "src_musa").glob("*.mu"))) == 302


class TestReplay:
    """A command that has nothing to do says so at once; anything that changed makes it work again."""

    def test_the_same_words_without_the_engine(self, src: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([str(src)]) == 0
        first = capsys.readouterr().err
        assert ", 0 written, " not in first
        again = re.sub(r"\d+ written", "0 written", first)
        assert cached_output([str(src)]) == again
        code = (
            "import sys; from musa_build.porting.__main__ import main; main(sys.argv[1:]);"
            "assert not {'musa_build.porting.engine.rules', 're', 'dataclasses', 'typing', 'json'} & set(sys.modules)"
        )
        # -S: what site packages import at start-up is not ours.
        where = str(Path(__file__).resolve().parents[2])
        run = subprocess.run(
            [sys.executable, "-S", "-c", code, str(src)],
            env={"PYTHONPATH": where},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (run.returncode, run.stderr) == (0, again)

    @pytest.mark.parametrize(
        "change",
        [
            lambda src, out: (src / "a.cu").write_text("cudaFree(b);\n"),
            lambda src, out: (src / "new.cu").write_text(""),
            lambda src, out: (src / "a.cu").unlink(),
            lambda src, out: (src / "a.cu").chmod(0o755),
            lambda src, out: (out / "a.mu").unlink(),
            lambda src, out: (out / "a.mu").write_text("by hand"),
        ],
    )
    def test_any_change_is_seen(self, change: object, src: Path, tmp_path: Path) -> None:
        main([str(src)])
        assert cached_output([str(src)]) is not None
        assert callable(change)
        change(src, tmp_path / "src_musa")
        assert cached_output([str(src)]) is None

    def test_other_options_or_another_folder_are_another_command(
        self, src: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        main([str(src)])
        assert cached_output([str(src), "--comments"]) is None
        monkeypatch.chdir(tmp_path)
        assert cached_output([str(src)]) is None

    def test_a_changed_rule_file_is_seen(self, src: Path, tmp_path: Path) -> None:
        rules = tmp_path / "my.rules"
        rules.write_text("scale_cuda  scale\n")
        os.utime(rules, (time.time() - 100,) * 2)
        main([str(src), "--rules", str(rules)])
        assert cached_output([str(src), "--rules", str(rules)]) is not None
        rules.write_text("scale_cuda  other\n")
        assert cached_output([str(src), "--rules", str(rules)]) is None

    def test_fresh_sources_are_not_remembered(self, src: Path) -> None:
        now = time.time() + 60
        os.utime(src / "a.cu", (now, now))
        main([str(src)])
        assert cached_output([str(src)]) is None
