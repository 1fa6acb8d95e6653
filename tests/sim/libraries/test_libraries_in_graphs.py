"""The SDK's libraries in graphs: their operations are done again in each launch."""

from __future__ import annotations

from library_programs import Build


def test_operations_of_libraries_in_a_graph(build: Build) -> None:
    result = build("graphs.cpp", libraries=("mublas", "mufft", "murand", "musa"))()
    assert (result.status, result.stderr) == (0, "")
    assert result.text.splitlines() == [
        "status 1, nodes 4, y 0",
        *(f"y {2 * launch}, sum {8 * launch}, word 7, new number 1" for launch in (1, 2, 3)),
        "dot fails 1, MUSA_ERROR_STREAM_CAPTURE_INVALIDATED",
    ]
