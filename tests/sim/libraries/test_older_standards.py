"""Programs of C++11 and C++14 compute right with headers that are written with newer features.

The programs of Thrust, cub and muRAND run in C++11 too: library_programs.STANDARDS.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from library_programs import Build

import musa_build

OWN = Path(musa_build.__file__).parent / "toolchain" / "cxx_headers"


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17"])
def test_algorithms_of_libcudacxx_in_kernels(build: Build, standard: str) -> None:
    """The host library's min() is constexpr from C++14 on, its min_element() and next() from C++17 on."""
    result = build("older_algorithms.mu", flags=[f"-std={standard}", "-isystem", str(OWN)])()
    expected = [0, 5, 12345, 2, 443, 47, 31, 4, 44]
    assert (result.status, result.stderr) == (0, "")
    assert [line.split() for line in result.text.splitlines()] == [[str(value)] * 2 for value in expected]
