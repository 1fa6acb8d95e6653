"""Constants in device memory: the host finds each, also one that no device code uses."""

from __future__ import annotations

import pytest
from sim_programs import Build

FACTS = {
    "plain": "12 1 2 3",
    "number": "4 1.5",
    "in_constant": "8 4 5",
    "of_file": "8 6 7",
    "known": "8 8 9",
    "known_constant": "4 10",
    "declared": "4 11",
    "only_host": "8 14 15",
    "only_host_known": "8 0.25",
    "inside": "4 16",
    "hidden": "4 17",
    "only_host_hidden": "4 18",
    "of_template": "4 19",
    "of_other_template": "4 19",
    "values": "8 21 22",
    "last": "4 20",
    "pairs": "0.5 12 2.5 13",
    "other_plain": "100",
    "kernel": "2 1 5 7 9 11 13 6 16 17 19 22 ",
    "same": "1",
}


@pytest.mark.parametrize(
    "flags", [("-O0",), ("-O2",), ("--sim-check=memory,init",), ("--offload-arch=mp_22", "--offload-arch=mp_31")]
)
def test_the_host_finds_every_constant(build: Build, flags: tuple[str, ...]) -> None:
    result = build("constants.mu", "constants_other.mu", flags=("-std=c++17", *flags))()
    assert (result.status, result.stderr, result.facts) == (0, "", FACTS)
