"""`musa-build`: the help of every command, its exit status, and what stays quick."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from musa_build.cli import main


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    """Every command by its path, but for hidden ones."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        elif not command.hidden:
            yield (*path, name)


# `port` has its own parser; tests/porting/test_porting_command.py has its help.
COMMANDS = [path for path in commands(main) if path != ("port",)]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_examples_and_the_exit_status(path: tuple[str, ...]) -> None:
    outcome = CliRunner().invoke(main, [*path, "--help"], terminal_width=100)
    assert outcome.exit_code == 0 and "Examples:" in outcome.output and "Exit status: " in outcome.output
    examples = outcome.output.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert examples and all("musa-build" in line or "pip install" in line for line in examples)
    assert all(" ".join(path) in line for line in examples) or len(path) < 2, "an example of this command"
    summary = outcome.output.split("\n\n")[1].strip()
    assert summary.endswith("."), "a whole sentence, not one that was cut off"


@pytest.mark.parametrize(
    "arguments",
    [["doctor", "--yaml"], ["no-such-command"], ["install"], ["install", "--level", "5", "x"], ["sim", "run"]],
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_an_error_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSA_HOME", "/nowhere")
    monkeypatch.setenv("MUSA_BUILD_SIMULATOR", "0")
    outcome = CliRunner().invoke(main, ["env"])
    assert outcome.exit_code == 1 and "error: MUSA_HOME does not point to a MUSA SDK" in outcome.output
