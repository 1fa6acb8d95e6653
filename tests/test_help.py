"""The help of all commands: one style, 80 columns, examples, exit statuses of one table."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from musa_build.cli import main
from musa_build.system import process
from musa_build.system.exit_status import MEANINGS
from musa_tools.cli import main as tools_main

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {"musa-build": ("musa_build.cli", main), "musa-tools": ("musa_tools.cli", tools_main)}


def commands_of(name: str, group: click.Group) -> Iterator[str]:
    yield name
    for word, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands_of(f"{name} {word}", command)
        elif not command.hidden:
            yield f"{name} {word}"


COMMANDS = [
    *(command for name, (_, group) in PROGRAMS.items() for command in commands_of(name, group)),
    "musa-converter",
    "python -m musa_sim",
]


def help_of(command: str) -> str:
    name, *words = command.split()
    scripts = {name: f"from {module} import main; main(prog_name={name!r})" for name, (module, _) in PROGRAMS.items()}
    scripts["musa-converter"] = "from musa_tools.convert.command_line import main; main()"
    program = ["-m", "musa_sim"] if name == "python" else ["-c", scripts[name], *words]
    done = process.run([sys.executable, *program, "--help"], extra_environment={"COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_one_style(command: str) -> None:
    text = help_of(command)
    lines = text.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert text.startswith("Usage: ") and lines[1] == "" and lines[2].startswith("  ")
    assert "\nOptions:\n" in text and re.search(r"-h, --help +Show this message and exit\.", text)
    assert "Examples:\n" in text
    statuses = text.split("Exit status: ")[1]
    assert {int(number) for number in re.findall(r"(?<![\w.])\d+(?= )", statuses)} <= MEANINGS.keys()


def test_the_commands_are_grouped() -> None:
    """Each command is in one section; those of no section are the other ones."""
    text = help_of("musa-build")
    titles = ["Start here", "Build", "Simulator", "Other commands"]
    positions = [text.index(f"\n{title}:\n") for title in titles]
    assert positions == sorted(positions)
    shown = re.findall(r"^  ([a-z][\w-]*)  ", text[positions[0] : text.index("Examples:")], re.MULTILINE)
    assert sorted(shown) == sorted(name for name, command in main.commands.items() if not command.hidden)
