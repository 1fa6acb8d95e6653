"""The SDK's libraries report their work to a profiler (musa_sim_activity.h)."""

from __future__ import annotations

from library_programs import Build

LIBRARY = "5 "


def test_operations_of_libraries_are_named(build: Build) -> None:
    result = build("activity.cpp", libraries=("mublas", "mufft", "murand", "musa"))()
    assert result.status == 0, result.stderr
    names = [line.partition("(mublasContext*")[0] for line in result.text.splitlines()]
    assert names == [
        LIBRARY + "mublas::axpy<float, float>",
        LIBRARY + "mublas::(anonymous namespace)::gemm_strided<float>",
        LIBRARY + "murand::generate",
        LIBRARY + "mufft::execute",
        "4 Memset (Device)",  # the driver's fills are the runtime's
    ]
