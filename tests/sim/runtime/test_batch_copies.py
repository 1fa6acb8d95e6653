"""musaMemcpyBatchAsync and musaMemcpy3DBatchAsync."""

from __future__ import annotations

from sim_programs import Build

INVALID = "musaErrorInvalidValue"


def test_many_copies_in_one_call(build: Build) -> None:
    result = build("batch_copies.mu")()
    assert result.status == 0, result.stderr
    bad = ("too large", "not increasing", "no such copy", "no order", "none", "outside", "nothing", "flags")
    assert result.facts == {
        **dict.fromkeys(("in order", "none failed", "boxes", "array", "which"), "1"),
        **dict.fromkeys(bad, INVALID),
        "which box": "2",
    }
