"""The page of torch_musa's kernels: a run of some files keeps the rows of the others."""

from __future__ import annotations

from pathlib import Path

from script_modules import module_of

kernels = module_of(Path(__file__).parent / "kernels.py", "torch_musa_kernels_table")


def test_rows_of_other_files_stay() -> None:
    first = [
        kernels.Compiled("torch_musa/csrc/aten/ops/musa/Add.mu", "", 3.2),
        kernels.Compiled("torch_musa/csrc/aten/ops/musa/Sort.mu", "no type named 'Sort'", 2.0),
    ]
    text = kernels.page(dict(map(kernels.row, first)), "2.7.1")
    assert "**1 of 2** compile" in text
    later = kernels.Compiled("torch_musa/csrc/aten/ops/musa/Sort.mu", "", 4.0)
    text = kernels.page({**kernels.rows_of(text), **dict([kernels.row(later)])}, "2.7.1")
    assert "**2 of 2** compile" in text
    assert "| aten/ops/musa/Add.mu | yes | 3 |  |\n| aten/ops/musa/Sort.mu | yes | 4 |  |" in text
