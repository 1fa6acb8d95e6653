"""examples/container/Dockerfile and .devcontainer: their commands, files and versions are those of the project."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from musa_build.cli import main

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / "examples/container/Dockerfile"


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: word and rest, with continued lines joined."""
    text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def steps(stage: str = "") -> list[list[str]]:
    """The commands of RUN, of one stage or of all."""
    found, current = [], ""
    for word, rest in instructions():
        if word == "FROM":
            current = rest.rpartition(" AS ")[2]
        if word == "RUN" and stage in ("", current):
            found += [shlex.split(command) for command in rest.split(" && ")]
    return found


def test_its_commands_exist() -> None:
    own = [command for command in steps() if command[0] == "musa-build"]
    assert len(own) == 2
    for command in own:
        words = [word for word in command[1:] if not word.startswith(("-", "/"))]
        outcome = CliRunner().invoke(main, [*words, "--help"])
        assert outcome.exit_code == 0 and all(word in outcome.output for word in command if word.startswith("--"))


def test_its_folders_are_projects() -> None:
    named = {word for command in steps() if command[:2] == ["pip", "install"] for word in command if word[0] == "."}
    assert named == {".", "./simulator", "./tools", "./backend"}
    assert all((ROOT / name / "pyproject.toml").is_file() for name in named)
    backend = next(command for command in steps() if "./backend" in command)
    assert "--no-build-isolation" in backend, "it is compiled for the torch of the image"


def test_its_versions_are_those_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (torch,) = (rest.partition("=")[2] for word, rest in instructions() if word == "ARG")
    assert re.search(rf"^TORCH \?= {re.escape(torch)}$", makefile, re.MULTILINE)
    (image,) = {rest.split(" ")[0] for word, rest in instructions() if word == "FROM" and ":" in rest}
    assert image.startswith("python:3.1"), "3.10 or newer, as the Makefile needs"


def test_the_copied_checkout_brings_no_builds() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "**/build", "**/*.egg-info"} <= set(ignored)


def test_the_devcontainer_uses_a_stage_of_it() -> None:
    content = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    build = content["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == DOCKERFILE
    assert (ROOT / ".devcontainer" / build["context"]).resolve() == ROOT
    assert build["target"] in {rest.rpartition(" AS ")[2] for word, rest in instructions() if word == "FROM"}
    command, target = content["postCreateCommand"].split()
    assert command == "make" and f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_steps_of_the_port(tmp_path: Path) -> None:
    """They are executed here: the stages before it are what `make` does."""
    (command,) = steps("port")
    words = [word.replace("/port", str(tmp_path)) for word in command[1:]]
    done = subprocess.run([sys.executable, "-m", "musa_build", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "demo").iterdir())
