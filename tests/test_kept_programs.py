"""Programs of tests are kept by their sources: tests/kept_programs.py."""

from __future__ import annotations

from pathlib import Path

from kept_programs import KeptPrograms

#: A compiler whose program is its source and the header beside it
COMMAND = ("sh", "-c", 'cat "$1" "${1%/*}"/*.h > "$3"', "compiler")


def written(folder: Path, source: str, header: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cases.mu").write_text(source)
    (folder / "part.h").write_text(header)
    return folder / "cases.mu"


def test_a_program_of_the_same_name_and_command_replaces_no_other(tmp_path: Path) -> None:
    """A test may still run its program while another one, in another process, has its own compiled."""
    kept = KeptPrograms(tmp_path / "sdk", tmp_path / "programs")
    texts = [("one", ""), ("two", ""), ("one", "header")]
    sources = [written(tmp_path / str(number), *text) for number, text in enumerate(texts)]
    programs = [kept.build(COMMAND, [source]) for source in sources]
    assert [program.read_text() for program in programs] == ["one", "two", "oneheader"]


def test_a_source_that_tests_write_again_is_compiled_once(tmp_path: Path) -> None:
    kept = KeptPrograms(tmp_path / "sdk", tmp_path / "programs")
    first = kept.build(COMMAND, [written(tmp_path / "a", "one")])
    time = first.stat().st_mtime_ns
    assert kept.build(COMMAND, [written(tmp_path / "b", "one")]) == first and first.stat().st_mtime_ns == time
    assert kept.build((*COMMAND[:-1], "other"), [tmp_path / "a" / "cases.mu"]) != first
