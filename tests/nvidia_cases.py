"""Runs of the suites' programs that a real card can repeat, and what cards recorded of them.

`SIM_CARD_COLLECT=FOLDER pytest tests/sim` writes every such run to FOLDER: which program, its arguments, its input.
`make nvidia-card` repeats them on an NVIDIA card and keeps the results in tests/nvidia_card/records. Without that
variable, each run that a record knows is compared with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from nvidia_card.differences import Differences
from nvidia_card.outputs import Output, difference, records_difference, with_the_same_lines

SUITES = Path(__file__).parent / "sim"
#: a rehearsal with the simulator as the card names another folder
RECORDS = Path(os.environ.get("SIM_CARD_RECORDS") or Path(__file__).parent / "nvidia_card" / "records")
RECIPE = "recipe.json"

#: variables that change how the simulator runs a program, not what it simulates
_NEUTRAL = {"MUSA_SIM_FIBERS", "MUSA_SIM_THREADS", "MUSA_SIM_SEED", "MUSA_SIM_ASYNC", "MUSA_SIM_WATCHDOG"}


@dataclass(frozen=True)
class Case:
    """One run. `sources` and `flags` say what to compile; `input` is the digest of what it reads."""

    sources: tuple[str, ...]
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    arguments: tuple[str, ...]
    input: str = ""
    dtype: str = ""  # of stdout, where it is an array

    @property
    def program(self) -> str:
        """The program's name, one for each way of compiling it for a card."""
        return " ".join([*(name.replace("/programs/", "/") for name in self.sources), *self.flags])

    @property
    def key(self) -> str:
        return " | ".join([self.program, " ".join(self.arguments), self.input[:12]])


def write_recipe(slot: Path, command: Sequence[str], sources: Sequence[Path], link: Sequence[str]) -> None:
    """Note beside a program what it was made of, if its sources are the suites' own or made by them."""
    standard = [word for word in command if word.startswith("-std=")][-1:]  # the last one counts, and nvcc takes one
    of_language = [*standard, *(word for word in command if word.startswith("-D"))]
    libraries = [word[2:] for word in link if word.startswith("-l") and word != "-lmusart"]
    names = [_name(source) for source in sources]
    recipe = {"sources": names, "flags": of_language, "libraries": libraries}
    (slot / RECIPE).write_text(json.dumps(recipe), encoding="utf-8")


def _name(source: Path) -> str:
    """A path below tests/sim; sources that a test writes are the suite's whose folder is theirs."""
    inside = source.is_relative_to(SUITES)
    return source.relative_to(SUITES).as_posix() if inside else f"{source.parent.name}/{source.name}"


def case_of(
    program: Path, arguments: Sequence[object], inputs: bytes, env: Mapping[str, str], dtype: str
) -> Case | None:
    """The case of a run; None if it is one that only the simulator can do."""
    recipe = program.parent / RECIPE
    simulated = [*env, *(item.split("=")[0] for item in os.environ.get("SIM_TEST_RUN_ENV", "").split())]
    if not recipe.is_file() or not {*simulated} <= _NEUTRAL:
        return None
    made_of = json.loads(recipe.read_text(encoding="utf-8"))
    return Case(
        tuple(made_of["sources"]),
        tuple(made_of["flags"]),
        tuple(made_of["libraries"]),
        tuple(map(str, arguments)),
        sha256(inputs).hexdigest() if inputs else "",
        dtype,
    )


def note(
    program: Path,
    arguments: Sequence[object],
    inputs: bytes,
    env: Mapping[str, str],
    dtype: str,
    status: int,
    stdout: bytes,
) -> None:
    """Collect a run, or compare it with what cards recorded of the same one."""
    folder = os.environ.get("SIM_CARD_COLLECT")
    if not folder and not _records():
        return
    case = case_of(program, arguments, inputs, env, dtype)
    if case is None:
        return
    if folder:
        collect(case, inputs, Path(folder))
    for record in _records():
        wrong = record.difference(case, Output(status, stdout, case.dtype))
        assert not wrong, f"{case.key}: {wrong}"


def collect(case: Case, inputs: bytes, folder: Path) -> None:
    """Write a case and its input, as files that processes may write at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    if inputs:
        (folder / f"{case.input}.input").write_bytes(inputs)
    name = sha256(case.key.encode()).hexdigest()[:20]
    partial = folder / f"{name}.{os.getpid()}"
    partial.write_text(json.dumps(asdict(case)), encoding="utf-8")
    partial.replace(folder / f"{name}.json")


def collected(folder: Path) -> list[Case]:
    """The cases that were written to a folder, each once, in a fixed order."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        case = Case(**{name: tuple(value) if isinstance(value, list) else value for name, value in read.items()})
        found[case.key] = case
    return [found[key] for key in sorted(found)]


@dataclass(frozen=True)
class Record:
    """The outputs of one card."""

    card: str
    outputs: Mapping[str, Output]
    differences: Differences

    @classmethod
    def read(cls, path: Path, differences: Differences) -> Record:
        content = json.loads(path.read_text(encoding="utf-8"))
        outputs = {key: Output.from_json(value) for key, value in content["cases"].items()}
        return cls(content["card"]["name"], outputs, differences)

    def difference(self, case: Case, ours: Output) -> str:
        """Describe the difference from the card; empty if it is none, is on purpose, or the card has no such run."""
        theirs = self.outputs.get(case.key)
        if theirs is None or self.differences.on_purpose(case.program, case.arguments):
            return ""
        if theirs.status and self.differences.of("refused", case.program, case.arguments):
            return ""
        tolerance = self.differences.tolerance(case.program, case.arguments)
        if "{file}" in case.arguments:
            skipped = partial(self.differences.of, "differs", case.program)
            wrong = records_difference(ours.stdout, theirs.stdout, tolerance, lambda name: skipped([name]) is not None)
        elif case.program.startswith("stdlib/features_"):  # each compiler takes features that the other does not
            both = [
                replace(one, stdout=with_the_same_lines(one.stdout, other.stdout))
                for one, other in ((ours, theirs), (theirs, ours))
            ]
            wrong = difference(both[0], both[1], tolerance)
        else:
            wrong = difference(ours, theirs, tolerance)
        return f"{self.card} says otherwise: {wrong}" if wrong else ""


@cache
def _records() -> tuple[Record, ...]:
    differences = Differences.read()
    return tuple(Record.read(path, differences) for path in sorted(RECORDS.glob("*.json")))
