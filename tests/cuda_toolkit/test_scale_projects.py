"""The table of SCALE's projects, and which of their files are parsed again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.programs.scale import (
    BEGIN,
    CHINESE,
    ENGLISH,
    PROJECTS,
    Language,
    Outcome,
    commands,
    outcomes,
    parse,
    row,
    table,
)


def test_a_row_says_what_is_known() -> None:
    project = PROJECTS["GPUJPEG"]
    link = "[GPUJPEG](https://github.com/CESNET/GPUJPEG)"
    good = Outcome("yes", 2, {"a.cu": "", "b.cu": ""}, "yes", "passed")
    assert row(project, good) == f"| {link} | {project.version} | {project.cards} | yes | 2 of 2 | yes | passed | |"
    part = Outcome("yes", 3, {"a.cu": "", "b.cu": "error: <x>"})
    assert row(project, part).endswith("| yes | 1 of 2 tried, of 3 | | | error: &lt;x> |")
    assert row(project, Outcome("CMake Error: no BLAS")).endswith("| no | | | | CMake Error: no BLAS |")


def test_the_totals() -> None:
    found = {"GPUJPEG": Outcome("yes", 2, {"a.cu": "", "b.cu": "bad"}, "yes", "passed"), "flip": Outcome("CMake Error")}
    assert table(found).startswith(
        "Of 2 projects, 1 are configured, 1 were built, 1 pass the tests. 1 of the 2 device files"
    )


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_the_pages_have_the_table_of_the_outcomes(language: Language) -> None:
    assert f"{BEGIN}\n{table(outcomes(), language)}\n" in language.page.read_text(encoding="utf-8")


def test_a_file_that_compiled_is_not_tried_again(tmp_path: Path) -> None:
    planned = {name: (["sh", "-c", "true"], tmp_path) for name in ("new.cu", "good.cu", "bad.cu")}
    planned["wrong.cu"] = (["sh", "-c", "echo 'a.cu:1: error: no x'; false"], tmp_path)
    known = {"good.cu": "", "bad.cu": "error: old"}
    found = parse(planned, known, time.monotonic() + 60, {})
    assert found == {"new.cu": "", "good.cu": "", "bad.cu": "", "wrong.cu": "error: no x"}
    assert parse(planned, known, time.monotonic() - 1, {}) == known


def test_files_without_cmake_have_the_flags_of_their_project(tmp_path: Path) -> None:
    (tmp_path / "gpu" / "bitnet_kernels").mkdir(parents=True)
    (tmp_path / "gpu" / "bitnet_kernels" / "bitnet_kernels.cu").touch()
    planned = commands(PROJECTS["BitNet"], tmp_path, tmp_path)
    assert planned["gpu/bitnet_kernels/bitnet_kernels.cu"][0][:2] == ["nvcc", "-std=c++17"]
