"""CUDA as people publish it, with its sloppiness: right at every optimisation level, as loops and as fibers.

Every idiom is a function of a program; it compares what the kernel did with what a plain loop on the host computes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
IDIOMS = [
    (path.stem, name)
    for path in sorted(PROGRAMS.glob("*.mu"))
    for name in re.findall(r"^IDIOM\((\w+)\)", path.read_text(encoding="utf-8"), re.M)
]
WAYS = [("-O0", "0"), ("-O1", "0"), ("-O2", "0"), ("-O3", "0"), ("-O2", "1")]


@pytest.mark.parametrize(("level", "fibers"), WAYS, ids=["O0", "O1", "O2", "O3", "O2-fibers"])
@pytest.mark.parametrize(("program", "idiom"), IDIOMS, ids=[f"{program}-{idiom}" for program, idiom in IDIOMS])
def test_idiom(
    verdicts: Callable[[str, str, str], dict[str, str]], program: str, idiom: str, level: str, fibers: str
) -> None:
    said = verdicts(program, level, fibers)
    assert said.get(idiom) == "ok", said["the program"]
