"""The outcomes of files of programs: kept beside the scripts, and counted by docs/moore-threads-programs.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import kernels, maskrcnn
from tests.programs.kernels import OUTCOMES, PROGRAMS, Outcome, keep_outcome, outcomes, read_kept, write_kept
from tests.programs.record import Record, read_records

KEPT = sorted(path.name[: -len("-kernels.json")] for path in OUTCOMES.glob("*-kernels.json"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kernels, "OUTCOMES", tmp_path)
    return tmp_path


def test_no_lack_of_time_replaces_what_was_seen(folder: Path) -> None:
    keep_outcome("muAlg", "b.cu", Outcome("ok", True, 2.5))
    keep_outcome("muAlg", "a.cu", Outcome("time", False, 1.0))
    keep_outcome("muAlg", "b.cu", Outcome("time", True, 0.5))
    assert outcomes("muAlg") == {"a.cu": Outcome("time", False, 1.0), "b.cu": Outcome("ok", True, 2.5)}
    assert (
        folder / "muAlg-kernels.json"
    ).read_text() == '{\n"a.cu": ["time", false, 1.0],\n"b.cu": ["ok", true, 2.5]\n}\n'
    keep_outcome("muAlg", "b.cu", Outcome("no member named 'x'", True, 2.0))
    assert outcomes("muAlg")["b.cu"].ended == "no member named 'x'"


def test_a_row_does_not_fall_because_outcomes_are_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Record("muAlg", PROGRAMS["muAlg"].version, "2026-11-28", "mcc", 3, 2, (), ())
    monkeypatch.setattr(kernels, "read_records", lambda: {"muAlg": kept})
    monkeypatch.setattr(kernels, "keep", lambda record: pytest.fail("the page was written"))
    write_kept("muAlg-kernels", {"a.cu": Outcome("ok", True, 1.0), "b.cu": Outcome("time", True, 1.0)})
    with pytest.raises(SystemExit, match="has 1 files, and 2 compiled by the page"):
        kernels.record("muAlg")


@pytest.mark.parametrize("name", [name for name in KEPT if name in read_records()])
def test_the_page_counts_the_kept_outcomes(name: str) -> None:
    record, known = read_records()[name], outcomes(name)
    assert record.version == PROGRAMS[name].version
    if len(known) < record.compiled:
        pytest.skip("an older row, whose outcomes were lost: the scripts do not write it before all are there again")
    assert record.compiled == sum(each.ended == "ok" for each in known.values())
    parsed = sum(each.ended == "ok" and not each.whole for each in known.values())
    assert any(sentence.startswith(f"{parsed} of the files were only parsed") for sentence in record.left) == bool(
        parsed
    )
    wrong = {f"{file}: {each.ended}" for file, each in known.items() if each.ended not in ("ok", "time")}
    assert wrong <= set(record.left)


def test_outcomes_are_those_of_known_programs() -> None:
    assert KEPT and set(KEPT) <= set(PROGRAMS)
    assert set(read_kept("tutorial_on_musa-runs")) == {file for file, *_ in PROGRAMS["tutorial_on_musa"].run}


def test_the_first_error_of_a_build() -> None:
    said = (
        "error: 1 step failed: mcc a.mu:2: no member\n\nx/a.mu:2:3: error: no member named 'b'\nx/a.mu:9:1: error: d\n"
    )
    assert maskrcnn.first_error(said) == "no member named 'b'"
    assert maskrcnn.first_error("error: no SDK") == "failed"
