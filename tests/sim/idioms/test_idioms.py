"""CUDA as people publish it, with its sloppiness: right at every optimisation level, as loops and as fibers.

Every idiom is a function of a program. The program makes random inputs from a seed and records them with what came of
them; NumPy says what should have. `IDIOM_SEED=... pytest tests/sim/idioms` repeats a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from idiom_runs import Run
from reference import NOT_OF_DATA, REFERENCES, difference

PROGRAMS = Path(__file__).parent / "programs"
IDIOMS = [
    (path.stem, name)
    for path in sorted(PROGRAMS.glob("*.mu"))
    for name in re.findall(r"^IDIOM\((\w+)\)", path.read_text(encoding="utf-8"), re.M)
]
WAYS = [
    pytest.param("-O0", "0", id="O0"),
    pytest.param("-O1", "0", id="O1", marks=pytest.mark.slow),
    pytest.param("-O2", "0", id="O2"),
    pytest.param("-O3", "0", id="O3", marks=pytest.mark.slow),
    pytest.param("-O2", "1", id="O2-fibers"),
]


def test_every_idiom_has_a_reference() -> None:
    names = [name for _, name in IDIOMS]
    assert sorted(names) == sorted([*REFERENCES, *NOT_OF_DATA])


@pytest.mark.parametrize(("level", "fibers"), WAYS)
@pytest.mark.parametrize(("program", "idiom"), IDIOMS, ids=[f"{program}-{idiom}" for program, idiom in IDIOMS])
def test_idiom(run_program: Callable[[str, str, str], Run], program: str, idiom: str, level: str, fibers: str) -> None:
    run = run_program(program, level, fibers)
    assert run.lines.get(idiom) == "ok", run.ending
    if idiom in NOT_OF_DATA:
        return
    given, got = run.records[idiom, "in"], run.records[idiom, "out"]
    wanted = REFERENCES[idiom](**given)
    assert got.keys() == wanted.keys()
    for name, values in got.items():
        wrong = difference(values, wanted[name])
        assert not wrong, f"{idiom}: {name}, with IDIOM_SEED={run.seed}: {wrong}"
